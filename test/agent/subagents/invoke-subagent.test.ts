import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { type AgentHouse, agentHouse, initOf, stepsOf } from '../../support/agent.ts';
import type { ScriptedReply } from '../../support/models/script.ts';
import { type ModelCall, type ModelServer, startModelServer } from '../../support/models/server.ts';

let server: ModelServer;
let house: AgentHouse;
const STREAM = ['--output-format', 'stream-json'];

afterEach(async () => {
  house.remove();
  await server.close();
});

const systemOf = ({ body }: ModelCall): string =>
  Array.isArray(body.messages) ? String(body.messages[0]?.content) : '';
const promptOf = ({ body }: ModelCall): string =>
  Array.isArray(body.messages) ? String(body.messages.find(({ role }) => role === 'user')?.content) : '';
const hasResults = ({ body }: ModelCall): boolean => JSON.stringify(body.messages).includes('"role":"tool"');
const invoke = (...subagents: object[]): ScriptedReply => ({
  calls: [{ name: 'invoke_subagent', arguments: { Subagents: subagents } }],
});

/** The parent calls what is given and then answers; children answer by `child`. */
async function withAgents(subagents: object[], child: (call: ModelCall) => ScriptedReply): Promise<void> {
  server = await startModelServer((call) => {
    if (promptOf(call) !== 'parent') return child(call);
    return hasResults(call) ? { text: 'all told' } : invoke(...subagents);
  });
  house = agentHouse(server);
}

test('two at once: their answers go to the parent, their use into its sum', async () => {
  await withAgents(
    [
      { TypeName: 'research', Role: 'finder', Prompt: 'find it' },
      { TypeName: 'self', Prompt: 'do it' },
    ],
    (call) => ({ text: `did: ${promptOf(call)}` }),
  );
  const run = await house.run(['-p', 'parent', ...STREAM]);
  expect(run.envelope()).toMatchObject({ status: 'SUCCESS', response: 'all told', num_turns: 1 });
  const steps = stepsOf(run).filter(({ step_type }) => step_type === 'subagent');
  expect(steps.map(({ state, tool_name }) => [state, tool_name])).toEqual([
    ['ACTIVE', 'invoke_subagent'],
    ['DONE', 'invoke_subagent'],
  ]);
  expect(steps[0]).not.toHaveProperty('tool_info');
  expect(steps[0]?.subagent_info?.subagents).toEqual([
    { type_name: 'research', role: 'finder', initial_prompt: 'find it' },
    { type_name: 'self', role: '', initial_prompt: 'do it' },
  ]);
  const [finder] = steps[1]?.subagent_info?.subagents ?? [];
  expect(finder).toMatchObject({
    type_name: 'research',
    conversation_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  const log = readFileSync(fileURLToPath(finder?.log_uri ?? ''), 'utf8');
  expect(JSON.parse(log.split('\n')[0] ?? '')).toMatchObject({ parentConversationId: initOf(run).id });
  // Two calls of the parent and one of each child, the children's on the step.
  expect(steps[1]?.usage?.total_tokens).toBe(220);
  expect(run.envelope().usage.total_tokens).toBe(440);
  const told = JSON.stringify(server.calls.at(-1)?.body.messages);
  expect(told).toContain('did: find it');
  expect(told).toContain('did: do it');
  const research = server.calls.find((call) => promptOf(call) === 'find it');
  expect(JSON.stringify(research?.body.tools)).not.toContain('write_to_file');
  // It is no conversation of the person's, and its use is not counted twice.
  const next = await house.run(['-p', 'x', '-c', ...STREAM]);
  expect(initOf(next).id).toBe(initOf(run).id);
});

test('depth and fan-out are bounded', async () => {
  server = await startModelServer((call) => {
    const offered = JSON.stringify(call.body.tools).includes('invoke_subagent');
    if (hasResults(call)) return { text: 'back' };
    return offered ? invoke({ Prompt: 'deeper' }) : { text: 'the bottom' };
  });
  house = agentHouse(server);
  const run = await house.run(['-p', 'parent', ...STREAM]);
  expect(run.envelope().status).toBe('SUCCESS');
  // The run, two that may go on, one at the bottom; each of the first three is asked again with the result.
  expect(server.calls.filter((call) => !hasResults(call))).toHaveLength(4);
  await server.close();
  house.remove();
  await withAgents(
    Array.from({ length: 50 }, () => ({ Prompt: 'x' })),
    () => ({ text: 'never' }),
  );
  const many = await house.run(['-p', 'parent', ...STREAM]);
  expect(many.envelope().status).toBe('SUCCESS');
  expect(server.calls).toHaveLength(2);
  expect(JSON.stringify(server.calls[1]?.body.messages)).toContain('50 subagents at once are too many');
});

test('a subagent has no more rights than the run', async () => {
  await withAgents([{ TypeName: 'self', Prompt: 'write' }], (call) =>
    hasResults(call)
      ? { text: 'refused' }
      : {
          calls: [
            { name: 'write_to_file', arguments: { TargetFile: 'a.txt', CodeContent: 'x' } },
            { name: 'view_file', arguments: { AbsolutePath: '/etc/hostname' } },
          ],
        },
  );
  const run = await house.run(['-p', 'parent', '--mode', 'plan', ...STREAM]);
  expect(run.envelope().denied_actions).toEqual(
    expect.arrayContaining([
      { action: 'write_file', display_name: 'WriteToFile' },
      { action: 'read_file', display_name: 'ViewFile' },
    ]),
  );
  expect(existsSync(join(house.folder, 'a.txt'))).toBe(false);
});

test('what goes wrong with one is told to the parent', async () => {
  await withAgents([{ Prompt: 'fail' }, { Prompt: 'work' }], (call) =>
    promptOf(call) === 'fail'
      ? { status: 400, body: { error: { message: 'no such luck' } } }
      : { text: 'fine' },
  );
  const run = await house.run(['-p', 'parent', ...STREAM]);
  expect(run.code).toBe(0);
  const told = JSON.stringify(server.calls.at(-1)?.body.messages);
  expect(told).toContain('It failed: ');
  expect(told).toContain('no such luck');
  expect(told).toContain('fine');
});

test('an unknown kind is an error that names the known ones; a custom agent is one', async () => {
  await withAgents([{ TypeName: 'nobody', Prompt: 'x' }], () => ({ text: 'never' }));
  house.write('.agents/agents/scout.md', '---\ndescription: Only looks\n---\nYou are the scout.\n');
  await house.run(['-p', 'parent', ...STREAM]);
  const told = JSON.stringify(server.calls.at(-1)?.body.messages);
  expect(told).toContain('there are: self, research, scout');
  expect(JSON.stringify(server.calls[0]?.body.tools)).toContain('- scout: Only looks');
  await server.close();
  house.remove();
  await withAgents([{ TypeName: 'scout', Prompt: 'x' }], (call) => ({ text: systemOf(call).slice(0, 18) }));
  house.write('.agents/agents/scout.md', 'You are the scout.\n');
  await house.run(['-p', 'parent', ...STREAM]);
  expect(JSON.stringify(server.calls.at(-1)?.body.messages)).toContain('You are the scout.');
});

test('caps hold over parent and children together', async () => {
  await withAgents([{ Prompt: 'a' }, { Prompt: 'b' }], () => ({
    text: 'x',
    usage: { input: 400, output: 100 },
  }));
  const run = await house.run(['-p', 'parent', '--max-tokens', '1000', ...STREAM]);
  expect(run.code).toBe(1);
  expect(run.envelope().error).toBe('stopped by --max-tokens 1000: the run has used 1110 tokens');
});

test('nothing of an ephemeral run is kept, its subagents included', async () => {
  await withAgents([{ Prompt: 'a' }], () => ({ text: 'x' }));
  const run = await house.run(['-p', 'parent', '--ephemeral', ...STREAM]);
  expect(run.envelope().status).toBe('SUCCESS');
  const done = stepsOf(run).find(({ state, step_type }) => state === 'DONE' && step_type === 'subagent');
  expect(done?.subagent_info?.subagents[0]).not.toHaveProperty('log_uri');
  expect(existsSync(join(house.stateDir, 'conversations'))).toBe(false);
});
