import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { REQUIREMENTS } from './requirements.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const ids = new Set(Object.keys(REQUIREMENTS));

/** The requirement ids in the titles of this folder's tests: `test('… (flag-forms, flag-attached)', …)`. */
function idsInTitles(): Set<string> {
  const found = new Set<string>();
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.test.ts'))) {
    const text = readFileSync(`${folder}${name}`, 'utf8');
    for (const [, list = ''] of text.matchAll(
      /test(?:\.each\([\s\S]*?\))?\(\s*['"`][^\n]*\(([a-z0-9, -]+)\)['"`],/g,
    )) {
      for (const id of list.split(',')) found.add(id.trim());
    }
  }
  return found;
}

test('every requirement is held by a test', () => {
  const held = idsInTitles();
  expect([...ids].filter((id) => !held.has(id))).toEqual([]);
});

test('every id in a title is a requirement', () => {
  expect([...idsInTitles()].filter((id) => !ids.has(id))).toEqual([]);
});
