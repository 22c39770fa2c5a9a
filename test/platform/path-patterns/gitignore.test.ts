import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isIgnored, parseIgnoreFile } from '../../../src/platform/path-patterns/gitignore.ts';
import { makeTree } from '../../relay/support/tree.ts';

/** What git itself leaves out of these paths, all of them files. */
function ignoredByGit(folder: string, paths: string[]): Set<string> {
  try {
    const out = execFileSync(
      'git',
      ['-c', 'core.excludesFile=', 'check-ignore', '--no-index', '-z', '--stdin'],
      {
        cwd: folder,
        input: paths.join('\0'),
        encoding: 'utf8',
      },
    );
    return new Set(out.split('\0').filter((path) => path !== ''));
  } catch (error) {
    // 1 = none of them is ignored.
    if (error instanceof Error && 'status' in error && error.status === 1) return new Set();
    throw error;
  }
}

function ignoredByUs(files: { depth: number; folder: string; text: string }[], path: string): boolean {
  const names = path.split('/');
  for (let count = 1; count <= names.length; count += 1) {
    const folder = names.slice(0, count - 1).join('/');
    const chain = files
      .filter((file) => file.folder === '' || folder === file.folder || folder.startsWith(`${file.folder}/`))
      .map((file) => parseIgnoreFile(file.text, file.depth));
    if (isIgnored(chain, names.slice(0, count), count < names.length)) return true;
  }
  return false;
}

// No name beyond ASCII: git's `?` and `[…]` stand for a byte, ours for a character.
const name = fc.constantFrom('a', 'b', 'ab', 'aab', '.hid', 'x.log', 'a b', '#a', '!a', 'a]', '[a');
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
// No bracket that stays open: in git it never matches, or closes behind a slash.
const piece = fc.constantFrom(
  'a',
  'b',
  '*',
  '**',
  '?',
  '[ab]',
  '[!a]',
  '[a-c]',
  '[[:alpha:]]',
  '*.log',
  'a*',
  '*b',
  '\\#a',
  '\\!a',
  '.hid',
  'é',
  ']',
  'a\\ b',
);
const pattern = fc
  .tuple(
    fc.constantFrom('', '!', '/', '!/'),
    fc.array(piece, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('', '/', ' ', '\\ '),
  )
  .map(([before, pieces, behind]) => `${before}${pieces.join('/')}${behind}`);
const ignoreText = fc
  .array(fc.oneof({ weight: 6, arbitrary: pattern }, fc.constantFrom('', '# note', '   ', '!')), {
    maxLength: 6,
  })
  .map((lines) => lines.join('\n'));

test('ignores what git ignores, nested files included', () => {
  using tree = makeTree();
  execFileSync('git', ['init', '-q'], { cwd: tree.path });
  fc.assert(
    fc.property(
      ignoreText,
      ignoreText,
      fc.uniqueArray(path, { minLength: 1, maxLength: 12 }),
      (top, nested, paths) => {
        writeFileSync(join(tree.path, '.gitignore'), top);
        mkdirSync(join(tree.path, 'a'), { recursive: true });
        writeFileSync(join(tree.path, 'a/.gitignore'), nested);
        const files = [
          { depth: 0, folder: '', text: top },
          { depth: 1, folder: 'a', text: nested },
        ];
        // A path and one beneath it cannot both be files; git only needs the folders above.
        const usable = paths.filter((p) => !paths.some((other) => other.startsWith(`${p}/`)) && p !== 'a');
        const git = ignoredByGit(tree.path, usable);
        for (const p of usable) expect([p, ignoredByUs(files, p)]).toEqual([p, git.has(p)]);
      },
    ),
    { numRuns: 250 },
  );
});

test('a hostile ignore file costs no time', () => {
  // Packages that turn patterns into regular expressions need half a minute and more for each of these.
  const hostile = parseIgnoreFile('**/a/**/a/**/a/**/a/**/a/**/b\n*a*a*a*a*a*a*a*a*b\n', 0);
  const deep = Array.from({ length: 200 }, () => 'a');
  expect(isIgnored([hostile], [...deep, 'c'], false)).toBe(false);
  expect(isIgnored([hostile], ['a'.repeat(250)], false)).toBe(false);
  expect(isIgnored([hostile], [`${'a'.repeat(250)}b`], false)).toBe(true);
});
