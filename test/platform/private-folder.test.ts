import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makePrivateFolder } from '../../src/platform/atomic-file.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'baton-folder-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('makes what is missing, closed to others', () => {
  makePrivateFolder(join(root, 'a', 'b', 'c'));
  for (const folder of ['a', 'a/b', 'a/b/c']) expect(statSync(join(root, folder)).mode & 0o777).toBe(0o700);
});

test('leaves what is there as it is', () => {
  chmodSync(root, 0o755);
  makePrivateFolder(root);
  expect(statSync(root).mode & 0o777).toBe(0o755);
});

test('a file in the way', () => {
  writeFileSync(join(root, 'file'), '');
  expect(() => makePrivateFolder(join(root, 'file'))).toThrow('is not a folder');
  expect(() => makePrivateFolder(join(root, 'file', 'below'))).toThrow('ENOTDIR');
});

test.runIf(process.platform === 'linux')('a file system that makes no folders is no endless search', () => {
  expect(() => makePrivateFolder('/proc/baton/state')).toThrow('ENOENT');
});
