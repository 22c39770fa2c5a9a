import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Checked, checkEdits } from '../../../src/relay/change-mode/check.ts';
import type { ParsedEdit } from '../../../src/relay/change-mode/edit.ts';
import { inlineReferences } from '../../../src/relay/inline/inline.ts';
import type { InlinedFile } from '../../../src/relay/inline/inlined-file.ts';
import { openRoot } from '../../../src/relay/jail/root.ts';
import { createPace } from '../../../src/relay/pace.ts';
import { makeTree, type Tree } from '../support/tree.ts';

function edit(path: string, old: string, replacement: string, line?: number): ParsedEdit {
  return { path, ...(line !== undefined && { line }), readings: [{ old, new: replacement }] };
}

async function check(tree: Tree, edits: ParsedEdit[], sent: InlinedFile[] = []): Promise<Checked> {
  return await checkEdits(edits, { root: await openRoot(tree.path, '/nowhere'), sent, pace: createPace() });
}

test('TRAP 4.2: OLD must be there, once; the good ones are kept and the failing ones named', async () => {
  using tree = makeTree({
    'a.ts': 'one\ntwo\ntwo\nthree\n',
    'crlf.ts': 'x\r\ny\r\n',
    'nfd.txt': 'e\u0301t\u00e9\n',
    'bin.dat': Uint8Array.from([0xff, 0xfe, 0x80]),
  });
  const checked = await check(tree, [
    edit('a.ts', 'one', 'ONE', 1),
    edit('a.ts', 'two', 'TWO', 2),
    edit('a.ts', 'four', 'FOUR', 9),
    edit('a.ts', 'Three', 'THREE'),
    edit('a.ts', ' three', 'x'),
    edit('./a.ts', 'three', 'three'),
    edit('crlf.ts', 'x\ny', 'X\nY'),
    edit('nfd.txt', 'ét\u00e9', 'x'),
    edit('gone.ts', 'x', 'y'),
    edit('bin.dat', 'x', 'y'),
    edit('a.ts', ' ', '\n'),
    edit('a.ts', '', 'text'),
  ]);
  expect(checked.good).toEqual([
    { path: 'a.ts', line: 1, old: 'one', new: 'ONE' },
    { path: 'crlf.ts', old: 'x\ny', new: 'X\nY' },
  ]);
  expect(checked.failed).toEqual([
    'a.ts:2: its OLD text occurs 2 times in the file (lines 2, 3)',
    'a.ts:9: its OLD text is not in the file',
    'a.ts: its OLD text is not in the file (it is there in other case)',
    'a.ts: its OLD text is not in the file (it is there with other white space)',
    './a.ts: it changes nothing',
    'nfd.txt: its OLD text is not in the file (it is there in another Unicode form of the same characters)',
    'gone.ts: there is no such file',
    'bin.dat: it is no UTF-8 text',
    'a.ts: Empty edit for a.ts',
    'a.ts: its OLD text is empty, but the file has content: it does not say where the new text goes',
  ]);
});

test('TRAP 4.2: edits that overlap, repeat one another or disturb one another fail', async () => {
  using tree = makeTree({ 'a.ts': 'alpha\nbeta\ngamma\n' });
  const checked = await check(tree, [
    edit('a.ts', 'alpha\nbeta', 'A\ngamma', 1),
    edit('a.ts', 'beta\ngamma', 'B', 2),
    edit('a.ts', 'alpha\nbeta', 'A\ngamma', 1),
    edit('a.ts', 'gamma', 'G', 3),
  ]);
  expect(checked.good).toHaveLength(1);
  expect(checked.failed).toEqual([
    'a.ts:2: it overlaps the edit at a.ts:1',
    'a.ts:1: it overlaps the edit at a.ts:1',
    'a.ts:3: its OLD text would no longer occur exactly once after the edits before it',
  ]);
});

test('TRAP 4.2: paths outside the root, through links, into version control data', async () => {
  using outside = makeTree({ 'x.txt': 'x' });
  using tree = makeTree({ '.git/config': 'x', 'a.txt': 'x', 'sub/b.txt': 'x' });
  tree.link({
    'link.txt': join(outside.path, 'x.txt'),
    way: outside.path,
    'dangling.txt': '/nowhere/at/all',
    inner: 'sub',
  });
  const checked = await check(tree, [
    edit('../x.txt', 'x', 'y'),
    edit(join(outside.path, 'x.txt'), 'x', 'y'),
    edit('link.txt', 'x', 'y'),
    edit('way/new.txt', '', 'y'),
    edit('gone/../../new.txt', '', 'y'),
    edit('dangling.txt', '', 'y'),
    edit('.git/config', 'x', 'y'),
    edit('.git/hooks/post-checkout', '', 'y'),
    edit('sub', 'x', 'y'),
    edit('a.txt/b.txt', '', 'y'),
    edit('inner/b.txt', 'x', 'y'),
    edit(join(tree.path, 'a.txt'), 'x', 'y'),
    edit('sub/new/c.txt', '', 'y'),
  ]);
  expect(checked.failed.map((text) => text.slice(text.indexOf(': ') + 2).replace(/".*/, '…'))).toEqual([
    'it lies outside the project folder',
    'it lies outside the project folder',
    'it lies outside the project folder',
    'it lies outside the project folder',
    'it lies outside the project folder',
    'it is a link to nothing',
    'it is version control data',
    'it is version control data',
    'it is a folder',
    '…',
  ]);
  expect(checked.good.map((good) => good.path)).toEqual(['sub/b.txt', 'a.txt', 'sub/new/c.txt']);
});

test('new files: once each, and an empty file can be filled', async () => {
  using tree = makeTree({ 'empty.ts': '' });
  const checked = await check(tree, [
    edit('new.ts', '', 'text'),
    edit('new.ts', '', 'other'),
    edit('empty.ts', '', 'text'),
    edit('none.ts', 'old', 'x'),
  ]);
  expect(checked.good.map((good) => [good.path, good.old])).toEqual([
    ['new.ts', ''],
    ['empty.ts', ''],
  ]);
  expect(checked.failed).toEqual([
    'new.ts: an earlier edit makes this file already',
    'none.ts: there is no such file',
  ]);
});

test('of several readings the longest that fits the file is taken, and blank lines for looks do not matter', async () => {
  using tree = makeTree({ 'a.md': 'one\nNEW:\ntwo\n', 'b.md': 'one\n' });
  const readings = [
    { old: 'one', new: 'two\nNEW:\nthree' },
    { old: 'one\nNEW:\ntwo', new: 'three' },
  ];
  const checked = await check(tree, [
    { path: 'a.md', readings },
    { path: 'b.md', readings },
    edit('a.md', '\nNEW:\n\n', '\nX\n'),
  ]);
  expect(checked.good).toEqual([
    { path: 'a.md', old: 'one\nNEW:\ntwo', new: 'three' },
    { path: 'b.md', old: 'one', new: 'two\nNEW:\nthree' },
  ]);
  expect(checked.failed).toEqual(['a.md: it overlaps the edit at a.md']);
  const loose = await check(tree, [edit('b.md', '\none\n\n', '\nONE\n')]);
  expect(loose.good).toEqual([{ path: 'b.md', old: 'one', new: 'ONE' }]);
});

test('a file that changed since it was sent is named stale; an edit that was applied is told apart', async () => {
  using tree = makeTree({ 'a.ts': 'one\ntwo\n', 'b.ts': 'one\n' });
  const { files } = await inlineReferences({
    prompt: '@a.ts @b.ts',
    root: tree.path,
    rootKind: 'declared',
    home: '/nowhere',
  });
  expect((await check(tree, [edit('a.ts', 'one', 'ONE')], files)).stale).toEqual([]);
  tree.write({ 'a.ts': 'ONE\ntwo\n' });
  const checked = await check(
    tree,
    [edit('a.ts', 'one', 'ONE'), edit('a.ts', 'two', 'TWO'), edit('b.ts', 'one', 'ONE')],
    files,
  );
  expect(checked.stale).toEqual(['a.ts']);
  expect(checked.good.map((good) => good.path)).toEqual(['a.ts', 'b.ts']);
  expect(checked.failed).toEqual([
    'a.ts: its OLD text is not in the file, but its NEW text is: it seems to be applied already',
  ]);
});
