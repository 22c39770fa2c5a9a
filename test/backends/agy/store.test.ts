import { mkdirSync, realpathSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import {
  hasAgyConversation,
  latestAgyConversation,
  listAgySessions,
} from '../../../src/backends/agy/store.ts';
import { testFolder } from '../support.ts';

function home(cache?: unknown): { environment: { HOME: string }; file: string; root: string } {
  const folder = testFolder();
  const root = join(folder, '.gemini', 'antigravity-cli');
  const file = join(root, 'cache', 'last_conversations.json');
  if (cache !== undefined) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof cache === 'string' ? cache : JSON.stringify(cache));
  }
  return { environment: { HOME: folder }, file, root };
}

test('no cache and an empty one are no sessions', () => {
  expect(listAgySessions(home().environment)).toEqual([]);
  expect(listAgySessions(home({}).environment)).toEqual([]);
});

test('sessions are sorted by folder', () => {
  const { environment } = home({ '/b': '2', '/a': '1', '/c': '' });
  expect(listAgySessions(environment)).toEqual([
    { workspace: '/a', conversation_id: '1' },
    { workspace: '/b', conversation_id: '2' },
  ]);
});

test('a folder is found through links, dots, a final slash and a relative name', () => {
  const real = testFolder();
  const link = join(testFolder(), 'link');
  symlinkSync(real, link);
  const { environment } = home({ [`${real}/`]: 'x', '/other': 'y' });
  const want = [{ workspace: `${real}/`, conversation_id: 'x' }];
  for (const dir of [
    real,
    `${real}/`,
    link,
    `${real}/../${real.split('/').at(-1)}`,
    relative(process.cwd(), real),
  ]) {
    expect(listAgySessions(environment, dir)).toEqual(want);
    expect(latestAgyConversation(environment, dir)).toBe('x');
  }
  expect(listAgySessions(home({ [link]: 'z' }).environment, realpathSync(real))).toEqual([
    { workspace: link, conversation_id: 'z' },
  ]);
  expect(listAgySessions(environment, '/nowhere')).toEqual([]);
  expect(listAgySessions(environment, '')).toHaveLength(2);
});

test.each(['{"/a":"1"', '', '[]', '{"/a":1}', 'null'])(
  'a cache that stays %j is an error, and no latest',
  (text) => {
    const { environment, file } = home(text);
    expect(() => listAgySessions(environment)).toThrow(`parse conversation cache ${file}: `);
    expect(latestAgyConversation(environment, '/a')).toBeUndefined();
  },
);

test('a read that fell into a rewrite is made again', async () => {
  const text = JSON.stringify({ '/a': '1' });
  const { environment, file } = home(text);
  truncateSync(file, 4);
  // Reading blocks this thread, so another one finishes the rewrite.
  const worker = new Worker(
    `const { workerData } = require('node:worker_threads');
     setTimeout(() => require('node:fs').writeFileSync(workerData.file, workerData.text), 20);`,
    { eval: true, workerData: { file, text } },
  );
  onTestFinished(async () => void (await worker.terminate()));
  await new Promise((resolve) => worker.once('online', resolve));
  expect(listAgySessions(environment)).toEqual([{ workspace: '/a', conversation_id: '1' }]);
});

test('a conversation is known by its database, its older form or its folder', () => {
  const { environment, root } = home();
  expect(hasAgyConversation(environment, 'a')).toBeUndefined();
  mkdirSync(join(root, 'conversations'), { recursive: true });
  mkdirSync(join(root, 'brain', 'c'), { recursive: true });
  writeFileSync(join(root, 'conversations', 'a.db'), '');
  writeFileSync(join(root, 'conversations', 'b.pb'), '');
  for (const id of ['a', 'b', 'c']) expect(hasAgyConversation(environment, id)).toBe(true);
  for (const id of ['d', '', '.', '..', '../brain/c', 'x/../c'])
    expect(hasAgyConversation(environment, id)).toBe(false);
});
