import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { followLinks, isInside } from '../../../src/agent/tools/resolve-path.ts';
import { createWorkspace } from '../../../src/agent/tools/workspace.ts';
import { createBench } from './harness.ts';

const signal = new AbortController().signal;

test('a request names the real place, whatever the way to it', async () => {
  const bench = createBench();
  writeFileSync(join(bench.outside, 'secret'), 'secret');
  symlinkSync(bench.outside, join(bench.root, 'out'));
  symlinkSync(join(bench.outside, 'not-yet'), join(bench.root, 'dangling'));
  mkdirSync(join(bench.root, 'sub'));
  const asked = async (path: string): Promise<unknown> => {
    const call = await bench.prepare('write_to_file', { TargetFile: path, CodeContent: '' });
    return call.requests;
  };
  const request = (path: string, given: string): unknown => [{ action: 'write_file', path, given }];
  const outside = join(bench.outside, 'secret');
  expect(await asked('../outside/secret')).toEqual(request(outside, outside));
  expect(await asked('sub/../../outside/secret')).toEqual(request(outside, outside));
  expect(await asked('out/secret')).toEqual(request(outside, join(bench.root, 'out/secret')));
  expect(await asked('out/new/deep')).toEqual(
    request(join(bench.outside, 'new/deep'), join(bench.root, 'out/new/deep')),
  );
  expect(await asked('dangling')).toEqual(
    request(join(bench.outside, 'not-yet'), join(bench.root, 'dangling')),
  );
  // What the kernel makes of link/.. (the folder above the link's target) is not what is opened: `..` is taken out first.
  expect(await asked('out/../x')).toEqual(request(join(bench.root, 'x'), join(bench.root, 'x')));
});

test('a workspace that is itself a link counts as the folder it leads to', () => {
  const bench = createBench();
  const link = join(bench.outside, 'link');
  symlinkSync(bench.root, link);
  expect(createWorkspace([link])).toEqual({ folders: [bench.root], base: bench.root });
});

test('links that lead in a circle are an error, not a hang', async () => {
  const bench = createBench();
  symlinkSync(join(bench.root, 'b'), join(bench.root, 'a'));
  symlinkSync(join(bench.root, 'a'), join(bench.root, 'b'));
  await expect(bench.prepare('view_file', { AbsolutePath: 'a' })).rejects.toThrow('ELOOP');
});

test('a neighbour whose name starts like the folder is outside', () => {
  expect(isInside('/work/app', '/work/app')).toBe(true);
  expect(isInside('/work/app/x', '/work/app')).toBe(true);
  expect(isInside('/work/app-old/x', '/work/app')).toBe(false);
  expect(isInside('/anything', '/')).toBe(true);
  expect(followLinks('/')).toBe('/');
});

test('a file exchanged for a link after the check is not read', async () => {
  const bench = createBench();
  const path = bench.write('a.txt', 'mine');
  writeFileSync(join(bench.outside, 'secret'), 'secret');
  const call = await bench.prepare('view_file', { AbsolutePath: path });
  rmSync(path);
  symlinkSync(join(bench.outside, 'secret'), path);
  const outcome = await call.run({ signal });
  expect(outcome.isError).toBe(true);
  expect(outcome.errorMessage).toContain('exchanged for a link');
  expect(outcome.output).not.toContain('secret\n');
});

test('a parent exchanged for a link after the check is not gone through, neither to read nor to write', async () => {
  const bench = createBench();
  bench.write('sub/a.txt', 'mine');
  writeFileSync(join(bench.outside, 'a.txt'), 'secret');
  const calls = await Promise.all([
    bench.prepare('view_file', { AbsolutePath: 'sub/a.txt' }),
    bench.prepare('replace_file_content', {
      TargetFile: 'sub/a.txt',
      TargetContent: 'secret',
      ReplacementContent: 'changed',
    }),
    bench.prepare('write_to_file', { TargetFile: 'sub/new.txt', CodeContent: 'x' }),
    bench.prepare('write_to_file', { TargetFile: 'sub/deep/new.txt', CodeContent: 'x' }),
    bench.prepare('list_dir', { DirectoryPath: 'sub' }),
    bench.prepare('grep_search', { SearchPath: 'sub', Query: 'secret' }),
  ]);
  renameSync(join(bench.root, 'sub'), join(bench.root, 'moved'));
  symlinkSync(bench.outside, join(bench.root, 'sub'));
  for (const call of calls) {
    const outcome = await call.run({ signal });
    expect(outcome.isError).toBe(true);
    expect(outcome.output).not.toContain('secret\n');
  }
  expect(readFileSync(join(bench.outside, 'a.txt'), 'utf8')).toBe('secret');
  expect(existsSync(join(bench.outside, 'new.txt'))).toBe(false);
  expect(existsSync(join(bench.outside, 'deep'))).toBe(false);
});

test('a write through a link in the workspace changes its target and keeps the link', async () => {
  const bench = createBench();
  const target = bench.write('real.txt', 'old');
  symlinkSync(target, join(bench.root, 'link.txt'));
  await bench.run('replace_file_content', {
    TargetFile: 'link.txt',
    TargetContent: 'old',
    ReplacementContent: 'new',
  });
  expect(readFileSync(target, 'utf8')).toBe('new');
  expect(readFileSync(join(bench.root, 'link.txt'), 'utf8')).toBe('new');
});

test('a hard link to a file outside is replaced, not written through', async () => {
  const bench = createBench();
  writeFileSync(join(bench.outside, 'theirs'), 'theirs');
  linkSync(join(bench.outside, 'theirs'), join(bench.root, 'mine'));
  const outcome = await bench.run('write_to_file', {
    TargetFile: 'mine',
    CodeContent: 'mine',
    Overwrite: true,
  });
  expect(outcome.isError).toBe(false);
  expect(readFileSync(join(bench.outside, 'theirs'), 'utf8')).toBe('theirs');
});

test('searches do not go through links, and leave out what is hidden', async () => {
  const hidden: string[] = [];
  const bench = createBench({ isHidden: (path) => hidden.includes(path) });
  writeFileSync(join(bench.outside, 'a.txt'), 'needle');
  symlinkSync(bench.outside, join(bench.root, 'out'));
  symlinkSync(join(bench.outside, 'a.txt'), join(bench.root, 'link.txt'));
  hidden.push(bench.write('private/b.txt', 'needle'), join(bench.root, 'closed'));
  bench.write('closed/c.txt', 'needle');
  bench.write('open.txt', 'needle');
  const { output } = await bench.run('grep_search', { SearchPath: bench.root, Query: 'needle' });
  expect(output).toBe(`1 matching lines in 1 files below ${bench.root}\nopen.txt:1: needle`);
  const found = await bench.run('find_by_name', { SearchDirectory: bench.root, Pattern: '*.txt' });
  expect(found.output).toBe(`2 found in ${bench.root}\nlink.txt\nopen.txt`);
});
