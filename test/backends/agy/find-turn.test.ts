import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { findTurn, type TurnSearch } from '../../../src/backends/agy/find-turn.ts';
import { readDatabaseTurn } from '../../../src/backends/agy/sqlite-turn.ts';
import { isFields } from '../../../src/contract/fields.ts';
import { testFolder } from '../support.ts';

const user = (content: string) => ({ source: 'USER_EXPLICIT', type: 'USER_INPUT', status: 'DONE', content });
const model = (content: string) => ({ source: 'MODEL', type: 'PLANNER_RESPONSE', status: 'DONE', content });
const minute = 60_000;

function store() {
  const environment = { HOME: testFolder() };
  const root = join(environment.HOME, '.gemini', 'antigravity-cli');
  const write = (file: string, content: string, at: number): string => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    utimesSync(file, at * 60, at * 60);
    return file;
  };
  return {
    environment,
    transcript: (id: string, entries: unknown[], at: number) =>
      write(
        join(root, 'brain', id, '.system_generated', 'logs', 'transcript.jsonl'),
        entries.map((entry) => JSON.stringify(entry)).join('\n'),
        at,
      ),
    database: (id: string, at: number) => {
      mkdirSync(join(root, 'brain', id, '.system_generated', 'logs'), { recursive: true });
      return write(join(root, 'conversations', `${id}.db`), 'SQLite format 3', at);
    },
    last: (entries: Record<string, string>) =>
      write(join(root, 'cache', 'last_conversations.json'), JSON.stringify(entries), 1),
    search: (changes: Partial<TurnSearch> = {}) =>
      findTurn({
        environment,
        cwd: '/work',
        sinceMs: 100 * minute,
        isOurs: (prompt) => prompt === 'ours',
        ...changes,
      }),
  };
}

test('only a turn with the run’s own prompt counts, however new another one is', async () => {
  const { transcript, last, search } = store();
  transcript('foreign', [user('theirs'), model('not for us')], 120);
  transcript('mine', [user('before'), model('old'), user('ours'), model('for us')], 110);
  last({ '/work': 'foreign' });
  expect(await search()).toEqual({ conversationId: 'mine', reply: 'for us' });
  expect(await search({ isOurs: () => false })).toEqual({ trace: false });
});

test('of two turns with the same prompt the folder’s last conversation is taken first', async () => {
  const { transcript, last, search } = store();
  transcript('newer', [user('ours'), model('elsewhere')], 120);
  transcript('here', [user('ours'), model('here')], 110);
  last({ '/work': 'here' });
  expect(await search()).toEqual({ conversationId: 'here', reply: 'here' });
});

test('a transcript of before the run is none of its, known conversation or not', async () => {
  const { transcript, search } = store();
  transcript('mine', [user('ours'), model('of an earlier run')], 99);
  expect(await search()).toEqual({ trace: false });
  expect(await search({ conversationId: 'mine' })).toEqual({ trace: false });
});

test('a prompt without an answer is a trace: the run had its turn', async () => {
  const { transcript, search } = store();
  transcript('mine', [user('ours')], 110);
  expect(await search()).toMatchObject({
    trace: true,
    conversationId: 'mine',
    problem: expect.stringContaining('no model response found for conversation mine'),
  });
});

test('a known conversation needs no prompt; an odd id is none', async () => {
  const { transcript, search } = store();
  transcript('mine', [user('rewritten by agy'), model('answer')], 110);
  expect(await search({ conversationId: 'mine' })).toEqual({ conversationId: 'mine', reply: 'answer' });
  expect(await search({ conversationId: '../mine' })).toEqual({ trace: false });
});

test('a database of somebody else is no trace of ours', async () => {
  const { database, search } = store();
  database('foreign', 110);
  expect(await search()).toMatchObject({ trace: false });
  expect(await search({ conversationId: 'foreign' })).toMatchObject({
    trace: true,
    problem: expect.stringContaining('SQLite'),
  });
});

const sqlite: unknown = process.getBuiltinModule('node:sqlite');

test.skipIf(sqlite !== undefined)('a database on a Node without SQLite says what would read it', () => {
  const { database } = store();
  const path = database('c', 110);
  expect(readDatabaseTurn(path)).toEqual({
    problem: `agy: transcript is SQLite-only (${path}) but node:sqlite is unavailable. Upgrade to Node >= 22.5, or to an agy that prints its answer (agy update)`,
  });
});

test.skipIf(sqlite === undefined)('a database is read for every text that is a transcript entry', () => {
  const path = join(testFolder(), 'c.db');
  const Database = isFields(sqlite) ? sqlite.DatabaseSync : undefined;
  if (typeof Database !== 'function') throw new TypeError('no DatabaseSync');
  const made: unknown = Reflect.construct(Database, [path]);
  const exec = (sql: string): void => {
    if (isFields(made) && typeof made.exec === 'function') made.exec(sql);
  };
  const quoted = (entry: object): string => `'${JSON.stringify(entry).replaceAll("'", "''")}'`;
  exec(`CREATE TABLE "od""d name" (n INTEGER, payload TEXT, raw BLOB)`);
  exec(
    `INSERT INTO "od""d name" VALUES (1, ${quoted(user('a'))}, x'00'), (2, ${quoted(model('old'))}, NULL)`,
  );
  exec(`INSERT INTO "od""d name" VALUES (3, ${quoted(user("it's ours"))}, NULL), (4, 'no json', NULL)`);
  exec(
    `INSERT INTO "od""d name" VALUES (5, ${quoted(model('one'))}, NULL), (6, ${quoted(model('two'))}, NULL)`,
  );
  if (isFields(made) && typeof made.close === 'function') made.close();
  expect(readDatabaseTurn(path)).toEqual({ prompt: "it's ours", reply: 'one\n\ntwo' });
  const empty = join(testFolder(), 'empty.db');
  writeFileSync(empty, '');
  expect(readDatabaseTurn(empty)).toMatchObject({
    problem: expect.stringContaining('could not extract a model reply from its schema'),
  });
  writeFileSync(empty, 'this is no database at all, whatever its name says');
  expect(readDatabaseTurn(empty)).toMatchObject({ problem: expect.stringContaining('cannot be read') });
});
