import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  answerChangeMode,
  type ChangeModeReply,
  replayChunk,
} from '../../../src/relay/change-mode/answer.ts';
import { replayOf } from '../../../src/relay/change-mode/chunk-index.ts';
import { type ChunkCache, createChunkCache } from '../../../src/relay/chunk-cache/chunk-cache.ts';
import { inlineReferences } from '../../../src/relay/inline/inline.ts';
import { makeTree, type Tree } from '../support/tree.ts';

function block(path: string, old: string, replacement: string): string {
  return `**FILE: ${path}:1**\n\`\`\`\`\nOLD:\n${old}\nNEW:\n${replacement}\n\`\`\`\`\n`;
}

interface Bench {
  tree: Tree;
  cache: ChunkCache;
  answer(reply: string, chunkIndex?: unknown): Promise<ChangeModeReply>;
}

/** Three files of 9,000 characters, so that three edits of whole files make three chunks. */
function bench(): Bench & Disposable {
  const tree = makeTree({
    'a.ts': `A${'a'.repeat(9000)}\nrest\n`,
    'b.ts': `B${'b'.repeat(9000)}\n`,
    'c.ts': `C${'c'.repeat(9000)}\n`,
  });
  const cache = createChunkCache(join(tree.path, 'cache'));
  return {
    tree,
    cache,
    async answer(reply, chunkIndex) {
      const { files } = await inlineReferences({
        prompt: '@a.ts @b.ts @c.ts',
        root: tree.path,
        rootKind: 'declared',
        home: '/x',
      });
      return await answerChangeMode({
        reply,
        root: tree.path,
        sent: files,
        request: { prompt: 'p' },
        chunkIndex,
        cache,
      });
    },
    [Symbol.dispose]() {
      tree[Symbol.dispose]();
    },
  };
}

const large = ['a', 'b', 'c']
  .map((n) => block(`${n}.ts`, `${n.toUpperCase()}${n.repeat(9000)}`, `${n}${'x'.repeat(5000)}`))
  .join('\n');

function keyIn(reply: ChangeModeReply): string {
  return /cacheKey="([0-9a-f]{8})"/.exec(reply.body)?.[1] ?? '';
}

test('chunks: the first reply names the call for the next, which needs no model turn', async () => {
  using b = bench();
  const first = await b.answer(large);
  expect(first.body).toMatch(/^\[CHANGEMODE OUTPUT - Chunk 1 of 3\]/);
  expect(first.body).toContain('chunkIndex=2');
  expect(first.body).toContain('There are 2 more chunks containing additional edits.');
  const key = keyIn(first);
  const second = await replayChunk({ key, index: 2, parameter: 'cacheKey' }, b.cache);
  expect(second.body).toContain('### Edit 1: b.ts');
  expect(second.body).toContain('chunkIndex=3');
  const last = await replayChunk({ key, index: 3, parameter: 'cacheKey' }, b.cache);
  expect(last.body).not.toContain('gemini-fetch-chunk');
  expect(last.notices).toEqual([]);
});

test('TRAP 4.7: an index as text counts as a number, also in the call for the next chunk', async () => {
  using b = bench();
  const key = keyIn(await b.answer(large, '2'));
  expect((await b.answer(large, '2')).body).toContain('Chunk 2 of 3');
  const replay = await replayChunk({ key, index: '1', parameter: 'chunkCacheKey' }, b.cache);
  expect(replay.body).toContain('chunkIndex=2');
  expect(replay.body).not.toContain('chunkIndex=11');
});

test('an index outside the range of a fresh answer is the first chunk, with a word', async () => {
  using b = bench();
  for (const index of [4, 0, 1.5, 'x']) {
    const reply = await b.answer(large, index);
    expect(reply.body).toContain('Chunk 1 of 3');
    expect(reply.notices).toEqual([`There is no chunk ${JSON.stringify(index)} of 3; this is the first.`]);
  }
});

test('TRAP 1.6: bad keys, misses and indexes of a replay have their exact texts', async () => {
  using b = bench();
  const key = keyIn(await b.answer(large));
  const texts: Record<string, string> = {};
  for (const [name, asked] of Object.entries({
    'bad key of fetch-chunk': { key: '../../x', index: 1, parameter: 'cacheKey' as const },
    'bad key of ask': { key: 'ABCDEF01', index: 1, parameter: 'chunkCacheKey' as const },
    'key that is no text': { key: 12, index: 1, parameter: 'cacheKey' as const },
    miss: { key: 'deadbeef', index: 1, parameter: 'cacheKey' as const },
    'index 1.5': { key, index: 1.5, parameter: 'cacheKey' as const },
    'index 0': { key, index: 0, parameter: 'cacheKey' as const },
    'index 4': { key, index: 4, parameter: 'cacheKey' as const },
    'index text': { key, index: 'two', parameter: 'chunkCacheKey' as const },
  })) {
    const reply = await replayChunk(asked, b.cache);
    expect(reply.notices).toEqual([]);
    texts[name] = reply.body.replaceAll(key, 'KEY');
  }
  expect(texts).toMatchSnapshot();
});

test('a replay holds the edits against the files as they are then', async () => {
  using b = bench();
  const key = keyIn(await b.answer(large));
  b.tree.write({ 'b.ts': 'something else\n' });
  const gone = await replayChunk({ key, index: 2, parameter: 'cacheKey' }, b.cache);
  expect(gone.body).toBe(
    `Edit validation failed:\nb.ts:1: its OLD text is not in the file\n\n${gone.body.slice(gone.body.indexOf('**Next Step**'))}`,
  );
  expect(gone.notices).toEqual([expect.stringMatching(/^b\.ts is stale: /)]);
  b.tree.write({ 'c.ts': `C${'c'.repeat(9000)}\nmore\n` });
  const changed = await replayChunk({ key, index: 3, parameter: 'cacheKey' }, b.cache);
  expect(changed.body).toContain('### Edit 1: c.ts');
  expect(changed.notices).toEqual([expect.stringMatching(/^c\.ts is stale: /)]);
});

test('decision 26: failing edits are named and left out, the good ones rendered; none at all is no set of edits', async () => {
  using b = bench();
  const some = await b.answer(
    `${block('a.ts', 'rest', 'REST')}\n${block('a.ts', 'nothing', 'x')}\n${block('../x', 'x', 'y')}`,
  );
  expect(some.body).toContain('I have prepared 1 modification for your codebase.');
  expect(some.notices).toEqual([
    'An edit was left out: a.ts:1: its OLD text is not in the file.',
    'An edit was left out: ../x:1: it lies outside the project folder.',
  ]);
  const none = await b.answer(block('a.ts', 'nothing', 'x'));
  expect(none).toEqual({
    body: 'Edit validation failed:\na.ts:1: its OLD text is not in the file',
    notices: [],
  });
  const prose = await b.answer('I would not change anything.');
  expect(prose).toEqual({
    body: "No edits found in Gemini's response. Please ensure Gemini uses the OLD/NEW format. \n\nI would not change anything.",
    notices: [],
  });
});

test('TRAP 4.6: where nothing can be kept, every edit comes at once', async () => {
  using b = bench();
  const broken: ChunkCache = {
    put() {
      throw new Error('disk full');
    },
    get: () => undefined,
  };
  const reply = await answerChangeMode({
    reply: large,
    root: b.tree.path,
    sent: [],
    request: {},
    cache: broken,
  });
  expect(reply.body).toContain('I have prepared 3 modifications');
  expect(reply.notices).toEqual([
    'The edits could not be kept for fetching in chunks (disk full), so all of them are here.',
  ]);
});

test('a replay is asked for by both parameters, with or without changeMode', () => {
  expect(replayOf({ chunkCacheKey: 'x', chunkIndex: 0 })).toEqual({ key: 'x', index: 0 });
  expect(replayOf({ chunkIndex: 2, changeMode: true })).toBeUndefined();
  expect(replayOf({ chunkCacheKey: 'x' })).toBeUndefined();
});
