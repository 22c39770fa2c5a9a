import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AgentHouse, agentHouse, initOf, resultsOf, stepsOf, userEvent } from '../../support/agent.ts';
import type { ScriptedReply } from '../../support/models/script.ts';
import { type ModelServer, startModelServer } from '../../support/models/server.ts';

let server: ModelServer;
let house: AgentHouse;
const STREAMS = ['--input-format', 'stream-json', '--output-format', 'stream-json'];

async function withReplies(replies: ScriptedReply[]): Promise<ModelServer> {
  server = await startModelServer(replies);
  house = agentHouse(server);
  return server;
}

beforeEach(async () => {
  await withReplies([{ text: 'apple\n' }, { text: 'apple again\n' }, { text: 'third' }]);
});
afterEach(async () => {
  house.remove();
  await server.close();
});

const lines = (...values: unknown[]): string =>
  values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('\n');

describe('turns from stdin', () => {
  test('one conversation, a result for each prompt (stdin-turns, stdin-context, stdin-cumulative, stdin-eof)', async () => {
    const run = await house.run(STREAMS, {
      stdin: `${lines(userEvent('say apple'), userEvent('again?'))}\n`,
    });
    expect(run.code).toBe(0);
    expect(run.events().map(({ event }) => event)).toEqual([
      'init',
      'step_update',
      'step_update',
      'result',
      'step_update',
      'step_update',
      'step_update',
      'result',
    ]);
    const [first, second] = resultsOf(run);
    expect(first).toMatchObject({ response: 'apple\n', num_turns: 1, usage: { total_tokens: 110 } });
    expect(second).toMatchObject({ response: 'apple again\n', num_turns: 2, usage: { total_tokens: 220 } });
    expect(second?.duration_seconds).toBeGreaterThan(first?.duration_seconds ?? Infinity);
    expect(first?.conversation_id).toBe(second?.conversation_id);
    expect(stepsOf(run).map(({ step_index }) => step_index)).toEqual([0, 1, 2, 3, 3]);
    const messages = server.calls[1]?.body.messages;
    expect(JSON.stringify(messages)).toContain('say apple');
    expect(JSON.stringify(messages)).toContain('apple\\n');
  });

  test('init comes before anything is read (stdin-init-first)', async () => {
    const running = house.start(STREAMS);
    const init = await running.waitFor(({ event }) => event === 'init');
    expect(init).toMatchObject({ init: { permission_mode: 'request-review' } });
    expect(server.calls).toHaveLength(0);
    running.send(userEvent('x'));
    await running.waitFor(({ event }) => event === 'result');
    // The next prompt depends on the answer.
    running.send(userEvent('y'));
    await running.waitFor(({ event }) => event === 'result');
    running.child.stdin.end();
    expect((await running.ended).code).toBe(0);
  });

  test('text blocks are one text, a last line needs no end (stdin-blocks)', async () => {
    const blocks = [
      { type: 'text', text: 'Reply ' },
      { type: 'text', text: 'banana' },
    ];
    const run = await house.run(STREAMS, {
      stdin: lines({ event: 'user', message: { role: 'user', content: blocks } }),
    });
    expect(run.code).toBe(0);
    const messages = server.calls[0]?.body.messages;
    expect(Array.isArray(messages) && messages.at(-1)).toMatchObject({ content: 'Reply banana' });
  });

  test('bytes may come one by one (stdin-blocks)', async () => {
    const running = house.start(STREAMS);
    for (const byte of Buffer.from(`${JSON.stringify(userEvent('합니다€😀'))}\r\n`)) {
      running.child.stdin.write(Buffer.from([byte]));
    }
    running.child.stdin.end();
    expect((await running.ended).code).toBe(0);
    const messages = server.calls[0]?.body.messages;
    expect(Array.isArray(messages) && messages.at(-1)).toMatchObject({ content: '합니다€😀' });
  });

  test('prompts sent during a turn wait for it (stdin-queue)', async () => {
    await server.close();
    house.remove();
    await withReplies([{ text: 'one', delayMs: 300 }, { text: 'two' }]);
    const running = house.start(STREAMS);
    running.send(userEvent('a'));
    running.send(userEvent('b'));
    await running.waitFor(({ event }) => event === 'result');
    expect(server.calls.length).toBeLessThanOrEqual(2);
    running.child.stdin.end();
    const run = await running.ended;
    expect(resultsOf(run).map(({ response }) => response)).toEqual(['one', 'two']);
  });

  test('no prompt at all (stdin-empty)', async () => {
    const run = await house.run(STREAMS, { stdin: '\n  \n' });
    expect(run.code).toBe(0);
    expect(run.events().map(({ event }) => event)).toEqual(['init']);
    const again = await house.run(['--conversation', initOf(run).id, '-p', 'x', '--output-format', 'json']);
    expect(again.envelope().error).toContain('not found');
  });

  test('the prompt of --print is dropped (stdin-prompt-dropped)', async () => {
    for (const print of [['-p', 'from the flag'], ['--print=']]) {
      const run = await house.run([...STREAMS, ...print], { stdin: lines(userEvent('from stdin')) });
      expect(run.code).toBe(0);
      const messages = server.calls.at(-1)?.body.messages;
      expect(Array.isArray(messages) && messages.at(-1)).toMatchObject({ content: 'from stdin' });
      expect(run.stderr.includes('the prompt of the command line is dropped')).toBe(print.length === 2);
    }
  });

  test('an unknown event is skipped (stdin-unknown-event)', async () => {
    const run = await house.run(STREAMS, { stdin: lines({ event: 'future_thing' }, userEvent('x')) });
    expect(run.code).toBe(0);
    expect(resultsOf(run)).toHaveLength(1);
    expect(run.stderr).toContain('warning: ignoring unsupported stream input message event "future_thing"');
  });

  test('a failed turn ends neither session nor later turns (stdin-failed-turn)', async () => {
    await server.close();
    house.remove();
    await withReplies([{ status: 400, body: { error: { message: 'bad' } } }, { text: 'fine' }]);
    const run = await house.run(STREAMS, { stdin: lines(userEvent('a'), userEvent('b')) });
    expect(resultsOf(run).map(({ status }) => status)).toEqual(['ERROR', 'SUCCESS']);
    expect(resultsOf(run)[1]).not.toHaveProperty('error');
    expect(run.code).toBe(3);
  });

  test('each turn has its own time (stdin-timeout)', async () => {
    await server.close();
    house.remove();
    // Together they take longer than the limit, each good one far less.
    await withReplies([
      { text: 'a', delayMs: 1000 },
      { text: ['b'], breaks: 'stall' },
      { text: 'c', delayMs: 1000 },
    ]);
    const run = await house.run([...STREAMS, '--print-timeout', '3500ms'], {
      stdin: lines(userEvent('1'), userEvent('2'), userEvent('3')),
    });
    expect(resultsOf(run).map(({ status, response }) => [status, response])).toEqual([
      ['SUCCESS', 'a'],
      ['ERROR', 'b'],
      ['SUCCESS', 'c'],
    ]);
    expect(run.code).toBe(1);
  });
});

test('/plan holds for its turn only', async () => {
  await server.close();
  house.remove();
  const write: ScriptedReply = {
    calls: [{ name: 'write_to_file', arguments: { TargetFile: 'a.txt', CodeContent: 'x' } }],
  };
  await withReplies([write, { text: 'planned' }, write, { text: 'written' }]);
  const run = await house.run(STREAMS, { stdin: lines(userEvent('/plan write a.txt'), userEvent('do it')) });
  const [planned, written] = resultsOf(run);
  expect(planned).toMatchObject({ response: 'planned', denied_actions: [{ action: 'write_file' }] });
  expect(written).toMatchObject({ status: 'SUCCESS', response: 'written' });
  const states = stepsOf(run).filter(({ step_type, state }) => step_type === 'tool' && state !== 'ACTIVE');
  expect(states.map(({ state }) => state)).toEqual(['ERROR', 'DONE']);
});

describe('what cannot be taken', () => {
  const user = (message: unknown): object => ({ event: 'user', message });
  test.each([
    ['rubbish', "failed to decode stream input: invalid character 'r' looking for beginning of value", 1],
    [
      '{"event":"user",}',
      "failed to decode stream input: invalid character '}' looking for beginning of object key string",
      1,
    ],
    ['{"event":"us', 'failed to decode stream input: unexpected end of JSON input', 1],
    [
      '[1]',
      'failed to decode stream input: json: cannot unmarshal array into Go value of type printmode.streamInputMessage',
      1,
    ],
    [{}, 'stream input message is missing the "event" field', 1],
    [{ type: 'user', message: {} }, 'stream input message is missing the "event" field', 1],
    [{ event: 'control_request' }, 'stream input message event "control_request" is not supported yet', 2],
    [{ event: 'control_response' }, 'stream input message event "control_response" is not supported yet', 2],
    [{ event: 'user' }, 'stream input "user" message is missing the "message" field', 1],
    [{ event: 'user', text: 'x' }, 'stream input "user" message is missing the "message" field', 1],
    [
      user('x'),
      'failed to decode stream input: json: cannot unmarshal string into Go struct field streamInputMessage.message of type printmode.streamInputUserMessage',
      1,
    ],
    [user({}), 'stream input "user" message has no content', 1],
    [user({ content: '' }), 'stream input "user" message has no content', 1],
    [user({ content: [] }), 'stream input "user" message has no content', 1],
    [
      user({
        content: [
          { type: 'text', text: 'a' },
          { type: 'image', source: {} },
        ],
      }),
      'stream input content block type "image" is not supported (only "text")',
      1,
    ],
    [
      userEvent('/model'),
      '/model is answered by the CLI itself and is unavailable with --input-format stream-json; run it as its own --print /model invocation',
      2,
    ],
    [userEvent('/clear'), '/clear is not available in print mode', 2],
  ])('%j (stdin-bad-line, stdin-command)', async (line, error, code) => {
    const run = await house.run(STREAMS, { stdin: lines(userEvent('x'), line, userEvent('never')) });
    expect(run.code).toBe(code);
    const [first, second, ...more] = resultsOf(run);
    expect(first).toMatchObject({ status: 'SUCCESS', response: 'apple\n', num_turns: 1 });
    expect(second).toMatchObject({ status: 'ERROR', response: '', num_turns: 1, usage: first?.usage });
    expect(second?.error).toContain(error);
    expect(more).toEqual([]);
    expect(run.stderr).toContain(`error: ${error}`);
    expect(server.calls).toHaveLength(1);
  });

  test('with slash commands off a slash is text (slash-off)', async () => {
    const run = await house.run([...STREAMS, '--disable-slash-commands'], {
      stdin: lines(userEvent('/model')),
    });
    expect(run.code).toBe(0);
    const messages = server.calls[0]?.body.messages;
    expect(Array.isArray(messages) && messages.at(-1)).toMatchObject({ content: '/model' });
  });
});
