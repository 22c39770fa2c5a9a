import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isFields } from '../../../src/contract/fields.ts';
import { until } from '../../support/jobs.ts';
import { type ServerHouse, STAND_IN, script, serverHouse } from '../../support/mcp.ts';
import { aboutOf, callRelay } from '../../support/relay.ts';

// Of util-linux, or of the system on macOS.
const hasScript = spawnSync('script', ['--version']).error === undefined;
if (!hasScript) console.warn('SKIPPED: no script(1) here, so runs under a terminal are not tried');

/** A build from before output formats, input formats and modes. */
const OLD = { GEMINI_MCP_BACKEND: 'agy', STANDIN_VERSION: '1.0.5' };

let house: ServerHouse;
let log: string;
beforeEach(() => {
  house = serverHouse(OLD);
  log = join(house.folder, 'starts');
});
afterEach(() => house.remove());

/** The command lines with which the stand-in was asked a prompt. */
function prints(): unknown[] {
  if (!existsSync(log)) return [];
  const entries: unknown[] = readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return entries.filter((entry) => isFields(entry) && Array.isArray(entry.argv) && entry.argv.includes('-p'));
}

function transcript(id: string): string {
  return join(
    house.home,
    '.gemini/antigravity-cli/brain',
    id,
    '.system_generated',
    'logs',
    'transcript.jsonl',
  );
}

describe('an old build of agy', () => {
  it('rows 20, 22: takes the prompt as an argument and answers in plain text', async () => {
    const session = await house.connect();
    const reply = await callRelay(session, 'gemini-ask', {
      prompt: script({ about: 1 }),
      includeUsage: true,
    });
    const about = aboutOf(reply);
    expect(about.argv).not.toContain('--output-format');
    expect(about.argv.at(-2)).toBe('-p');
    expect(reply.items[0]).toMatch(/^Gemini response:\n\{"argv"/);
    // Nothing tells the conversation or the tokens, and nothing makes the answer doubtful.
    expect(reply.items[0]).not.toMatch(/⚠️|🧵|📊/);
    await session.close();
  });

  it('row 23: a prompt that no command line holds is refused with the way out', async () => {
    const session = await house.connect();
    const reply = await callRelay(session, 'gemini-ask', { prompt: 'long '.repeat(40_000) });
    expect(reply.isError).toBe(true);
    expect(reply.items[0]).toMatch(/the prompt is 200000 bytes.*upgrade agy to 1\.1\.15/);
    await session.close();
  });

  it('rung 3: its answer is read from the transcript of this run, and of no other (TRAP 3.8)', async () => {
    const foreign = transcript('foreign');
    mkdirSync(dirname(foreign), { recursive: true });
    const session = await house.connect();
    const other = JSON.stringify({
      source: 'MODEL',
      type: 'PLANNER_RESPONSE',
      status: 'DONE',
      content: 'of another program',
    });
    // Another program's conversation is the newest one when the run ends.
    const reply = await callRelay(session, 'gemini-ask', {
      prompt: script(
        { text: 'only in the transcript' },
        { result: false },
        { write: { file: foreign, content: `${other}\n` } },
      ),
      skipPermissions: true,
    });
    expect(reply.shown).toMatchSnapshot('fresh');
    const conversationId = /conversationId: (\S+)/.exec(reply.items[0] ?? '')?.[1];
    const resumed = await callRelay(session, 'gemini-ask', {
      prompt: script({ text: 'of the second turn' }, { result: false }),
      conversationId,
    });
    expect(resumed.shown).toMatchSnapshot('resumed');
    await session.close();
  });

  it('rung 3: a transcript of an earlier run is no answer', async () => {
    const session = await house.connect();
    const first = await callRelay(session, 'gemini-ask', {
      prompt: script({ text: 'old' }, { result: false }),
    });
    const conversationId = /conversationId: (\S+)/.exec(first.items[0] ?? '')?.[1] ?? '';
    await session.close();
    const silent = await house.connect({ environment: { STANDIN_START: 'silent' } });
    const reply = await callRelay(silent, 'gemini-ask', { prompt: 'go on', conversationId });
    expect(reply.shown.replaceAll(house.work, '<cwd>')).toMatchSnapshot();
    // Nor is an entry that somebody adds to another conversation at the same time.
    appendFileSync(transcript(conversationId), '{"type":"CHECKPOINT"}\n');
    await silent.close();
  });

  it('rung 4: a silent run has our own words, one with stderr its own', async () => {
    const session = await house.connect({ environment: { STANDIN_START: 'silent' } });
    const silent = await callRelay(session, 'gemini-ask', { prompt: 'x' });
    expect(silent.shown.replaceAll(house.work, '<cwd>')).toMatchSnapshot('silent');
    await session.close();
    const loud = await house.connect();
    const said = await callRelay(loud, 'gemini-ask', {
      prompt: script({ stderr: 'the dog ate the network\n' }, { result: false }),
    });
    expect(said.shown).toBe('(error)\nError executing gemini-ask: the dog ate the network');
    await loud.close();
  });

  it('runs go one after another, because only a file tells whose conversation is whose (decision 26)', async () => {
    const mark = join(house.folder, 'first-is-over');
    const session = await house.connect();
    const first = callRelay(session, 'gemini-ask', {
      prompt: script({ touch: `${mark}-begun` }, { sleep: 400 }, { touch: mark }, { text: 'first' }),
    });
    await until(() => existsSync(`${mark}-begun`), 'the first run');
    const second = await callRelay(session, 'gemini-ask', { prompt: script({ read: mark }, { text: '!' }) });
    expect(second.isError).toBe(false);
    expect(second.items[0]).toMatch(/^Gemini response:\n!/);
    expect((await first).isError).toBe(false);
    await session.close();
  });
});

describe.skipIf(!hasScript)('a build that prints only to a terminal', () => {
  const TTY_ONLY = { STANDIN_START: 'tty-only' };

  it('rung 2: is run once more under one where that is allowed, as the second attempt of one job', async () => {
    const session = await house.connect({
      environment: { ...TTY_ONLY, AGY_MCP_PTY: '1', STANDIN_LOG: log },
    });
    const prompt = `It's "quoted" $HOME \`x\` ü\n${script({ text: 'from the terminal\nü🙂' })}`;
    const reply = await callRelay(session, 'gemini-ask', { prompt });
    expect(reply.shown).toMatchSnapshot();
    expect(prints()).toHaveLength(2);
    expect((await session.call('agy_jobs')).value.total).toBe(1);
    await session.close();
  });

  it('is not run again when that was not asked for, or when the first attempt had its turn', async () => {
    const plain = await house.connect({ environment: { ...TTY_ONLY, STANDIN_LOG: log } });
    const silent = await callRelay(plain, 'gemini-ask', { prompt: 'x' });
    expect(silent.isError).toBe(true);
    expect(prints()).toHaveLength(1);
    await plain.close();
    const turned = await house.connect({ environment: { AGY_MCP_PTY: 'yes', STANDIN_LOG: log } });
    const reply = await callRelay(turned, 'gemini-ask', {
      prompt: script({ text: 'had its turn' }, { result: false }),
    });
    expect(reply.items[0]).toContain('had its turn');
    expect(prints()).toHaveLength(2);
    await turned.close();
  });

  it('is ended with everything below it by gemini-cancel', async () => {
    const mark = join(house.folder, 'under-pty');
    const session = await house.connect({ environment: { ...TTY_ONLY, AGY_MCP_PTY: '1' } });
    const call = callRelay(session, 'gemini-ask', {
      prompt: script({ write: { file: mark, content: 'x' } }, { about: 1 }, { hang: 1 }),
      skipPermissions: true,
    });
    await until(() => existsSync(mark), 'the second attempt');
    await callRelay(session, 'gemini-cancel');
    const reply = await call;
    expect(reply.items[0]).toContain('the run was cancelled');
    await session.close();
  });
});

describe('flags that a build lacks', () => {
  it.each([
    ['effort', { effort: 'low' }, /^⚠️ agy \S+ at \S+ does not offer --effort; "low" was not applied\./],
    ['agent', { agent: 'reviewer' }, /^⚠️ agy .* does not offer --agent; "reviewer" was not applied\./],
    ['model', { model: 'pro' }, /^⚠️ agy .* does not offer --model; "gemini-3\.1-pro-high" was not applied/],
  ])('without --%s the wish is a notice', async (flag, args, notice) => {
    const session = await house.connect({
      environment: { STANDIN_VERSION: '1.2.16', STANDIN_WITHOUT: flag },
    });
    const reply = await callRelay(session, 'gemini-ask', { prompt: script({ text: 'ok' }), ...args });
    expect(reply.isError).toBe(false);
    expect(reply.items[0]).toMatch(notice);
    await session.close();
  });

  it.each([
    ['mode', 'gemini-plan', { task: 'x' }, 'a plan run could not be kept read-only'],
    ['json-schema', 'gemini-ask', { prompt: 'x', jsonSchema: '{}' }, 'cannot be held to the schema'],
    ['sandbox', 'gemini-ask', { prompt: 'x', sandbox: true }, 'the sandbox asked for cannot be had'],
  ])(
    'TRAP 3.4: without --%s the call is refused where safety or meaning hangs on it',
    async (flag, tool, args, why) => {
      const session = await house.connect({
        environment: { STANDIN_VERSION: '1.2.16', STANDIN_WITHOUT: flag, STANDIN_LOG: log },
      });
      const reply = await callRelay(session, tool, args);
      expect(reply.isError).toBe(true);
      expect(reply.items[0]).toContain(why);
      expect(reply.items[0]).toContain('Nothing was started');
      expect(prints()).toEqual([]);
      await session.close();
    },
  );

  it('TRAP 3.4: a help that fails once is asked again, and until then no flag is sent', async () => {
    const help = join(house.folder, 'agy');
    const script_ = (how: string): void =>
      writeFileSync(help, `#!/bin/sh\nSTANDIN_HELP=${how} exec ${process.execPath} ${STAND_IN} "$@"\n`, {
        mode: 0o755,
      });
    script_('garbage');
    const session = await house.connect({
      environment: { AGY_MCP_AGY_PATH: help, STANDIN_VERSION: '1.2.16' },
    });
    const blind = await callRelay(session, 'gemini-ask', { prompt: script({ about: 1 }), effort: 'low' });
    expect(aboutOf(blind).argv.slice(0, -1)).toEqual(['-p']);
    expect(blind.items[0]).toContain('did not tell its flags');
    script_('full');
    const seeing = await callRelay(session, 'gemini-ask', { prompt: script({ about: 1 }), effort: 'low' });
    expect(aboutOf(seeing).argv).toContain('--effort');
    await session.close();
  });
});
