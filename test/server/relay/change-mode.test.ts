import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ServerHouse, type Session, script, serverHouse } from '../../support/mcp.ts';
import { callRelay } from '../../support/relay.ts';

let house: ServerHouse;
let session: Session;
beforeAll(async () => {
  house = serverHouse({ GEMINI_MCP_BACKEND: 'agy' });
  session = await house.connect();
});
afterAll(() => house.remove());

function file(name: string, content: string): void {
  mkdirSync(join(house.work, 'src'), { recursive: true });
  writeFileSync(join(house.work, name), content);
}

const edit = (name: string, old: string, next: string, line = 1): string =>
  `**FILE: ${name}:${line}**\n\`\`\`\nOLD:\n${old}\nNEW:\n${next}\n\`\`\`\n`;

/** An answer of so many edits that it comes in chunks. */
function largeAnswer(prefix: string, files: number): string {
  const edits = Array.from({ length: files }, (_, n) => {
    const name = `src/${prefix}-${n}.txt`;
    file(name, `old ${n}\n${'filler\n'.repeat(900)}`);
    return edit(name, `old ${n}`, `new ${n}\n${'more\n'.repeat(900)}`);
  });
  return edits.join('\n');
}

it('gives edits in its own form, bare, with everything else behind them', async () => {
  file('src/hello.js', 'function hello() {\n  return "World";\n}\n');
  const reply = await callRelay(session, 'gemini-ask', {
    prompt: `Greet better in @src/hello.js\n${script(
      { deny: 'write' },
      {
        text: [
          'Here you are.',
          edit('src/hello.js', '  return "World";', '  return "Universe";', 2),
          edit('src/hello.js', '  return "Mars";', '  return "Venus";', 9),
        ].join('\n\n'),
      },
    )}`,
    changeMode: true,
  });
  expect(reply.shown).toMatchSnapshot();
});

it('asks for edits in the template, with file: words as references', async () => {
  file('src/one.ts', 'one\n');
  const reply = await callRelay(session, 'gemini-ask', {
    prompt: `change file:src/one.ts, not Makefile:12\n${script({ about: 1 })}`,
    changeMode: true,
  });
  expect(reply.items[0]).toMatch(/^No edits found in Gemini's response\. Please ensure/);
  expect(reply.items[0]).toContain('[CHANGEMODE INSTRUCTIONS]');
  expect(reply.items[0]).toContain('BEGIN FILE: src/one.ts');
  expect(reply.items[0]).toContain('not Makefile:12');
});

it('refuses edits that do not fit, with the reasons and nothing else', async () => {
  file('src/two.ts', 'two\ntwo\n');
  const reply = await callRelay(session, 'gemini-ask', {
    prompt: `x\n${script({
      text: `${edit('src/two.ts', 'two', '2')}${edit('../out.ts', 'a', 'b')}${edit('src/none.ts', 'a', 'b')}`,
    })}`,
    changeMode: true,
  });
  expect(reply.isError).toBe(false);
  expect(reply.items[0]).toMatchSnapshot();
});

it('comes in chunks that are fetched without a model turn, by either tool, in the same words', async () => {
  const answer = largeAnswer('big', 8);
  const first = await callRelay(session, 'gemini-ask', {
    prompt: `x\n${script({ text: answer })}`,
    changeMode: true,
  });
  const [, key = ''] = /cacheKey="([0-9a-f]{8})" chunkIndex=2/.exec(first.items[0] ?? '') ?? [];
  expect(key).not.toBe('');
  expect(first.items[0]).toMatch(/^ChangeMode Summary/);
  const jobs = await session.call('agy_jobs');
  const second = await callRelay(session, 'gemini-fetch-chunk', { cacheKey: key, chunkIndex: 2 });
  expect(second.items[0]).toMatch(/^\[CHANGEMODE OUTPUT - Chunk 2 of \d\]/);
  const replay = await callRelay(session, 'gemini-ask', {
    prompt: 'again',
    changeMode: true,
    chunkCacheKey: key,
    chunkIndex: '2',
  });
  expect(replay.items).toEqual(second.items);
  const again = await callRelay(session, 'gemini-fetch-chunk', { cacheKey: key, chunkIndex: 1 });
  expect(again.items).toEqual(first.items);
  expect((await session.call('agy_jobs')).value.total).toBe(jobs.value.total);

  // The cache is private, and another server of the same user finds it.
  const folder = join(house.stateDir, 'chunks');
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  const other = await house.connect();
  const there = await callRelay(other, 'gemini-fetch-chunk', { cacheKey: key, chunkIndex: 2 });
  expect(there.items).toEqual(second.items);
  await other.close();

  // A file that changed meanwhile is named, and its edit is held against what it is now.
  const name = /### Edit 1: (\S+)/.exec(second.items[0] ?? '')?.[1] ?? '';
  writeFileSync(join(house.work, name), 'something else\n');
  const stale = await callRelay(session, 'gemini-fetch-chunk', { cacheKey: key, chunkIndex: 2 });
  expect(stale.items.join('\n')).toContain(
    `An edit was left out: ${name}:1: its OLD text is not in the file`,
  );
});

it('a fresh answer gives the chunk that was asked for, or the first one and says so', async () => {
  const answer = largeAnswer('fresh', 8);
  const ask = (chunkIndex: unknown) =>
    callRelay(session, 'gemini-ask', {
      prompt: `x\n${script({ text: answer })}`,
      changeMode: true,
      chunkIndex,
    });
  expect((await ask(2)).items[0]).toContain('Chunk 2 of');
  const outside = await ask(99);
  expect(outside.items[0]).toContain('Chunk 1 of');
  expect(outside.items[1]).toContain('⚠️ There is no chunk 99 of');
});

it('row 7: a key is no path, and every refusal of a chunk is a reply that says what to do', async () => {
  const victim = join(house.folder, 'victim.json');
  writeFileSync(victim, '{not json');
  const shown = async (tool: string, args: Record<string, unknown>): Promise<string> =>
    (await callRelay(session, tool, args)).shown;
  expect(await shown('gemini-fetch-chunk', { cacheKey: '../../victim', chunkIndex: 1 })).toBe(
    '❌ Invalid cacheKey format. Expected 8 lowercase hex characters (got "../../victim").',
  );
  expect(readFileSync(victim, 'utf8')).toBe('{not json');
  expect(
    await shown('gemini-ask', { prompt: 'x', changeMode: true, chunkCacheKey: 'ABC', chunkIndex: 1 }),
  ).toBe('❌ Invalid chunkCacheKey format. Expected 8 lowercase hex characters (got "ABC").');
  expect(await shown('gemini-fetch-chunk', { cacheKey: '0123abcd', chunkIndex: 1 })).toMatchSnapshot('miss');

  const answer = largeAnswer('index', 8);
  const first = await callRelay(session, 'gemini-ask', {
    prompt: `x\n${script({ text: answer })}`,
    changeMode: true,
  });
  const cacheKey = /cacheKey="([0-9a-f]{8})"/.exec(first.items[0] ?? '')?.[1];
  // TRAP 1.6: 1.5 is no index, and no crash.
  for (const chunkIndex of [1.5, 99]) {
    expect(await shown('gemini-fetch-chunk', { cacheKey, chunkIndex })).toMatchSnapshot(
      `index ${chunkIndex}`,
    );
  }
});

it('without changeMode the chunk parameters start a run; with a schema it is refused', async () => {
  const run = await callRelay(session, 'gemini-ask', {
    prompt: script({ text: 'a run' }),
    chunkCacheKey: '0123abcd',
    chunkIndex: 1,
  });
  expect(run.items[0]).toMatch(/^Gemini response:\na run/);
  const both = await callRelay(session, 'gemini-ask', {
    prompt: 'x',
    changeMode: true,
    jsonSchema: { type: 'object' },
  });
  expect(both.shown).toMatchSnapshot();
  expect(existsSync(join(house.work, 'src'))).toBe(true);
});
