import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checksum, openCodeCache } from '../../../src/platform/chunks/code-cache.ts';

let home: string;
let folder: string;
const data = Buffer.from(Array.from({ length: 20_000 }, (_none, index) => (index * 7) % 256));

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'baton-code-'));
  folder = join(home, '.cache', 'baton', 'code', 'build-1');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const file = (): string => join(folder, 'a.js.bin');

function write(): void {
  openCodeCache(folder).write('a.js', { data, runs: 2, parts: ['x.js', 'y.js'] });
}

function readBack(): unknown {
  return openCodeCache(folder).read('a.js');
}

describe('the code cache', () => {
  it('gives back what was written, in private files', () => {
    expect(readBack()).toBeUndefined();
    write();
    expect(readBack()).toEqual({ data, runs: 2, parts: ['x.js', 'y.js'] });
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['a.js.bin']);
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['whose end is zeros, as after a crash of the machine', (bytes) => Buffer.from(bytes).fill(0, 8192)],
    ['with one page of zeros', (bytes) => Buffer.from(bytes).fill(0, 4096, 8192)],
    ['that was cut', (bytes) => bytes.subarray(0, 9000)],
    ['that is empty', () => Buffer.alloc(0)],
    ['that is only a header', (bytes) => bytes.subarray(0, 20)],
    ['of another kind', (bytes) => Buffer.concat([Buffer.from('JUNK'), bytes.subarray(4)])],
    ['with something behind it', (bytes) => Buffer.concat([bytes, Buffer.alloc(100)])],
  ])('refuses a file %s', (_what, change) => {
    write();
    writeFileSync(file(), change(readFileSync(file())));
    expect(readBack()).toBeUndefined();
  });

  it('refuses a file and a folder that others may write', () => {
    write();
    chmodSync(file(), 0o620);
    expect(readBack()).toBeUndefined();
    chmodSync(file(), 0o600);
    expect(readBack()).toBeDefined();
    chmodSync(folder, 0o702);
    expect(readBack()).toBeUndefined();
  });

  it('follows no link', () => {
    write();
    symlinkSync(file(), join(folder, 'b.js.bin'));
    expect(openCodeCache(folder).read('b.js')).toBeUndefined();
    const elsewhere = join(home, 'link');
    symlinkSync(folder, elsewhere);
    expect(openCodeCache(elsewhere).read('a.js')).toBeUndefined();
  });

  it('leaves nothing where it cannot or must not write', () => {
    writeFileSync(join(home, '.cache'), 'a file in the way');
    write();
    expect(readFileSync(join(home, '.cache'), 'utf8')).toBe('a file in the way');
    rmSync(join(home, '.cache'));
    chmodSync(home, 0o777);
    write();
    expect(readdirSync(home)).toEqual([]);
  });

  it('keeps the newest few of other builds', () => {
    const code = join(home, '.cache', 'baton', 'code');
    for (let age = 1; age <= 10; age++) {
      mkdirSync(join(code, `old-${age}`), { recursive: true, mode: 0o700 });
      utimesSync(join(code, `old-${age}`), 1_000_000 - age, 1_000_000 - age);
    }
    write();
    expect(readdirSync(code).sort()).toEqual([
      'build-1',
      ...[1, 2, 3, 4, 5, 6, 7, 8].map((age) => `old-${age}`),
    ]);
    expect(readBack()).toBeDefined();
  });
});

describe('checksum', () => {
  it('changes with the length and with the last word', () => {
    const last = Buffer.from(data);
    last[last.length - 1] = 0;
    const sums = [data, last, data.subarray(0, 19_996), Buffer.alloc(0), Buffer.alloc(3)].map(checksum);
    expect(new Set(sums).size).toBe(sums.length);
  });
});
