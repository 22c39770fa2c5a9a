import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createBench } from './harness.ts';

test('list_dir shows folders, sizes and links by name', async () => {
  const bench = createBench();
  bench.write('b.txt', '12345');
  bench.write('.hidden', '');
  mkdirSync(join(bench.root, 'a'));
  const { output, displayOutput } = await bench.run('list_dir', { DirectoryPath: bench.root });
  expect(output).toBe(`${bench.root} (3 entries)\n.hidden  0 bytes\na/\nb.txt  5 bytes`);
  expect(displayOutput).toBe('3 entries');
});

test('list_dir of a file is an error', async () => {
  const bench = createBench();
  const path = bench.write('a', '');
  const outcome = await bench.run('list_dir', { DirectoryPath: path });
  expect(outcome).toMatchObject({ isError: true });
  expect(outcome.errorMessage).toContain('ENOTDIR');
});

test('find_by_name follows .gitignore files, the deeper one last', async () => {
  const bench = createBench();
  bench.write('.gitignore', 'build/\n*.log\n');
  bench.write('build/x.ts', '');
  bench.write('a.log', '');
  bench.write('sub/.gitignore', '!keep.log\nlocal.ts\n');
  bench.write('sub/keep.log', '');
  bench.write('sub/local.ts', '');
  bench.write('local.ts', '');
  bench.write('.git/config', '');
  const { output } = await bench.run('find_by_name', { SearchDirectory: bench.root, Type: 'file' });
  expect(output.split('\n')).toEqual([
    `4 found in ${bench.root}`,
    '.gitignore',
    'local.ts',
    'sub/.gitignore',
    'sub/keep.log',
  ]);
});

test('a folder that is ignored can be searched by naming it, and rules from above hold below the root', async () => {
  const bench = createBench();
  bench.write('.gitignore', 'node_modules\n*.log\n');
  bench.write('node_modules/p/index.js', '');
  bench.write('src/a.log', '');
  bench.write('src/a.ts', '');
  const inside = await bench.run('find_by_name', { SearchDirectory: join(bench.root, 'node_modules') });
  expect(inside.output).toContain('p/index.js');
  const below = await bench.run('find_by_name', { SearchDirectory: join(bench.root, 'src') });
  expect(below.output).toBe(`1 found in ${join(bench.root, 'src')}\na.ts`);
});

test.each([
  [{ Pattern: '*.ts' }, ['a.ts', 'src/b.ts', 'src/deep/c.ts']],
  [{ Pattern: 'src/*.ts' }, ['src/b.ts']],
  [{ Pattern: 'src/**/*.ts' }, ['src/b.ts', 'src/deep/c.ts']],
  [{ Pattern: '*', Extensions: ['md', '.json'] }, ['d.json', 'readme.md']],
  [{ Pattern: '*.ts', MaxDepth: 1 }, ['a.ts']],
  [{ Pattern: '*.ts', Excludes: ['src/**'] }, ['a.ts']],
  [{ Pattern: 'deep', Type: 'directory' }, ['src/deep/']],
  [{ Pattern: 'b.ts', FullPath: true }, ['src/b.ts']],
])('find_by_name with %j', async (args, expected) => {
  const bench = createBench();
  for (const name of ['a.ts', 'src/b.ts', 'src/deep/c.ts', 'd.json', 'readme.md']) bench.write(name, '');
  const { output } = await bench.run('find_by_name', { SearchDirectory: bench.root, ...args });
  expect(output.split('\n').slice(1).toSorted()).toEqual(expected);
});

test('find_by_name stops at its limit and says so', async () => {
  const bench = createBench();
  for (let i = 0; i < 520; i++) bench.write(`f${i}`, '');
  const { output } = await bench.run('find_by_name', { SearchDirectory: bench.root });
  expect(output).toContain(`500 or more found in ${bench.root}`);
  expect(output).toContain('narrow the pattern');
});

test.each([
  [{ Query: 'needle' }, ['a.txt:2: a needle here']],
  [{ Query: 'NEEDLE' }, []],
  [{ Query: 'NEEDLE', CaseInsensitive: true }, ['a.txt:2: a needle here']],
  [{ Query: 'n.+?dle\\b', IsRegex: true }, ['a.txt:2: a needle here']],
  [{ Query: '(?i)NEED', IsRegex: true }, ['a.txt:2: a needle here']],
  [{ Query: 'a\\-b', IsRegex: true }, ['sub/b.md:1: a-b']],
  [{ Query: 'n.edle' }, []],
  [{ Query: 'e', Includes: ['*.md'] }, ['sub/b.md:2: e']],
  [{ Query: 'e', Includes: ['sub/**'] }, ['sub/b.md:2: e']],
  [{ Query: 'grün' }, ['latin.txt:1: grün']],
])('grep_search with %j', async (args, expected) => {
  const bench = createBench();
  bench.write('a.txt', 'one\r\na needle here\r\n');
  bench.write('sub/b.md', 'a-b\ne');
  bench.write('latin.txt', Buffer.from('gr\xfcn', 'latin1'));
  bench.write('data.bin', Buffer.from('\0needle'));
  const { output, isError } = await bench.run('grep_search', { SearchPath: bench.root, ...args });
  expect(isError).toBe(false);
  expect(output.split('\n').slice(1)).toEqual(expected);
});

test('grep_search can name files only, search one file, and keeps line numbers over pieces', async () => {
  const bench = createBench();
  const big = bench.write('big.txt', `${'filler line\n'.repeat(60_000)}the needle\n`);
  bench.write('b.txt', 'needle\nneedle\n');
  const names = await bench.run('grep_search', {
    SearchPath: bench.root,
    Query: 'needle',
    MatchPerLine: false,
  });
  expect(names.output).toBe(`3 matching lines in 2 files below ${bench.root}\nb.txt (2)\nbig.txt (1)`);
  const one = await bench.run('grep_search', { SearchPath: big, Query: 'needle$', IsRegex: true });
  expect(one.output).toBe(`1 matching lines in 1 files below ${big}\nbig.txt:60001: the needle`);
});

test('grep_search stops at its limit', async () => {
  const bench = createBench();
  bench.write('a.txt', 'needle\n'.repeat(1000));
  const { output } = await bench.run('grep_search', { SearchPath: bench.root, Query: 'needle' });
  expect(output).toContain('200 or more matching lines');
  expect(output.split('\n')).toHaveLength(202);
});

test('a broken regular expression is refused with its cause', async () => {
  const bench = createBench();
  await expect(bench.prepare('grep_search', { SearchPath: '.', Query: '(', IsRegex: true })).rejects.toThrow(
    /Invalid regular expression/,
  );
});

test('a regular expression that would run for ever is ended, and nothing else is held up meanwhile', async () => {
  const bench = createBench();
  bench.write('a.txt', `fine\n${'a'.repeat(60)}b\n`);
  let ticks = 0;
  const timer = setInterval(() => ticks++, 5);
  const outcome = await bench.run('grep_search', { SearchPath: bench.root, Query: '^(a+)+$', IsRegex: true });
  clearInterval(timer);
  expect(outcome).toMatchObject({ isError: true });
  expect(outcome.errorMessage).toMatch(/takes too long .* line 2\)/);
  expect(ticks).toBeGreaterThan(0);
});

test('a search over many files lets timers run in between, and can be aborted', async () => {
  const bench = createBench();
  for (let i = 0; i < 300; i++) bench.write(`d${i % 20}/f${i}.txt`, 'some text\n'.repeat(3000));
  const controller = new AbortController();
  let ticks = 0;
  const timer = setInterval(() => {
    if (++ticks === 3) controller.abort();
  }, 1);
  const outcome = await bench.run(
    'grep_search',
    { SearchPath: bench.root, Query: 'nowhere|\\bx', IsRegex: true },
    controller.signal,
  );
  clearInterval(timer);
  expect(outcome).toMatchObject({ isError: true, errorMessage: 'interrupted' });
});
