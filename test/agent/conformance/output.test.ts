import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addUsage, emptyUsage } from '../../../src/contract/events.ts';
import { type AgentHouse, agentHouse, initOf, stepsOf } from '../../support/agent.ts';
import type { ScriptedReply } from '../../support/models/script.ts';
import { type ModelServer, startModelServer } from '../../support/models/server.ts';

let server: ModelServer | undefined;
let house: AgentHouse;

async function withReplies(replies: ScriptedReply[]): Promise<ModelServer> {
  server = await startModelServer(replies);
  house = agentHouse(server);
  return server;
}

beforeEach(() => {
  server = undefined;
});
afterEach(async () => {
  house.remove();
  await server?.close();
});

const STREAM = ['--output-format', 'stream-json'];
const viewFile = (path: string): ScriptedReply => ({
  calls: [{ name: 'view_file', arguments: { AbsolutePath: path } }],
});

describe('the three formats', () => {
  test('text is the answer and nothing else (text-format, stdout-clean, exit-success)', async () => {
    await withReplies([{ text: 'Git, Subversion,\nMercurial.' }]);
    const run = await house.run(['-p', 'name three']);
    expect(run).toMatchObject({ code: 0, stdout: 'Git, Subversion,\nMercurial.', stderr: '' });
  });

  test('json is one object on one line (json-format, json-fields, usage-arithmetic)', async () => {
    await withReplies([
      { text: 'line one\nline "two"\n', usage: { input: 90, output: 40, thinking: 25, cacheRead: 30 } },
    ]);
    const run = await house.run(['-p', 'x', '--output-format', 'json']);
    expect(run.code).toBe(0);
    expect(run.stdout.match(/\n/g)).toHaveLength(1);
    const value: unknown = JSON.parse(run.stdout);
    expect(value).toEqual({
      conversation_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'SUCCESS',
      response: 'line one\nline "two"\n',
      duration_seconds: expect.any(Number),
      num_turns: 1,
      usage: {
        input_tokens: 60,
        output_tokens: 40,
        thinking_tokens: 25,
        cache_read_tokens: 30,
        total_tokens: 100,
      },
    });
  });

  test('a stream has its order and one id (stream-order, stream-ids, init-fields, delta-pieces, delta-join)', async () => {
    await withReplies([{ text: ['Git ', 'rebase ', 'rewrites €', ' history.\n'] }]);
    const run = await house.run(['-p', 'x', ...STREAM]);
    const events = run.events();
    expect(events.map(({ event }) => event)).toEqual(['init', ...Array(5).fill('step_update'), 'result']);
    const init = initOf(run);
    expect(init).toMatchObject({ cwd: house.folder, permission_mode: 'request-review' });
    expect(init.tools).toContain('view_file');
    expect(init).not.toHaveProperty('model');
    expect(init).not.toHaveProperty('agent');
    const steps = stepsOf(run);
    expect(steps[0]).toEqual({
      conversation_id: init.id,
      step_index: 0,
      state: 'DONE',
      step_type: 'user_input',
    });
    const answer = steps.slice(1);
    expect(answer.map(({ state }) => state)).toEqual(['ACTIVE', 'ACTIVE', 'ACTIVE', 'DONE']);
    expect(answer.map(({ text_delta }) => text_delta)).toEqual([
      'Git ',
      'rebase ',
      'rewrites €',
      ' history.\n',
    ]);
    expect(new Set(answer.map(({ step_index }) => step_index)).size).toBe(1);
    expect(answer.at(-1)).toMatchObject({
      usage: run.envelope().usage,
      duration_seconds: expect.any(Number),
    });
    expect(answer[0]).not.toHaveProperty('usage');
    expect(run.envelope()).toMatchObject({
      conversation_id: init.id,
      response: 'Git rebase rewrites € history.\n',
    });
    expect(steps.every(({ conversation_id }) => conversation_id === init.id)).toBe(true);
  });

  test('a short answer comes on DONE only (delta-pieces)', async () => {
    await withReplies([{ text: ['apple\n'] }]);
    const steps = stepsOf(await house.run(['-p', 'x', ...STREAM]));
    expect(steps.map(({ state, text_delta }) => [state, text_delta])).toEqual([
      ['DONE', undefined],
      ['DONE', 'apple\n'],
    ]);
  });

  test('the model is shown when it was asked for (init-fields)', async () => {
    await withReplies([{ text: 'x' }]);
    const run = await house.run(['-p', 'x', '--model', 'openai/mock-1', ...STREAM]);
    expect(initOf(run).model).toBe('openai/mock-1');
  });
});

describe('tool steps', () => {
  test('a call and its result (tool-step, step-states, workspace-free, usage-arithmetic)', async () => {
    const { calls } = await withReplies([viewFile('notes.txt'), { text: 'two lines' }]);
    house.write('notes.txt', 'a\nb\n');
    const run = await house.run(['-p', 'x', ...STREAM]);
    const steps = stepsOf(run);
    expect(steps.map(({ step_index, state, step_type }) => [step_index, state, step_type])).toEqual([
      [0, 'DONE', 'user_input'],
      [1, 'DONE', 'agent_response'],
      [2, 'ACTIVE', 'tool'],
      [2, 'DONE', 'tool'],
      [3, 'ACTIVE', 'agent_response'],
      [3, 'DONE', 'agent_response'],
    ]);
    const parameters = { AbsolutePath: join(house.folder, 'notes.txt') };
    expect(steps[2]).toMatchObject({ tool_name: 'view_file', tool_info: { name: 'view_file', parameters } });
    expect(steps[3]).toMatchObject({
      tool_name: 'view_file',
      duration_seconds: expect.any(Number),
      tool_info: { name: 'view_file', parameters, output: '2 lines, 4 bytes' },
    });
    const sum = steps.flatMap(({ usage }) => usage ?? []).reduce(addUsage, emptyUsage());
    expect(run.envelope()).toMatchObject({ status: 'SUCCESS', response: 'two lines', usage: sum });
    expect(sum.total_tokens).toBe(220);
    const sent = JSON.stringify(calls[1]?.body.messages);
    expect(sent).toContain('"role":"tool"');
  });

  test('writing in the workspace needs no approval (workspace-free)', async () => {
    await withReplies([
      {
        calls: [
          {
            name: 'write_to_file',
            arguments: { TargetFile: 'new/made.txt', CodeContent: 'hello\n', Overwrite: false },
          },
        ],
      },
      { text: 'done' },
    ]);
    const run = await house.run(['-p', 'x', '--output-format', 'json']);
    expect(run.envelope()).toMatchObject({ status: 'SUCCESS', response: 'done' });
    expect(run.envelope()).not.toHaveProperty('denied_actions');
    expect(readFileSync(join(house.folder, 'new/made.txt'), 'utf8')).toBe('hello\n');
  });

  test.each([
    ['nothing_like_it', {}, 'unknown tool: "nothing_like_it" — check spelling'],
    ['view_file', '{"AbsolutePath": oops', 'no JSON object'],
    ['view_file', { AbsolutePath: 'missing.txt' }, 'missing.txt'],
  ])(
    '%s with %j is an error for the model (tool-error, tool-unknown, tool-bad-arguments)',
    async (...given) => {
      const [name, args, message] = given;
      const { calls } = await withReplies([{ calls: [{ name, arguments: args }] }, { text: 'I see.' }]);
      const run = await house.run(['-p', 'x', ...STREAM]);
      expect(run.code).toBe(0);
      const step = stepsOf(run).find(({ state }) => state === 'ERROR');
      expect(step).toMatchObject({
        step_type: 'tool',
        tool_name: name,
        tool_info: { error: { type: 'TOOL_ERROR' } },
      });
      expect(step?.tool_info?.error?.message).toContain(message);
      expect(step?.tool_info).not.toHaveProperty('output');
      expect(JSON.stringify(calls[1]?.body.messages)).toContain(message.replaceAll('"', String.raw`\"`));
    },
  );

  test('several calls of one reply (tool-parallel)', async () => {
    const { calls } = await withReplies([
      {
        calls: [
          { id: 'c1', name: 'view_file', arguments: { AbsolutePath: 'a.txt' } },
          { id: 'c2', name: 'write_to_file', arguments: { TargetFile: 'b.txt', CodeContent: 'B\n' } },
          { id: 'c3', name: 'view_file', arguments: { AbsolutePath: 'b.txt' } },
        ],
      },
      { text: 'done' },
    ]);
    house.write('a.txt', 'A\n');
    const run = await house.run(['-p', 'x', ...STREAM]);
    expect(run.envelope().status).toBe('SUCCESS');
    // The file is there for the call behind the one that wrote it.
    expect(
      stepsOf(run).filter(({ state, step_type }) => state === 'DONE' && step_type === 'tool'),
    ).toHaveLength(3);
    const messages = calls[1]?.body.messages;
    const results = Array.isArray(messages) ? messages.filter(({ role }) => role === 'tool') : [];
    expect(results.map(({ tool_call_id }) => tool_call_id)).toEqual(['c1', 'c2', 'c3']);
    expect(results[2].content).toContain('B');
  });
});

describe('the prompt', () => {
  const wild = 'C:\\new\\table "q" %PATH% $(rm -rf x) `y` \\n -p --yolo \u{1F600} \'quoted\'\nsecond line';

  test('arrives unchanged from the command line and from stdin (prompt-unchanged, prompt-stdin)', async () => {
    const { calls } = await withReplies([{ text: 'a' }, { text: 'b' }, { text: 'c' }]);
    const sent = (index: number): unknown => {
      const messages = calls[index]?.body.messages;
      return Array.isArray(messages) ? messages.at(-1)?.content : undefined;
    };
    expect((await house.run(['--print', wild])).code).toBe(0);
    expect(sent(0)).toBe(wild);
    const long = `/not/a/command ${wild.repeat(4000)}`;
    expect(long.length).toBeGreaterThan(300_000);
    expect((await house.run([], { stdin: long })).stdout).toBe('b');
    expect(sent(1)).toBe(long);
    house.write('prompt.txt', wild);
    expect((await house.run(['--prompt-file', 'prompt.txt'])).stdout).toBe('c');
    expect(sent(2)).toBe(wild);
  });

  test('an open stdin does not hold a run up (prompt-stdin-left)', async () => {
    await withReplies([{ text: 'a' }]);
    const running = house.start(['-p', 'x']);
    expect(await running.ended).toMatchObject({ code: 0, stdout: 'a' });
  });

  test.each([
    [['--print', ''], undefined],
    [[], '  \n'],
    [[], ''],
  ])('%j with %j on stdin is empty (prompt-empty)', async (args, stdin) => {
    await withReplies([]);
    const run = await house.run([...args, '--output-format', 'json'], { stdin });
    expect(run.code).toBe(1);
    expect(run.envelope()).toMatchObject({ status: 'ERROR', error: 'empty prompt' });
    expect(run.stderr).toContain('error: empty prompt');
  });

  test('no way to reach a model (no-key, exit-error)', async () => {
    house = agentHouse();
    const run = await house.run(['-p', 'x', '--model', 'anthropic/claude-x', '--output-format', 'json']);
    expect(run.code).toBe(1);
    expect(run.envelope().error).toMatch(/^authentication required: .*ANTHROPIC_API_KEY/);
    expect(run.stderr).toContain(`error: ${run.envelope().error}`);
  });
});
