import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { digestOf, isCacheKey, keyFor } from '../../../src/relay/chunk-cache/cache-key.ts';
import { CHUNK_LIFE_MS, createChunkCache } from '../../../src/relay/chunk-cache/chunk-cache.ts';
import { makeTree } from '../support/tree.ts';

function entry(name: string, digest = digestOf(name)) {
  return { digest, root: '/project', sent: [], chunks: [[{ path: 'a.ts', old: name, new: 'x' }]] };
}

test('keeps entries privately, under keys of eight hex digits', () => {
  using tree = makeTree();
  const folder = join(tree.path, 'chunks');
  const cache = createChunkCache(folder);
  const key = cache.put(entry('one'));
  expect(key).toMatch(/^[0-9a-f]{8}$/);
  expect(cache.get(key)?.chunks).toEqual(entry('one').chunks);
  expect(cache.put(entry('one'))).toBe(key);
  expect(readdirSync(folder)).toEqual([`${key}.json`]);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, `${key}.json`)).mode & 0o777).toBe(0o600);
  // TRAP 1.6: a restart does not lose it.
  expect(createChunkCache(folder).get(key)).toBeDefined();
});

test('TRAP 4.6: two answers whose keys collide both stay', () => {
  using tree = makeTree();
  const cache = createChunkCache(join(tree.path, 'chunks'));
  const a = `0123abcd${'0'.repeat(56)}`;
  const b = `0123abcd${'1'.repeat(56)}`;
  const keys = [cache.put(entry('a', a)), cache.put(entry('b', b))];
  expect(keys).toEqual(['0123abcd', keyFor(b, 1)]);
  expect(keys.map((key) => cache.get(key)?.digest)).toEqual([a, b]);
});

test('TRAP 4.6: the digest depends on everything and on no order of names', () => {
  const base = { request: { prompt: 'p', model: 'm' }, root: '/r', sent: [], chunks: [['x']] };
  const digest = digestOf(base);
  expect(digestOf({ chunks: [['x']], sent: [], root: '/r', request: { model: 'm', prompt: 'p' } })).toBe(
    digest,
  );
  for (const other of [
    { ...base, root: '/other' },
    { ...base, request: { prompt: 'p', model: 'n' } },
    { ...base, chunks: [['y']] },
    { ...base, sent: [{ sha256: 'x' }] },
  ])
    expect(digestOf(other)).not.toBe(digest);
});

test('entries expire after ten minutes and at most fifty are kept, the oldest dropped first', () => {
  using tree = makeTree();
  const folder = join(tree.path, 'chunks');
  let now = Date.now();
  const cache = createChunkCache(folder, () => now);
  const key = cache.put(entry('old'));
  now += CHUNK_LIFE_MS + 1;
  expect(cache.get(key)).toBeUndefined();
  expect(existsSync(join(folder, `${key}.json`))).toBe(false);
  const keys = Array.from({ length: 55 }, (_, i) => {
    const made = cache.put(entry(`n${i}`));
    utimesSync(join(folder, `${made}.json`), new Date(now), new Date(now - 100_000 + i * 1000));
    return made;
  });
  expect(keys.map((made) => cache.get(made) !== undefined)).toEqual([
    ...Array.from({ length: 5 }, () => false),
    ...Array.from({ length: 50 }, () => true),
  ]);
});

test('row 7: a key is never a path, and what is not ours is neither served nor removed', () => {
  using tree = makeTree({ 'x.json': '{"secret":1}' });
  const folder = join(tree.path, 'chunks');
  const cache = createChunkCache(folder);
  const key = cache.put(entry('one'));
  for (const bad of ['../x', '../../x', 'ABCDEF01', '0123abc', '0123abcde', '0123abc\n', '']) {
    expect(isCacheKey(bad)).toBe(false);
    expect(cache.get(bad)).toBeUndefined();
  }
  const planted = [
    'not json',
    '{"format":1}',
    JSON.stringify({ format: 1, digest: 'x', createdAt: 1, root: '/', sent: [], chunks: [] }),
  ];
  for (const [index, text] of planted.entries()) {
    const path = join(folder, `0000000${index}.json`);
    writeFileSync(path, text);
    expect(cache.get(`0000000${index}`)).toBeUndefined();
    expect(readFileSync(path, 'utf8')).toBe(text);
  }
  symlinkSync(join(folder, `${key}.json`), join(folder, '0000000f.json'));
  expect(cache.get('0000000f')).toBeUndefined();
  expect(existsSync(join(tree.path, 'x.json'))).toBe(true);
});

test('TRAP 4.6: a folder that others can use is refused, and a failed write reports no key', () => {
  using tree = makeTree({ file: '' });
  const shared = join(tree.path, 'shared');
  mkdirSync(shared);
  chmodSync(shared, 0o777);
  expect(() => createChunkCache(shared).put(entry('x'))).toThrow('open to other users');
  symlinkSync(shared, join(tree.path, 'link'));
  expect(() => createChunkCache(join(tree.path, 'link')).put(entry('x'))).toThrow('is no folder');
  expect(() => createChunkCache(join(tree.path, 'file/chunks')).put(entry('x'))).toThrow('ENOTDIR');
  expect(readdirSync(shared)).toEqual([]);
});
