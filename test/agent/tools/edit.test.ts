import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { array, assert, constantFrom, property } from 'fast-check';
import { expect, test } from 'vitest';
import { applyEdits } from '../../../src/agent/tools/text-edits.ts';
import { createBench } from './harness.ts';

const signal = new AbortController().signal;
const edit = (target: string, replacement: string, more = {}) => ({
  target,
  replacement,
  allowMultiple: false,
  ...more,
});

test.each([
  ['one place', 'a b c', [edit('b', 'x')], 'a x c'],
  ['a deletion', 'a b c', [edit(' b', '')], 'a c'],
  ['an empty file', '', [edit('', 'new\n')], 'new\n'],
  ['CRLF stays, target written with LF', 'a\r\nb\r\nc\r\n', [edit('a\nb\n', 'x\ny\n')], 'x\r\ny\r\nc\r\n'],
  ['CRLF in the target, LF in the file', 'a\nb\n', [edit('a\r\nb', 'x')], 'x\n'],
  [
    'mixed ends: the rest stays as it is',
    'a\r\nb\nc\r\nd\r\n',
    [edit('c', '1\n2')],
    'a\r\nb\n1\r\n2\r\nd\r\n',
  ],
  ['a target that starts at a line end', 'a\r\nb\r\n', [edit('\nb', '\nc')], 'a\r\nc\r\n'],
  ['every place', 'a a a', [edit('a', 'b', { allowMultiple: true })], 'b b b'],
  ['a range picks one of two', 'x\ny\nx\n', [edit('x', 'z', { startLine: 2, endLine: 3 })], 'x\ny\nz\n'],
  ['several edits of one text', 'a b c', [edit('c', 'a'), edit('a', 'c')], 'c b a'],
  ['a pattern in the replacement is literal', 'a', [edit('a', '$& $1')], '$& $1'],
])('edit: %s', (_, text, edits, expected) => {
  expect(applyEdits(text, edits).text).toBe(expected);
});

test.each([
  ['twice', 'a\na\n', [edit('a', 'b')], 'found 2 times (lines 1, 2)'],
  ['overlapping itself', 'aaa', [edit('aa', 'b')], 'found 2 times'],
  ['missing', 'a', [edit('b', 'c')], 'was not found; view the file again'],
  [
    'other blanks',
    'if (x) {\n\treturn;\n}',
    [edit('if (x) {\n  return;', 'y')],
    'line 1 differs from it only in blanks',
  ],
  ['line numbers copied', 'a\nb', [edit('1: a\n2: b', 'c')], 'leave out the line numbers'],
  [
    'outside its range',
    'x\ny\n',
    [edit('y', 'z', { startLine: 1, endLine: 1 })],
    'in the given lines; it is at line 2',
  ],
  ['empty target', 'a', [edit('', 'b')], 'TargetContent is empty'],
  ['no change', 'a', [edit('a', 'a')], 'are the same'],
  ['overlapping edits', 'abc', [edit('ab', 'x'), edit('bc', 'y')], 'two replacements overlap at line 1'],
])('edit refused: %s', (_, text, edits, message) => {
  expect(() => applyEdits(text, edits)).toThrow(message);
});

test('an edit of any text changes exactly the place, whatever the line ends', () => {
  const piece = array(constantFrom('a', 'b', '\n', '\r\n', 'é')).map((parts) => parts.join(''));
  assert(
    property(piece, piece, (before, after) => {
      const text = `${before}<<X>>${after}`;
      expect(applyEdits(text, [edit('<<X>>', 'Y')]).text).toBe(`${before}Y${after}`);
    }),
  );
});

test('replace_file_content keeps mode, encoding and line ends, and leaves no other file behind', async () => {
  const bench = createBench();
  const path = bench.write('run.sh', Buffer.from('\uFEFFa\r\ngrün\r\n'));
  chmodSync(path, 0o750);
  const outcome = await bench.run('replace_file_content', {
    TargetFile: path,
    TargetContent: 'a\ngrün',
    ReplacementContent: 'b\nblau',
  });
  expect(outcome).toEqual({ isError: false, output: `${path}: replaced in 1 place (line 1)` });
  expect(readFileSync(path)).toEqual(Buffer.from('\uFEFFb\r\nblau\r\n'));
  expect(statSync(path).mode & 0o777).toBe(0o750);
  expect(readdirSync(bench.root)).toEqual(['run.sh']);
});

test.each(['utf16le', 'latin1'] as const)('a %s file stays in its encoding', async (encoding) => {
  const bench = createBench();
  const mark = encoding === 'utf16le' ? '\uFEFF' : '';
  const path = bench.write('a.txt', Buffer.from(`${mark}grün 1\n`, encoding));
  await bench.run('replace_file_content', { TargetFile: path, TargetContent: '1', ReplacementContent: 'ß' });
  expect(readFileSync(path)).toEqual(Buffer.from(`${mark}grün ß\n`, encoding));
});

test('a character that the old encoding lacks is refused and nothing is written', async () => {
  const bench = createBench();
  const bytes = Buffer.from('gr\xfcn', 'latin1');
  const path = bench.write('a.txt', bytes);
  const outcome = await bench.run('replace_file_content', {
    TargetFile: path,
    TargetContent: 'gr',
    ReplacementContent: '€',
  });
  expect(outcome.errorMessage).toContain('convert the file to UTF-8 first');
  expect(readFileSync(path)).toEqual(bytes);
});

test('multi_replace_file_content does all or nothing', async () => {
  const bench = createBench();
  const path = bench.write('a.txt', 'one two three');
  const chunk = (TargetContent: string, ReplacementContent: string) => ({
    TargetContent,
    ReplacementContent,
  });
  const bad = await bench.run('multi_replace_file_content', {
    TargetFile: path,
    ReplacementChunks: [chunk('one', '1'), chunk('four', '4')],
  });
  expect(bad).toMatchObject({ isError: true });
  expect(readFileSync(path, 'utf8')).toBe('one two three');
  const good = await bench.run('multi_replace_file_content', {
    TargetFile: path,
    ReplacementChunks: [chunk('three', '3'), chunk('one', '1')],
  });
  expect(good.output).toContain('replaced in 2 places');
  expect(readFileSync(path, 'utf8')).toBe('1 two 3');
});

test('two edits of one file at the same time are both kept', async () => {
  const bench = createBench();
  const path = bench.write('a.txt', 'one two');
  const calls = await Promise.all([
    bench.prepare('replace_file_content', {
      TargetFile: path,
      TargetContent: 'one',
      ReplacementContent: '1',
    }),
    bench.prepare('replace_file_content', {
      TargetFile: path,
      TargetContent: 'two',
      ReplacementContent: '2',
    }),
  ]);
  await Promise.all(calls.map((call) => call.run({ signal })));
  expect(readFileSync(path, 'utf8')).toBe('1 2');
});

test('write_to_file makes folders, honours the umask, and refuses to overwrite unasked', async () => {
  const bench = createBench();
  const path = join(bench.root, 'new/deep/a.txt');
  const made = await bench.run('write_to_file', { TargetFile: path, CodeContent: 'grün' });
  expect(made).toEqual({ isError: false, output: `${path} was created (5 bytes)` });
  expect(statSync(path).mode & 0o777).toBe(0o666 & ~process.umask());
  expect(statSync(join(bench.root, 'new')).mode & 0o777).toBe(0o777 & ~process.umask());
  const again = await bench.run('write_to_file', { TargetFile: path, CodeContent: 'x' });
  expect(again.errorMessage).toBe(
    `${path} exists already; set Overwrite to replace all of it, or edit it in part`,
  );
  expect(readFileSync(path, 'utf8')).toBe('grün');
  expect(readdirSync(join(bench.root, 'new/deep'))).toEqual(['a.txt']);
});

test('an overwritten file keeps mode and CRLF ends', async () => {
  const bench = createBench();
  const path = bench.write('a.bat', 'a\r\nb\r\n');
  chmodSync(path, 0o700);
  const outcome = await bench.run('write_to_file', {
    TargetFile: path,
    CodeContent: 'c\nd\n',
    Overwrite: true,
  });
  expect(outcome.output).toContain('its CRLF line ends were kept');
  expect(readFileSync(path, 'utf8')).toBe('c\r\nd\r\n');
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

test('an empty file is made only when asked for', async () => {
  const bench = createBench();
  await expect(bench.prepare('write_to_file', { TargetFile: 'a' })).rejects.toThrow('CodeContent is missing');
  await bench.run('write_to_file', { TargetFile: 'a', EmptyFile: true });
  expect(readFileSync(join(bench.root, 'a'), 'utf8')).toBe('');
});

test.each([
  ['a folder', 'sub', 'is a folder'],
  ['a path below a file', 'file/x', 'ENOTDIR'],
  ['a binary file', 'binary', 'is a binary file'],
])('writing %s is an error that names the cause', async (_, name, message) => {
  const bench = createBench();
  bench.write('sub/x', '');
  bench.write('file', 'text');
  bench.write('binary', Buffer.from([0, 1, 2]));
  const outcome = await bench.run('write_to_file', { TargetFile: name, CodeContent: 'x', Overwrite: true });
  expect(outcome.isError).toBe(true);
  expect(outcome.errorMessage).toContain(message);
});

test('a file that came up between check and write is not overwritten', async () => {
  const bench = createBench();
  const path = join(bench.root, 'a.txt');
  const call = await bench.prepare('write_to_file', { TargetFile: path, CodeContent: 'mine' });
  writeFileSync(path, 'theirs');
  expect((await call.run({ signal })).isError).toBe(true);
  expect(readFileSync(path, 'utf8')).toBe('theirs');
  expect(existsSync(join(bench.root, 'b.txt'))).toBe(false);
});
