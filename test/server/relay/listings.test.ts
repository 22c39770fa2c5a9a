import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { programs } from '../../support/jobs.ts';
import { type ServerHouse, STAND_IN, script, serverHouse } from '../../support/mcp.ts';
import { callRelay } from '../../support/relay.ts';

let house: ServerHouse;
/** A PATH on which there is Node and nothing else, whatever is installed here. */
let path: string;
beforeAll(() => {
  house = serverHouse({ GEMINI_MCP_BACKEND: 'agy', BATON_AGENT_PATH: STAND_IN });
  path = join(house.folder, 'bin');
  mkdirSync(path);
  symlinkSync(process.execPath, join(path, 'node'));
});
afterAll(() => house.remove());

const GEMINI = { GEMINI_MCP_BACKEND: 'gemini', GEMINI_CLI_PATH: join(programs, 'gemini-stand-in.mjs') };
const NOTHING = { AGY_MCP_AGY_PATH: undefined };

async function shown(
  tool: string,
  environment: Record<string, string | undefined> = {},
  args: Record<string, unknown> = {},
): Promise<string> {
  const session = await house.connect({ environment: { PATH: path, ...environment } });
  const reply = await callRelay(session, tool, args);
  await session.close();
  return reply.shown
    .replaceAll(house.folder, '<house>')
    .replaceAll(STAND_IN, '<agy>')
    .replaceAll(join(programs, 'gemini-stand-in.mjs'), '<gemini>')
    .replaceAll(process.version, '<version>')
    .replaceAll(process.execPath, '<node>')
    .replaceAll(`${process.platform} (${process.arch})`, '<system>');
}

describe('gemini-models', () => {
  it('lists what the account has, the defaults, and what this build can do', async () => {
    expect(await shown('gemini-models')).toMatchSnapshot();
    const session = await house.connect({ environment: { AGY_MCP_DEFAULT_MODEL: 'gemini-3.1-pro-low' } });
    const reply = await callRelay(session, 'gemini-models');
    expect(reply.structured).toMatchObject({
      backend: 'agy',
      default_model: 'gemini-3.1-pro-low',
      pinned_model: 'gemini-3.8-flash-high',
      is_fallback: false,
      capabilities: { mode: true, jsonSchema: true },
      notices: [],
    });
    await session.close();
  });

  it('TRAP 7: says when the list is a built-in one, and why', async () => {
    expect(await shown('gemini-models', { STANDIN_MODELS: 'signed-out' })).toMatchSnapshot('signed out');
    const gone = await shown('gemini-models', NOTHING);
    expect(gone).toContain('### Available Models (built-in list):');
    expect(gone).toContain('> ⚠️ Could not find the "agy" executable.');
  });

  it('answers for the other backends from their own lists', async () => {
    expect(await shown('gemini-models', GEMINI)).toMatchSnapshot('gemini');
  });
});

describe('gemini-doctor', () => {
  it.each([
    ['a healthy agy', {}],
    ['signed out', { STANDIN_USAGE: 'signed-out' }],
    ['out of quota', { STANDIN_USAGE: 'exhausted' }],
    ['an answer that is none', { STANDIN_USAGE: 'garbage' }],
    ['no agy', NOTHING],
    ['the legacy CLI', GEMINI],
    ['the legacy CLI that is not there', { GEMINI_MCP_BACKEND: 'gemini' }],
    ['our own agent', { BATON_BACKEND: 'baton' }],
    ['a choice that is none', { GEMINI_MCP_BACKEND: 'gemni' }],
    ['a help that tells nothing, and an odd deadline', { STANDIN_HELP: 'empty', GEMINI_MCP_TIMEOUT: 'soon' }],
    ['a version that nobody can read', { STANDIN_VERSION_OUTPUT: 'hello' }],
  ])('%s', async (_, environment) => {
    const text = await shown('gemini-doctor', environment);
    expect(text).not.toContain('(error)');
    expect(text).toMatchSnapshot();
  });

  it('TRAP 7: a CLI that is slow to tell its version is not called missing, and nothing hangs', async () => {
    const text = await shown('gemini-doctor', {
      STANDIN_VERSION_HANG: '1',
      STANDIN_USAGE: 'hang',
      STANDIN_HELP: 'hang',
    });
    expect(text).toContain('- **Status:** ⚠️ Installed, version unknown\n- **Executable:** `<agy>`');
    expect(text).toContain('❌ Login check failed');
  });
});

describe('gemini-conversations', () => {
  it('lists them newest first, with what their callers wrote', async () => {
    const session = await house.connect();
    expect((await callRelay(session, 'gemini-conversations')).shown).toBe(
      'No conversations found. Run gemini-ask once and it will report the id it created.',
    );
    writeFileSync(join(house.work, 'big.txt'), 'file text '.repeat(100));
    const first = await callRelay(session, 'gemini-ask', { prompt: 'A | B:\nwhich one?' });
    await callRelay(session, 'gemini-plan', { task: `${'Long task '.repeat(20)}🙂 @big.txt` });
    const conversationId = /conversationId: (\S+)/.exec(first.items[0] ?? '')?.[1] ?? '';
    await callRelay(session, 'gemini-ask', { prompt: script({ text: 'second turn' }), conversationId });
    const listed = await callRelay(session, 'gemini-conversations');
    const dates = /\d{4}-\d{2}-\d{2}T[\d:.]+Z/g;
    expect(listed.shown.replaceAll(dates, '<date>').replaceAll(house.work, '<cwd>')).toMatchSnapshot();
    // The one that was gone on with last is the newest, though its folder is the older one.
    const rows = listed.items[0]?.split('\n') ?? [];
    expect(rows[2]).toContain(conversationId);
    const one = await callRelay(session, 'gemini-conversations', { limit: 1 });
    expect(one.structured).toMatchObject({
      backend: 'agy',
      conversations: [{ conversation_id: conversationId, cwd: house.work, prompt: 'A | B: which one?' }],
    });
    for (const limit of [0, 101, 1.5]) {
      expect((await callRelay(session, 'gemini-conversations', { limit })).isError).toBe(true);
    }
    await session.close();
  });

  it('reads only the head of each transcript, also of conversations that others began', async () => {
    const session = await house.connect();
    const logs = join(house.home, '.gemini/antigravity-cli/brain', '0-foreign', '.system_generated', 'logs');
    mkdirSync(logs, { recursive: true });
    const entry = JSON.stringify({ type: 'USER_INPUT', content: `first ${'x'.repeat(200)}` });
    writeFileSync(join(logs, 'transcript.jsonl'), `${entry}\n${'{"type":"X"}\n'.repeat(200_000)}`);
    const future = Date.now() / 1000 + 3600;
    utimesSync(join(logs, 'transcript.jsonl'), future, future);
    const { structured } = await callRelay(session, 'gemini-conversations', { limit: 1 });
    expect(structured).toMatchObject({
      conversations: [{ conversation_id: '0-foreign', prompt: `first ${'x'.repeat(111)}...` }],
    });
    await session.close();
  });

  it('has none to go on with on the legacy CLI, and says so', async () => {
    expect(await shown('gemini-conversations', GEMINI)).toBe(
      'The gemini backend keeps no conversations that could be continued.',
    );
  });
});

describe('gemini-help', () => {
  it('is the text of the active CLI, or why it cannot be had', async () => {
    expect(await shown('gemini-help')).toMatch(/^Usage of agy:\n/);
    expect(await shown('gemini-help', GEMINI)).toMatch(/^Usage: gemini/);
    expect(await shown('gemini-help', { BATON_BACKEND: 'baton', BATON_AGENT_PATH: undefined })).toMatch(
      /baton-agent/,
    );
    expect(await shown('gemini-help', { STANDIN_HELP: 'empty' })).toBe(
      'Antigravity CLI (agy) help unavailable: agy --help printed nothing',
    );
    expect(await shown('gemini-help', NOTHING)).toMatch(
      /^Antigravity CLI \(agy\) help unavailable: Could not find the "agy" executable\./,
    );
  });
});

describe('gemini-ping', () => {
  it('rows 10, 31: answers in process, whatever the backend, word for word', async () => {
    for (const environment of [{}, GEMINI, NOTHING, { GEMINI_MCP_BACKEND: 'gemni' }]) {
      expect(await shown('gemini-ping', environment)).toBe('Pong!');
    }
    const text = 'hello & world %PATH% "x"\n$(y)';
    expect(await shown('gemini-ping', {}, { prompt: text })).toBe(text);
  });
});
