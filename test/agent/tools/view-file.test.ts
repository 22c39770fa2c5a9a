import { execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, symlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createBench } from './harness.ts';

const lines = (count: number): string => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join('');

test('a file is shown with line numbers and counts', async () => {
  const bench = createBench();
  const path = bench.write('a.txt', 'one\ntwo\n');
  const outcome = await bench.run('view_file', { AbsolutePath: path });
  expect(outcome).toEqual({
    isError: false,
    output: `${path} (2 lines, 8 bytes)\nLines 1 to 2:\n1: one\n2: two`,
    displayOutput: '2 lines, 8 bytes',
  });
});

test('only the documented parameter is shown, and the read is asked for by its real path', async () => {
  const bench = createBench();
  const path = bench.write('a.txt', 'one');
  symlinkSync(path, join(bench.root, 'link.txt'));
  const call = await bench.prepare('view_file', { AbsolutePath: 'link.txt', StartLine: 1 });
  expect(call.parameters).toEqual({ AbsolutePath: join(bench.root, 'link.txt') });
  expect(call.requests).toEqual([{ action: 'read_file', path, given: join(bench.root, 'link.txt') }]);
});

test('a range is kept to, and the whole length is named', async () => {
  const bench = createBench();
  const path = bench.write('a.txt', lines(50));
  const { output } = await bench.run('view_file', { AbsolutePath: path, StartLine: 10, EndLine: 12 });
  expect(output).toBe(
    `${path} (50 lines, 391 bytes)\nLines 10 to 12:\n10: line 10\n11: line 11\n12: line 12`,
  );
});

test('a long file is cut at 800 lines and says how to go on', async () => {
  const bench = createBench();
  const path = bench.write('a.txt', lines(2000));
  const first = await bench.run('view_file', { AbsolutePath: path });
  expect(first.output).toContain('(2000 lines,');
  expect(first.output).toContain('800: line 800\nNot all was shown; go on with StartLine 801.');
  const last = await bench.run('view_file', { absolute_path: path, StartLine: '1801' });
  expect(last.output).toContain('2000: line 2000');
  expect(last.output).not.toContain('Not all was shown');
});

test('a start behind the end is an error that names the length', async () => {
  const bench = createBench();
  const path = bench.write('a.txt', lines(3));
  const outcome = await bench.run('view_file', { AbsolutePath: path, StartLine: 9 });
  expect(outcome).toMatchObject({
    isError: true,
    errorMessage: `${path} has 3 lines; StartLine 9 is behind its end`,
  });
});

test.each([
  ['UTF-8 with a mark', Buffer.from('\uFEFFgrün\r\n'), 'utf-8-bom', '1: grün'],
  ['UTF-16 little endian', Buffer.from('\uFEFFgrün\n', 'utf16le'), 'utf-16le', '1: grün'],
  ['UTF-16 big endian', Buffer.from('\uFEFFgrün\n', 'utf16le').swap16(), 'utf-16be', '1: grün'],
  ['Latin-1', Buffer.from('gr\xfcn\n', 'latin1'), 'latin1', '1: grün'],
])('%s is read as text', async (_, bytes, name, line) => {
  const bench = createBench();
  const path = bench.write('a.txt', bytes);
  const { output } = await bench.run('view_file', { AbsolutePath: path });
  expect(output).toBe(`${path} (1 lines, ${bytes.length} bytes, ${name})\nLines 1 to 1:\n${line}`);
});

test('a character across the boundary of two reads stays whole', async () => {
  const bench = createBench();
  const path = bench.write('a.txt', `${'x'.repeat(256 * 1024 - 1)}\n`.slice(1) + '\n€uro\n');
  const { output } = await bench.run('view_file', { AbsolutePath: path, StartLine: 3 });
  expect(output).toContain('3: €uro');
});

test('an empty file, a binary file and an image are named as such', async () => {
  const bench = createBench();
  expect((await bench.run('view_file', { AbsolutePath: bench.write('e', '') })).output).toContain(
    'The file is empty.',
  );
  const binary = await bench.run('view_file', { AbsolutePath: bench.write('b', Buffer.from([1, 0, 2])) });
  expect(binary).toMatchObject({ isError: false, displayOutput: '3 bytes' });
  expect(binary.output).toContain('binary file of 3 bytes (it starts with 01 00 02)');
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  const image = await bench.run('view_file', { AbsolutePath: bench.write('i.dat', png) });
  expect(image.image).toEqual({ mediaType: 'image/png', base64: png.toString('base64') });
});

test('a very long line is cut and its length named', async () => {
  const bench = createBench();
  const path = bench.write('a.txt', `${'x'.repeat(5000)}\nshort\n`);
  const { output } = await bench.run('view_file', { AbsolutePath: path });
  expect(output).toContain(`1: ${'x'.repeat(2000)} … [5000 characters]\n2: short\n1 long lines were cut`);
});

test('a huge file is read in part only', async () => {
  const bench = createBench();
  const path = bench.write('huge', 'first\n'.repeat(1000));
  const fd = openSync(path, 'r+');
  ftruncateSync(fd, 3 * 1024 ** 3);
  writeSync(fd, 'x'.repeat(256 * 1024), 6000);
  closeSync(fd);
  const { output, displayOutput } = await bench.run('view_file', { AbsolutePath: path, EndLine: 2 });
  expect(output).toContain('Lines 1 to 2:\n1: first\n2: first');
  expect(displayOutput).toContain('more than');
});

test.each([
  ['a folder', '.', 'is a folder'],
  ['a missing file', 'missing', 'it does not exist'],
  ['a pipe', 'pipe', 'not a regular file'],
])('%s is an error that names the path', async (_, name, message) => {
  const bench = createBench();
  execFileSync('mkfifo', [join(bench.root, 'pipe')]);
  const outcome = await bench.run('view_file', { AbsolutePath: join(bench.root, name) });
  expect(outcome.isError).toBe(true);
  expect(outcome.errorMessage).toContain(message);
  expect(outcome.errorMessage).toContain(join(bench.root, name));
});

test.each([
  [{}, 'the argument AbsolutePath is missing'],
  [{ AbsolutePath: 3 }, 'AbsolutePath must be a text, not 3'],
  [{ AbsolutePath: '' }, 'the path is empty'],
  [{ AbsolutePath: 'a\0b' }, 'NUL'],
  [{ AbsolutePath: 'file:///etc/passwd' }, 'is an address, not a path'],
  [{ AbsolutePath: '~/x' }, '~ is not expanded'],
  [{ AbsolutePath: '~root/x' }, '~ is not expanded'],
  [{ AbsolutePath: '\\\\server\\share' }, 'network path'],
  [{ AbsolutePath: '//server/share' }, 'network path'],
  [{ AbsolutePath: 'a', StartLine: 0 }, 'StartLine must be a whole number of at least 1, not 0'],
  [{ AbsolutePath: 'a', StartLine: 5, EndLine: 4 }, 'EndLine 4 is before StartLine 5'],
])('arguments %j are refused', async (args, message) => {
  const bench = createBench();
  await expect(bench.prepare('view_file', args)).rejects.toThrow(message);
});

test('an aborted call ends as interrupted', async () => {
  const bench = createBench();
  const path = bench.write('a.txt', 'one');
  const outcome = await bench.run('view_file', { AbsolutePath: path }, AbortSignal.abort());
  expect(outcome).toMatchObject({ isError: true, errorMessage: 'interrupted' });
});
