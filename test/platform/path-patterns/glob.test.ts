import { describe, expect, test } from 'vitest';
import {
  advanceGlob,
  canGoOn,
  hasWildcard,
  isGlobMatch,
  parseGlob,
  startGlob,
} from '../../../src/platform/path-patterns/glob.ts';

function matches(pattern: string, path: string): boolean {
  const glob = parseGlob(pattern);
  if (!glob) throw new Error(`no glob: ${pattern}`);
  const state = path.split('/').reduce((s, name) => advanceGlob(glob, s, name), startGlob(glob));
  return isGlobMatch(glob, state);
}

describe('what a glob matches', () => {
  test.each([
    ['*.ts', 'a.ts', true],
    ['*.ts', 'src/a.ts', false],
    ['**/*.ts', 'a.ts', true],
    ['**/*.ts', 'x/y/a.ts', true],
    ['src/**/y', 'src/y', true],
    ['src/**/y', 'src/a/b/y', true],
    ['src/**', 'src/a/b', true],
    ['src/**', 'src', false],
    ['./src/*.ts', 'src/a.ts', true],
    ['src/?.ts', 'src/ab.ts', false],
    ['src/[ab].ts', 'src/b.ts', true],
    ['src/[!ab].ts', 'src/b.ts', false],
    ['src/*.{ts,tsx}', 'src/a.tsx', true],
    ['{src,test}/**/*.ts', 'test/x/a.ts', true],
    ['a{b,{c,d}}e', 'ade', true],
    ['a{b}c', 'a{b}c', true],
    ['*', '.hidden', true],
    ['*.TS', 'a.ts', false],
    ['a\\*.ts', 'a*.ts', true],
    ['a\\*.ts', 'ab.ts', false],
    ['*é*', 'café.txt', true],
    ['?', '😀', true],
  ])('%s on %s: %s', (pattern, path, expected) => {
    expect(matches(pattern, path)).toBe(expected);
  });
});

test('a folder that cannot hold a match is not entered', () => {
  const glob = parseGlob('src/**/*.ts');
  if (!glob) throw new Error('no glob');
  expect(canGoOn(advanceGlob(glob, startGlob(glob), 'src'))).toBe(true);
  expect(canGoOn(advanceGlob(glob, startGlob(glob), 'docs'))).toBe(false);
});

test('TRAP 2.3: many stars neither refuse a glob nor cost time', () => {
  expect(matches('*a*a*a*a*a*a*a*a*a*b', 'a'.repeat(250))).toBe(false);
  expect(matches(`${'**/a/'.repeat(30)}b`, `${'a/'.repeat(200)}c`)).toBe(false);
  expect(parseGlob('{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}')).toBeUndefined();
  expect(parseGlob('*/../../x')).toBeUndefined();
});

test('names that only look like globs', () => {
  expect(hasWildcard('app/(shop)/page.tsx')).toBe(false);
  expect(hasWildcard('a{b}c')).toBe(false);
  expect(hasWildcard('a\\*b')).toBe(false);
  expect(hasWildcard('app/[id]/page.tsx')).toBe(true);
});
