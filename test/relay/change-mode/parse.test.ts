import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseEdits } from '../../../src/relay/change-mode/parse.ts';

function edit(header: string, old: string, replacement: string, fence = '```'): string {
  const body = (text: string): string => (text === '' ? '' : `${text}\n`);
  return `${header}\n${fence}\nOLD:\n${body(old)}NEW:\n${body(replacement)}${fence.replace(/[^`~].*$/, '')}\n`;
}

/** Path, line, old and new of each edit, by its first reading. */
function read(reply: string): unknown[] {
  const parsed = parseEdits(reply);
  expect(parsed.problems).toEqual([]);
  return parsed.edits.map((e) => [e.path, e.line, e.readings[0]?.old, e.readings[0]?.new]);
}

test('the form of the tool reference', () => {
  const reply = `Here you are.

**FILE: src/utils/helper.js:100**
\`\`\`
OLD:
function getMessage() {
  return "Hello World";
}
NEW:
function getMessage() {
  return "Hello Universe!";
}
\`\`\`

That is all.`;
  expect(read(reply)).toEqual([
    [
      'src/utils/helper.js',
      100,
      'function getMessage() {\n  return "Hello World";\n}',
      'function getMessage() {\n  return "Hello Universe!";\n}',
    ],
  ]);
});

describe('TRAP 4.2: headers and fences as models write them', () => {
  test.each([
    ['a language', edit('**FILE: a.ts:1**', 'x', 'y', '```ts')],
    ['four backticks', edit('**FILE: a.ts:1**', 'x', 'y', '````')],
    ['tildes', edit('**FILE: a.ts:1**', 'x', 'y', '~~~')],
    ['a range', edit('**FILE: a.ts:1-4**', 'x', 'y')],
    ['a range with a long dash', edit('**FILE: a.ts:1–4**', 'x', 'y')],
    ['a fragment', edit('**FILE: a.ts#L1-L4**', 'x', 'y')],
    ['a column', edit('**FILE: a.ts:1:7**', 'x', 'y')],
    ['a reversed range', edit('**FILE: a.ts:1-0**', 'x', 'y')],
    ['a heading', edit('### FILE: a.ts:1', 'x', 'y')],
    ['a list entry', edit('1. **FILE: a.ts:1**', 'x', 'y')],
    ['no stars', edit('FILE: a.ts:1', 'x', 'y')],
    ['stars around the word', edit('**FILE:** a.ts:1', 'x', 'y')],
    ['a path in backticks', edit('**FILE: `a.ts`:1**', 'x', 'y')],
    ['all in backticks', edit('**FILE: `a.ts:1`**', 'x', 'y')],
    ['blank lines', edit('**FILE: a.ts:1**\n\n', 'x', 'y')],
    ['CRLF', edit('**FILE: a.ts:1**', 'x', 'y').replaceAll('\n', '\r\n')],
    [
      'bold markers',
      edit('**FILE: a.ts:1**', 'x', 'y').replace('OLD:', '**OLD:**').replace('NEW:', '**NEW:**'),
    ],
    ['markers outside of blocks', '**FILE: a.ts:1**\nOLD:\n```ts\nx\n```\nNEW:\n```ts\ny\n```\n'],
    ['no fence', '**FILE: a.ts:1**\nOLD:\nx\nNEW:\ny\n'],
  ])('%s', (_name, reply) => {
    expect(read(reply)).toEqual([['a.ts', 1, 'x', 'y']]);
  });

  test('no line number, blanks and drives in paths, unicode', () => {
    expect(read(edit('**FILE: a.ts**', 'x', 'y'))).toEqual([['a.ts', undefined, 'x', 'y']]);
    expect(read(edit('**FILE: my dir/ä b.ts:3**', 'ü', '合니다😀'))).toEqual([
      ['my dir/ä b.ts', 3, 'ü', '合니다😀'],
    ]);
    expect(read(edit('**FILE: C:\\x\\a.ts:3**', 'x', 'y'))).toEqual([['C:\\x\\a.ts', 3, 'x', 'y']]);
  });
});

test('TRAP 4.2: an empty NEW or OLD does not swallow the edit behind it', () => {
  const reply =
    edit('**FILE: a.ts:1**', 'x', '') +
    edit('**FILE: b.ts:2**', '', 'y') +
    edit('**FILE: c.ts:3**', 'p', 'q');
  expect(read(reply)).toEqual([
    ['a.ts', 1, 'x', ''],
    ['b.ts', 2, '', 'y'],
    ['c.ts', 3, 'p', 'q'],
  ]);
});

test('TRAP 4.2: code that holds fences is not cut there', () => {
  const old = 'Run:\n```sh\nnpm i\n```\nDone.';
  const replacement = 'Run:\n```sh\nnpm ci\n```\nDone.';
  const after = 'And now try it:\n\n```sh\nnpm test\n```\n';
  expect(read(`${edit('**FILE: a.md:1**', old, replacement)}\n${after}`)).toEqual([
    ['a.md', 1, old, replacement],
  ]);
  const bare = '```\ncode\n```';
  expect(read(edit('**FILE: a.md:1**', bare, `${bare}\nmore`) + edit('**FILE: b.ts:2**', 'p', 'q'))).toEqual([
    ['a.md', 1, bare, `${bare}\nmore`],
    ['b.ts', 2, 'p', 'q'],
  ]);
  const inner = edit('**FILE: inner.ts:9**', 'p', 'q').trimEnd();
  expect(read(edit('**FILE: doc.md:1**', 'x', inner, '````'))).toEqual([['doc.md', 1, 'x', inner]]);
});

test('TRAP 4.2: a line NEW: within the old text gives a second reading', () => {
  const parsed = parseEdits(edit('**FILE: a.md:1**', 'one\nNEW:\ntwo', 'three'));
  expect(parsed.edits[0]?.readings).toEqual([
    { old: 'one', new: 'two\nNEW:\nthree' },
    { old: 'one\nNEW:\ntwo', new: 'three' },
  ]);
});

test('what looks like an edit and is none is told, not guessed at', () => {
  expect(parseEdits('**FILE: a.ts:1**\n```\nOLD:\nx\nNEW:\nhalf of it').problems).toEqual([
    'a.ts: the reply ends within this edit',
  ]);
  expect(parseEdits('**FILE: a.ts:1**\n```\nOLD:\nx\n```\n').problems).toEqual([
    'a.ts: the edit has no NEW: part',
  ]);
  expect(parseEdits(edit('**FILE: :12**', 'x', 'y')).problems).toEqual(['Edit missing filename']);
  const open = '**FILE: a.ts:1**\n```\nOLD:\nx\nNEW:\ny\n\n';
  expect(read(open + edit('**FILE: b.ts:1**', 'p', 'q'))).toEqual([
    ['a.ts', 1, 'x', 'y'],
    ['b.ts', 1, 'p', 'q'],
  ]);
  expect(parseEdits('FILE: is a word. No edits are needed.')).toEqual({ edits: [], problems: [] });
});

const line = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '```',
    '```ts',
    '````',
    '~~~',
    'x',
    '  indented',
    'OLD',
    '**',
    '# FILE',
    'é 合 😀',
    '`a` ``b``',
  ),
  fc.string({ maxLength: 12 }).map((text) => text.replaceAll(/[\r\n]/g, ' ')),
);
const text = fc.array(line, { maxLength: 6 }).map((lines) => lines.join('\n'));

test('property: what a model writes with a long enough fence is read back exactly', () => {
  const model = fc.record({
    path: fc.constantFrom('a.ts', 'src/b c.ts', 'ä.md'),
    line: fc.integer({ min: 1, max: 99_999 }),
    old: text,
    new: text,
  });
  fc.assert(
    fc.property(fc.array(model, { minLength: 1, maxLength: 5 }), fc.boolean(), (edits, crlf) => {
      const usable = edits.filter((e) => !/^\s{0,3}(?:\*\*)?NEW/m.test(`${e.old}\n${e.new}`));
      const reply = usable
        .map(
          (e) =>
            `Some words.\n\n**FILE: ${e.path}:${e.line}**\n\`\`\`\`\`\nOLD:\n${e.old}\nNEW:\n${e.new}\n\`\`\`\`\`\n`,
        )
        .join('\n');
      const parsed = parseEdits(crlf ? reply.replaceAll('\n', '\r\n') : reply);
      expect(parsed.problems).toEqual([]);
      expect(parsed.edits.map((e) => ({ path: e.path, line: e.line, ...e.readings.at(-1) }))).toEqual(
        usable.map((e) => ({ path: e.path, line: e.line, old: e.old, new: e.new })),
      );
    }),
    { numRuns: 500 },
  );
});

test('property: any text is read without an error, and every edit comes from it', () => {
  const piece = fc.constantFrom(
    '**FILE: a.ts:1**',
    'FILE: b',
    '**FILE: :1**',
    '```',
    '````',
    '~~~~',
    '```js',
    'OLD:',
    'NEW:',
    '**NEW:**',
    '',
    'code',
    '  deep',
    '---',
    '\r',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const reply = pieces.join('\n');
      const { edits } = parseEdits(reply);
      for (const parsed of edits) {
        expect(parsed.readings.length).toBeGreaterThan(0);
        for (const reading of parsed.readings) {
          expect(reply.replaceAll('\r\n', '\n')).toContain(reading.old);
          expect(reply.replaceAll('\r\n', '\n')).toContain(reading.new);
        }
      }
    }),
    { numRuns: 2000 },
  );
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (reply) => void parseEdits(reply)),
    { numRuns: 500 },
  );
});

test('row 32: long hostile replies take no unbounded time', () => {
  const header = '**FILE: a.ts:1**\n```\nOLD:\n';
  for (const reply of [
    header.repeat(20_000),
    `FILE: ${' '.repeat(500_000)}x`,
    `${header}${'```\n'.repeat(50_000)}`,
    `**FILE: a**\n${'`'.repeat(300_000)}`,
    `OLD:${' '.repeat(500_000)}x`,
  ]) {
    const began = performance.now();
    parseEdits(reply);
    // Quadratic patterns would take minutes.
    expect(performance.now() - began).toBeLessThan(20_000);
  }
});
