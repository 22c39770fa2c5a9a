import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isFields } from '../../../src/contract/fields.ts';
import { type ServerHouse, type Session, serverHouse } from '../../support/mcp.ts';
import { type ModelServer, startModelServer } from '../../support/models/server.ts';
import { callRelay } from '../../support/relay.ts';

/** The relay over our own agent, which talks to a scripted model on loopback. */
let house: ServerHouse;
let models: ModelServer | undefined;
beforeEach(() => {
  house = serverHouse({ AGY_MCP_AGY_PATH: undefined, BATON_BACKEND: 'baton', BATON_MODEL: 'openai/mock-1' });
});
afterEach(async () => {
  await models?.close();
  models = undefined;
  await house.remove();
});

async function connect(replies: Parameters<typeof startModelServer>[0]): Promise<Session> {
  models = await startModelServer(replies, { models: ['mock-1', 'mock-2'] });
  return house.connect({ environment: models.environment('chat') });
}

/** The text of the last thing that the model was told. */
function told(): string {
  return JSON.stringify(models?.calls.at(-1)?.body.messages);
}

it('answers, goes on with the conversation, and lists it from its own store', async () => {
  writeFileSync(join(house.work, 'note.txt'), 'the word is swordfish\n');
  const session = await connect([
    { text: 'It says swordfish.', usage: { input: 50, output: 7 } },
    { text: 'As I said.', usage: { input: 60, output: 3 } },
  ]);
  const first = await callRelay(session, 'gemini-ask', {
    prompt: 'What is in @note.txt?',
    includeUsage: true,
  });
  expect(first.shown).toMatchSnapshot('first');
  expect(told()).toContain('the word is swordfish');
  const conversationId = /conversationId: (\S+)/.exec(first.items[0] ?? '')?.[1];
  const second = await callRelay(session, 'gemini-ask', { prompt: 'And?', conversationId });
  expect(second.shown).toMatchSnapshot('second');
  expect(told()).toContain('It says swordfish.');
  const listed = await callRelay(session, 'gemini-conversations');
  expect(listed.structured).toMatchObject({
    backend: 'baton',
    conversations: [{ conversation_id: conversationId, cwd: house.work, prompt: 'What is in @note.txt?' }],
  });
  const unknown = await callRelay(session, 'gemini-ask', { prompt: 'x', conversationId: 'nobody' });
  expect(unknown.items[0]).toContain('conversation "nobody" is not known to baton');
});

it('plans without being able to change anything, on the model that is configured', async () => {
  const target = join(house.work, 'made.txt');
  const session = await connect([
    { calls: [{ name: 'write_to_file', arguments: { TargetFile: target, CodeContent: 'x' } }] },
    { text: 'The plan.', usage: { input: 10, output: 2 } },
  ]);
  const reply = await callRelay(session, 'gemini-plan', { task: 'Design it.', model: 'flash' });
  expect(reply.items[0]).toContain('The plan.');
  expect(existsSync(target)).toBe(false);
  expect(models?.calls[0]?.body.model).toBe('mock-1');
});

it('holds an answer to a schema', async () => {
  const session = await connect(({ body }) => {
    const tools = Array.isArray(body.tools) ? body.tools.filter(isFields) : [];
    const finish = tools.map((tool) => (isFields(tool.function) ? String(tool.function.name) : ''));
    const name = finish.find((one) => /finish|answer|structured/i.test(one));
    return name ? { calls: [{ name, arguments: { ok: true } }] } : { text: '{"ok":true}' };
  });
  const reply = await callRelay(session, 'gemini-ask', {
    prompt: 'Is it ok?',
    jsonSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
  });
  expect(reply.shown).toBe('{\n  "ok": true\n}');
});

it('answers models, doctor and help about itself', async () => {
  const session = await connect([]);
  const list = await callRelay(session, 'gemini-models');
  expect(list.structured).toMatchObject({
    backend: 'baton',
    default_model: 'openai/mock-1',
    is_fallback: false,
    models: expect.arrayContaining([expect.objectContaining({ id: expect.stringContaining('mock-2') })]),
  });
  expect(list.items[0]).not.toContain('Pinned Model');
  const doctor = await callRelay(session, 'gemini-doctor');
  expect(doctor.items[0]).toContain('- **Active Backend:** **baton** (via `BATON_BACKEND`)');
  expect(doctor.items[0]).toContain('🎉 **System Ready!** The `baton` backend is active');
  const help = await callRelay(session, 'gemini-help');
  expect(help.items[0]).toContain('--output-format');
});

it('names what is missing when there is no model to be had', async () => {
  const session = await house.connect({ environment: { BATON_MODEL: 'openai/gpt-none' } });
  const reply = await callRelay(session, 'gemini-ask', { prompt: 'x' });
  expect(reply.isError).toBe(true);
  expect(reply.items[0]).toMatch(/^Error executing gemini-ask: .*OPENAI_API_KEY/s);
});
