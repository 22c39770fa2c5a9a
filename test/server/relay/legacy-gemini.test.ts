import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { programs } from '../../support/jobs.ts';
import { type ServerHouse, serverHouse } from '../../support/mcp.ts';
import { callRelay } from '../../support/relay.ts';

let house: ServerHouse;
let log: string;
beforeEach(() => {
  house = serverHouse({
    GEMINI_MCP_BACKEND: 'gemini',
    GEMINI_CLI_PATH: join(programs, 'gemini-stand-in.mjs'),
    AGY_MCP_AGY_PATH: undefined,
  });
  log = join(house.folder, 'starts');
  writeFileSync(join(house.work, 'a.ts'), 'const a = 1;\n');
});
afterEach(() => house.remove());

/** The command lines of runs. */
function runs(): string[][] {
  if (!existsSync(log)) return [];
  return readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map((line): string[] => JSON.parse(line).argv)
    .filter((argv) => !argv.includes('--version') && !argv.includes('--help'));
}

it('answers in its own form: text, no thread, no usage (3.2)', async () => {
  const session = await house.connect({ environment: { STANDIN_LOG: log } });
  const reply = await callRelay(session, 'gemini-ask', {
    prompt: 'Say %PATH% & "hi"',
    includeUsage: true,
    model: 'flash',
    sandbox: true,
  });
  expect(reply.shown).toMatchSnapshot();
  expect(runs()).toEqual([['-m', 'gemini-2.5-flash', '-s', '-p', 'Say %PATH% & "hi"']]);
  const ideas = await callRelay(session, 'gemini-brainstorm', { prompt: 'x', ideaCount: 3 });
  expect(ideas.items[0]).toMatch(/^gemini-2\.5-pro said: # Brainstorming session/);
  await session.close();
});

it('reads @ references itself, from stdin; the guard is ours (3.2, 2.8)', async () => {
  const session = await house.connect({ environment: { STANDIN_LOG: log } });
  const reply = await callRelay(session, 'gemini-ask', { prompt: 'Look at @a.ts' });
  expect(reply.items[0]).toBe('Gemini response:\ngemini-2.5-pro said: Look at @a.ts');
  expect(runs()).toEqual([[]]);
  symlinkSync('/etc/hostname', join(house.work, 'out'));
  const refused = await callRelay(session, 'gemini-ask', { prompt: 'Look at @out' });
  expect(refused.items[0]).toMatch(/^Error executing gemini-ask: Refusing @file reference/);
  expect(runs()).toHaveLength(1);
  await session.close();
});

it('quota of Pro: once more with Flash, as the second attempt of one job, and says so', async () => {
  const session = await house.connect({ environment: { STANDIN_LOG: log, STANDIN_GEMINI: 'pro-quota' } });
  const reply = await callRelay(session, 'gemini-ask', { prompt: 'hello @nothing' });
  expect(reply.shown).toMatchSnapshot();
  expect(runs()).toEqual([[], ['-m', 'gemini-2.5-flash']]);
  const pinned = await callRelay(session, 'gemini-ask', { prompt: 'hi', model: 'gemini-2.5-pro' });
  expect(pinned.items[0]).toContain('gemini-2.5-flash said: hi');
  expect(runs().at(-1)).toEqual(['-m', 'gemini-2.5-flash', '-p', 'hi']);
  expect((await session.call('agy_jobs')).value.total).toBe(2);
  await session.close();
});

it('quota of both: the words of the second failure, under those of the first', async () => {
  const session = await house.connect({ environment: { STANDIN_LOG: log, STANDIN_GEMINI: 'all-quota' } });
  const reply = await callRelay(session, 'gemini-ask', { prompt: 'hello' });
  expect(reply.shown).toMatchSnapshot();
  expect(runs()).toHaveLength(2);
  const flash = await callRelay(session, 'gemini-ask', { prompt: 'hello', model: 'flash' });
  expect(flash.isError).toBe(true);
  expect(runs()).toHaveLength(3);
  await session.close();
});

it('a wish that it has no flag for is a notice, or a refusal where safety or meaning hangs on it', async () => {
  const session = await house.connect({ environment: { STANDIN_LOG: log } });
  const notices = await callRelay(session, 'gemini-ask', {
    prompt: 'x',
    effort: 'high',
    mode: 'accept-edits',
    addDirs: ['/usr'],
    agent: 'a',
    skipPermissions: true,
  });
  expect(notices.shown).toMatchSnapshot('notices');
  for (const [tool, args] of [
    ['gemini-plan', { task: 'x' }],
    ['gemini-ask', { prompt: 'x', mode: 'plan' }],
    ['gemini-ask', { prompt: 'x', jsonSchema: '{}' }],
    ['gemini-ask', { prompt: 'x', conversationId: 'c' }],
  ] as const) {
    const refused = await callRelay(session, tool, args);
    expect(refused.shown).toMatchSnapshot(`${tool} ${JSON.stringify(args)}`);
  }
  expect(runs()).toHaveLength(1);
  await session.close();
});

it('job tools are not served by it, and say which ones are (decision 3)', async () => {
  const session = await house.connect({ environment: { BATON_BACKEND: 'gemini' } });
  const job = await session.call('agy_run', { prompt: 'x' });
  expect(job.isError).toBe(true);
  expect(job.text).toContain('serves the gemini-* tools only');
  const reply = await callRelay(session, 'gemini-ask', { prompt: 'x' });
  expect(reply.items[0]).toBe('Gemini response:\ngemini-2.5-pro said: x');
  await session.close();
});
