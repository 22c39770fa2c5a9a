import { appendFileSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createAgyBackend } from '../../../src/backends/agy/agy.ts';
import { readTranscriptTurn } from '../../../src/backends/agy/last-turn.ts';
import { listAgyConversations } from '../../../src/backends/agy/transcript.ts';
import { runInvocation } from '../run-invocation.ts';
import { bareEnvironment, STAND_IN, testFolder } from '../support.ts';

const user = (content: string) => ({ source: 'USER_EXPLICIT', type: 'USER_INPUT', status: 'DONE', content });
const model = (content: string, more: object = {}) => ({
  source: 'MODEL',
  type: 'PLANNER_RESPONSE',
  status: 'DONE',
  content,
  ...more,
});

function store() {
  const environment = { HOME: testFolder() };
  const root = join(environment.HOME, '.gemini', 'antigravity-cli');
  return {
    environment,
    /** Writes a transcript; `minute` is when it was last written. */
    transcript: (id: string, entries: unknown[], minute = 100): string => {
      const file = join(root, 'brain', id, '.system_generated', 'logs', 'transcript.jsonl');
      mkdirSync(dirname(file), { recursive: true });
      const lines = entries.map((entry) => (typeof entry === 'string' ? entry : JSON.stringify(entry)));
      writeFileSync(file, `${lines.join('\n')}\n`);
      for (const path of [file, dirname(file)]) utimesSync(path, minute * 60, minute * 60);
      return file;
    },
    cache: (entries: Record<string, string>): void => {
      mkdirSync(join(root, 'cache'), { recursive: true });
      writeFileSync(join(root, 'cache', 'last_conversations.json'), JSON.stringify(entries));
    },
    root,
  };
}

test.each<[string, unknown[], string | undefined]>([
  ['the last turn alone', [user('a'), model('1'), user('b'), model('2'), model('3')], '2\n\n3'],
  [
    'finished entries of the model with text',
    [
      user('a'),
      model('no', { status: 'RUNNING' }),
      model('no', { source: 'SYSTEM' }),
      model('no', { type: 'CHECKPOINT' }),
      model(' '),
      model('yes'),
    ],
    'yes',
  ],
  ['past lines that cannot be read', [user('a'), '{"broken', '', '[]', model('yes'), 'junk'], 'yes'],
  ['nothing when the turn has no answer', [user('a'), model('1'), user('b')], undefined],
  ['nothing of an empty transcript', [], undefined],
])('the reply of a transcript: %s', async (_, entries, reply) => {
  const { environment, transcript } = store();
  transcript('c', entries);
  expect((await readTranscriptTurn(environment, 'c', 0))?.reply).toBe(reply);
});

test('a transcript of before the run gives nothing, one that grew in it does', async () => {
  const { environment, transcript } = store();
  const file = transcript('c', [user('old'), model('old answer')], 100);
  const since = 101 * 60_000;
  await expect(readTranscriptTurn(environment, 'c', since)).resolves.toBeUndefined();
  appendFileSync(file, `${JSON.stringify(user('new'))}\n${JSON.stringify(model('new answer'))}\n`);
  await expect(readTranscriptTurn(environment, 'c', since)).resolves.toEqual({
    prompt: 'new',
    reply: 'new answer',
  });
});

test.each(['', 'missing', '../c', '..', 'a/../c'])('the id %j has no transcript', async (id) => {
  const { environment, transcript } = store();
  transcript('c', [user('a'), model('1')]);
  await expect(readTranscriptTurn(environment, id, 0)).resolves.toBeUndefined();
});

test('conversations: sorted by what was written last, with folder and first prompt', async () => {
  const { environment, transcript, cache, root } = store();
  transcript(
    'old',
    [user('<USER_REQUEST>\nfirst of old\n</USER_REQUEST>\n<EXTRA>x</EXTRA>'), model('1'), user('second')],
    10,
  );
  transcript(
    'new',
    [{ type: 'CHECKPOINT' }, user(`<USER_REQUEST>\nlong ${'é'.repeat(60_000)}</USER_REQUEST>`)],
    30,
  );
  const grown = transcript('grown', [user('plain')], 20);
  utimesSync(grown, 40 * 60, 40 * 60);
  const database = join(root, 'conversations', 'no-text.db');
  mkdirSync(join(root, 'brain', 'no-text', '.system_generated', 'logs'), { recursive: true });
  mkdirSync(dirname(database), { recursive: true });
  utimesSync(join(root, 'brain', 'no-text', '.system_generated', 'logs'), 60, 60);
  writeFileSync(database, '');
  utimesSync(database, 50 * 60, 50 * 60);
  mkdirSync(join(root, 'brain', 'not-one'));
  cache({ '/work': 'new' });

  const listed = await listAgyConversations(environment, 100);
  expect(listed.map(({ conversation_id, lastActiveMs }) => [conversation_id, lastActiveMs / 60_000])).toEqual(
    [
      ['no-text', 50],
      ['grown', 40],
      ['new', 30],
      ['old', 10],
    ],
  );
  expect(listed[0]).not.toHaveProperty('firstPrompt');
  expect(listed[1]).toMatchObject({ firstPrompt: 'plain' });
  expect(listed[2]).toMatchObject({ workspace: '/work' });
  expect(listed[2]?.firstPrompt).toMatch(/^long é{20000}/);
  expect(listed[3]).toEqual({ conversation_id: 'old', lastActiveMs: 600_000, firstPrompt: 'first of old' });
  await expect(listAgyConversations(environment, 2)).resolves.toEqual(listed.slice(0, 2));
});

test('no store is no conversations, a broken cache no obstacle', async () => {
  const { environment, transcript, cache, root } = store();
  await expect(listAgyConversations(environment, 10)).resolves.toEqual([]);
  transcript('c', [user('a')]);
  cache({});
  writeFileSync(join(root, 'cache', 'last_conversations.json'), '{"half');
  await expect(listAgyConversations(environment, 10)).resolves.toHaveLength(1);
});

test('what a run of agy leaves behind is found', async () => {
  const agy = createAgyBackend({ forRelay: true });
  const environment = bareEnvironment(testFolder(), { AGY_MCP_AGY_PATH: STAND_IN });
  const cwd = testFolder();
  const invocation = agy.invoke(
    { prompt: 'hi', cwd, timeoutMs: 60_000 },
    await agy.resolve(environment),
    environment,
  );
  const before = Date.now();
  const { conversationId } = await runInvocation(invocation, environment, testFolder());
  await expect(readTranscriptTurn(environment, conversationId, before)).resolves.toEqual({
    prompt: 'hi',
    reply: 'You said: hi',
  });
  await expect(agy.listConversations(environment, 20)).resolves.toMatchObject([
    { conversation_id: conversationId, workspace: cwd, firstPrompt: 'hi' },
  ]);
});
