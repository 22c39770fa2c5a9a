import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chunkEdits, editSize } from '../../../src/relay/change-mode/chunk.ts';
import type { Edit } from '../../../src/relay/change-mode/edit.ts';
import { renderChunk, totalsOf } from '../../../src/relay/change-mode/render.ts';
import { changeModePrompt, fileWordsToReferences } from '../../../src/relay/change-mode/template.ts';

const one: Edit = {
  path: 'src/utils/helper.js',
  line: 100,
  old: 'return "World";',
  new: 'return "Universe";',
};

function many(count: number, size = 10): Edit[] {
  return Array.from({ length: count }, (_, i) => ({
    path: `f${i % 3}.ts`,
    old: `${i}`.padEnd(size, 'o'),
    new: 'n',
  }));
}

test('one chunk, as the tool reference shows it', () => {
  expect(renderChunk([one], { index: 1, count: 1 }, totalsOf([one]))).toMatchSnapshot();
});

test('a chunk in the middle, with the call for the next one', () => {
  const edits = many(2);
  expect(
    renderChunk(edits, { index: 2, count: 4, cacheKey: '0123abcd' }, totalsOf(many(9))),
  ).toMatchSnapshot();
});

test('TRAP 4.5: one rule for the summary: the first chunk of a set of more than five edits', () => {
  const hasSummary = (total: number, index: number, count: number): boolean =>
    renderChunk(many(2), { index, count, cacheKey: '0123abcd' }, totalsOf(many(total))).startsWith(
      'ChangeMode Summary',
    );
  expect([
    hasSummary(5, 1, 1),
    hasSummary(6, 1, 1),
    hasSummary(6, 1, 2),
    hasSummary(6, 2, 2),
    hasSummary(5, 1, 2),
  ]).toEqual([false, true, true, false, false]);
  expect(renderChunk(many(7), { index: 1, count: 1 }, totalsOf(many(7)))).toMatchSnapshot();
  expect(renderChunk(many(2), { index: 1, count: 2, cacheKey: '0123abcd' }, totalsOf(many(7)))).toContain(
    'ChangeMode Summary (Complete analysis across all chunks):\nTotal edits: 7 (across all chunks)\nFiles affected: 3\n\n- f0.ts: 3 edits\n',
  );
});

/** The code blocks of a Markdown text, read as CommonMark says. */
function blocks(markdown: string): string[] {
  const found: string[] = [];
  let open: { length: number; lines: string[] } | undefined;
  for (const line of markdown.split('\n')) {
    const marks = /^ {0,3}(`{3,})[^`]*$/.exec(line)?.[1];
    if (open && marks && marks.length >= open.length && line.trim() === marks) {
      found.push(open.lines.join('\n'));
      open = undefined;
    } else if (open) open.lines.push(line);
    else if (marks) open = { length: marks.length, lines: [] };
  }
  return found;
}

test('TRAP 4.5 property: no content breaks the blocks', () => {
  const text = fc
    .array(fc.constantFrom('```', '````', '`````x', 'a', '', '### Edit 9: x', '~~~', '  ```'), {
      maxLength: 6,
    })
    .map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(text, text, (old, replacement) => {
      const rendered = renderChunk(
        [{ path: 'a.md', old, new: replacement }],
        { index: 1, count: 1 },
        totalsOf([]),
      );
      expect(blocks(rendered)).toEqual([old, replacement]);
    }),
    { numRuns: 500 },
  );
});

test('property: chunks hold every edit whole, keep the order within a file, and stay within the limit', () => {
  const edit = fc.record({
    path: fc.constantFrom('a', 'b', 'c'),
    old: fc.string({ maxLength: 400 }),
    new: fc.string({ maxLength: 400 }),
  });
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 30 }), fc.integer({ min: 300, max: 3000 }), (edits, limit) => {
      const chunks = chunkEdits(edits, limit);
      expect(chunks.flat()).toHaveLength(edits.length);
      for (const path of ['a', 'b', 'c'])
        expect(chunks.flat().filter((e) => e.path === path)).toEqual(edits.filter((e) => e.path === path));
      for (const chunk of chunks) {
        expect(chunk.length).toBeGreaterThan(0);
        const size = chunk.reduce((sum, e) => sum + editSize(e), 0);
        expect(size <= limit || chunk.length === 1).toBe(true);
      }
    }),
  );
});

test('TRAP 4.1: file: becomes a reference only where a word begins', () => {
  expect(
    fileWordsToReferences('fix file:src/a.ts and (file:b.ts), not Makefile:12, file://x or my-file:y'),
  ).toBe('fix @src/a.ts and (@b.ts), not Makefile:12, file://x or my-file:y');
  expect(changeModePrompt('Rename x in file:src/a.ts')).toMatchSnapshot();
});
