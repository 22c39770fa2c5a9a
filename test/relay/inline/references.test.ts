import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findReferences, type Reference } from '../../../src/relay/inline/references.ts';

function references(prompt: string): Reference[] {
  return [...findReferences(prompt)].filter((reference) => reference !== undefined);
}

/** All readings of all references: name, lines, and the text that belongs to it. */
function readings(prompt: string): string[] {
  return references(prompt).flatMap((reference) =>
    reference.candidates.map(
      (c) =>
        `${c.path}${c.range ? ` lines ${c.range.from}-${c.range.to}` : ''} <${prompt.slice(reference.start, c.end)}>`,
    ),
  );
}

function likely(prompt: string): string[] {
  return references(prompt).map(
    (r) => `${r.likely.path}${r.likely.range ? `:${r.likely.range.from}-${r.likely.range.to}` : ''}`,
  );
}

describe('one of the readings is the name that was meant', () => {
  test.each([
    ['@a.ts', 'a.ts <@a.ts>'],
    ['see @src/a.ts, please', 'src/a.ts <@src/a.ts>'],
    ['see @src/a.ts.', 'src/a.ts <@src/a.ts>'],
    ['what is @src/a.ts?', 'src/a.ts <@src/a.ts>'],
    ['(@src/a.ts)', 'src/a.ts <@src/a.ts>'],
    ['[@src/a.ts](x)', 'src/a.ts <@src/a.ts>'],
    ['`@src/a.ts`', 'src/a.ts <@src/a.ts>'],
    ['"@src/a.ts"', 'src/a.ts <@src/a.ts>'],
    ['“@my file.ts”', 'my file.ts <@my file.ts>'],
    ['"@my file.ts"', 'my file.ts <@my file.ts>'],
    ['@"my file.ts" now', 'my file.ts <@"my file.ts">'],
    ["@'it''", "it <@'it'>"],
    ['@"my file.ts":3-4 now', 'my file.ts lines 3-4 <@"my file.ts":3-4>'],
    ['@my\\ file.ts now', 'my file.ts <@my\\ file.ts>'],
    ['@a\\,b.ts', 'a,b.ts <@a\\,b.ts>'],
    ['**@src/a.ts**', 'src/a.ts <@src/a.ts>'],
    ['_@src/a.ts_', 'src/a.ts <@src/a.ts>'],
    ["@src/a.ts's", 'src/a.ts <@src/a.ts>'],
    ['@a.ts:10-40', 'a.ts lines 10-40 <@a.ts:10-40>'],
    ['@a.ts:10-40, and', 'a.ts lines 10-40 <@a.ts:10-40>'],
    ['@a.ts:10', 'a.ts lines 10-10 <@a.ts:10>'],
    ['@a.ts:10:5', 'a.ts lines 10-10 <@a.ts:10:5>'],
    ['@a.ts#L10-L40', 'a.ts lines 10-40 <@a.ts#L10-L40>'],
    ['@a.ts,@b.ts', 'b.ts <@b.ts>'],
    ['files=@a.ts', 'a.ts <@a.ts>'],
    ['@src/a.tsを読んで', 'src/a.ts <@src/a.ts>'],
    ['（@src/a.ts）', 'src/a.ts <@src/a.ts>'],
    ['@app/[id]/page.tsx', 'app/[id]/page.tsx <@app/[id]/page.tsx>'],
    ['@src\\win\\a.ts', 'src\\win\\a.ts <@src\\win\\a.ts>'],
    ['all of @.', '. <@.>'],
    ['all of @., now', '. <@.>'],
    ['line\n@a.ts\n', 'a.ts <@a.ts>'],
  ])('%s', (prompt, expected) => {
    expect(readings(prompt)).toContain(expected);
  });
});

describe('no reference at all', () => {
  test.each([
    'bob@example.com',
    'pkg@../local',
    'x@~y',
    'Make@12',
    'a @ b',
    '@',
    'snake_@x',
    'git@host:x/y',
    'v1@2',
  ])('%s', (prompt) => {
    expect(readings(prompt)).toEqual([]);
  });
});

test('an ellipsis is never cut down to the folder above', () => {
  expect(readings('@...')).toEqual(['... <@...>']);
  expect(readings('@..')).toEqual(['.. <@..>']);
});

test('the likely reading keeps the brackets of a glob and drops what trails', () => {
  expect(likely('@src/*.{ts,tsx}, and @src/[ab]*.ts? or (@lib/**) **@x/*.ts** @a.ts:1-2.')).toEqual([
    'src/*.{ts,tsx}',
    'src/[ab]*.ts',
    'lib/**',
    'x/*.ts',
    'a.ts:1-2',
  ]);
});

test('property: readings lie in the prompt, in order, behind an @ that stands free', () => {
  const text = fc
    .array(
      fc.constantFrom(
        '@',
        'a',
        '.',
        '..',
        '/',
        ' ',
        '\n',
        '"',
        '`',
        "'",
        '(',
        ')',
        '[',
        ']',
        '\\',
        ':',
        '1',
        '-',
        '*',
        '{',
        ',',
        '}',
        '~',
        'é',
        '😀',
        '\0',
      ),
      { maxLength: 40 },
    )
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, (prompt) => {
      let last = -1;
      for (const reference of references(prompt)) {
        expect(reference.start).toBeGreaterThan(last);
        last = reference.start;
        expect(prompt[reference.start]).toBe('@');
        expect(prompt[reference.start - 1] ?? ' ').not.toMatch(/[a-z0-9.\-/]/);
        for (const candidate of [...reference.candidates, reference.likely]) {
          expect(candidate.end).toBeGreaterThan(reference.start + 1);
          expect(candidate.end).toBeLessThanOrEqual(prompt.length);
          expect(candidate.path).not.toBe('');
          expect(prompt.slice(reference.start, candidate.end)).toContain(candidate.pattern);
        }
      }
    }),
    { numRuns: 2000 },
  );
});
