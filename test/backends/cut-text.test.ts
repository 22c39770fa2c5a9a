import { assert, nat, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { readCutText } from '../../src/backends/cut-text.ts';

test.each([
  ['{"a":1,"text":"hello","b":"x"}', 'hello'],
  ['{"text": "a \\"b\\" \\\\ \\n"}', 'a "b" \\ \n'],
  ['{"text":"cut of', 'cut of'],
  ['{"text":"cut \\', 'cut '],
  ['{"text":"cut \\u00', 'cut '],
  ['{"text":"é\\u00e9', 'éé'],
  ['{"other":"text"}', undefined],
  ['{"te', undefined],
])('of %j reads %j', (line, text) => {
  expect(readCutText(line, 'text')).toBe(text);
});

test('wherever a line is cut, what is read is the beginning of the text', () => {
  assert(
    property(string({ unit: 'binary' }), nat(400), (text, cut) => {
      const line = JSON.stringify({ type: 'user', text, more: 1 });
      const read = readCutText(line.slice(0, cut), 'text');
      // A cut between the halves of a pair leaves half a character.
      expect(text.startsWith(read?.replace(/[\ud800-\udbff]$/, '') ?? '')).toBe(true);
      expect(readCutText(line, 'text')).toBe(text);
    }),
  );
});
