import { describe, expect, test } from 'vitest';
import { runTurn } from '../../../src/agent/loop/run-turn.ts';
import { CapReachedError, type LoopEvent, type TurnOptions } from '../../../src/agent/loop/types.ts';
import {
  type Model,
  ModelError,
  type ModelPart,
  type ModelRequest,
} from '../../../src/agent/models/types.ts';
import type { PermissionRequest } from '../../../src/agent/permissions/types.ts';
import type { Tool } from '../../../src/agent/tools/types.ts';
import { emptyUsage } from '../../../src/contract/events.ts';

type Reply = (request: ModelRequest) => (ModelPart | ModelError)[];

const done = (reason: 'stop' | 'tool_calls' | 'length' = 'stop'): ModelPart => ({
  type: 'finish',
  reason,
  usage: emptyUsage(),
});
const say =
  (...texts: string[]): Reply =>
  () => [...texts.map((text) => ({ type: 'text' as const, text })), done()];
const call = (id: string, name: string, args: Record<string, unknown> | string = {}): ModelPart => ({
  type: 'tool_call',
  id,
  name,
  arguments: args,
});
const calls =
  (...parts: ModelPart[]): Reply =>
  () => [...parts, done('tool_calls')];

function modelOf(replies: Reply[]): Model & { requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    id: 'fake/model',
    requests,
    async *stream(request) {
      requests.push({ ...request, messages: [...request.messages] });
      const reply = replies[requests.length - 1];
      if (!reply) throw new Error('the script is exhausted');
      for (const part of reply(request)) {
        if (part instanceof ModelError) throw part;
        yield part;
      }
    },
  };
}

const READ: PermissionRequest = { action: 'read_file', path: '/w/a', given: '/w/a' };
const WRITE: PermissionRequest = { action: 'write_file', path: '/w/a', given: '/w/a' };

/** A tool that notes when it begins and ends. */
function toolOf(name: string, request: PermissionRequest, log: string[], ms = 20): Tool {
  return {
    declaration: { name, description: name, parameters: { type: 'object' } },
    displayName: name,
    async prepare(args) {
      return {
        requests: [request],
        parameters: args,
        async run() {
          log.push(`${name} begins`);
          await new Promise((resolve) => setTimeout(resolve, ms));
          log.push(`${name} ends`);
          return { output: `${name} was run`, isError: false };
        },
      };
    },
  };
}

async function run(
  replies: Reply[],
  options: Partial<TurnOptions> = {},
): Promise<{
  events: LoopEvent[];
  model: ReturnType<typeof modelOf>;
  end: Awaited<ReturnType<typeof runTurn>>;
}> {
  const model = modelOf(replies);
  const events: LoopEvent[] = [];
  const end = await runTurn({
    model,
    system: 'system',
    messages: [{ role: 'user', text: 'go' }],
    tools: [],
    hooks: {},
    onEvent: (event) => events.push(event),
    signal: new AbortController().signal,
    ...options,
  });
  return { events, model, end };
}

const kinds = (events: LoopEvent[]): string[] => events.map(({ type }) => type);

describe('a turn', () => {
  test('is the text of its last reply', async () => {
    const log: string[] = [];
    const look = toolOf('look', READ, log, 1);
    const { end, events, model } = await run(
      [
        () => [{ type: 'text', text: 'I look.' }, call('1', 'look'), done('tool_calls')],
        say('It is ', 'there.'),
      ],
      { tools: [look] },
    );
    expect(end).toEqual({ text: 'It is there.', reason: 'stop' });
    expect(kinds(events)).toEqual([
      'reply_text',
      'reply_done',
      'tool_started',
      'tool_done',
      'reply_text',
      'reply_text',
      'reply_done',
    ]);
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  });

  test('keeps reasoning with what its provider needs back, one block a signature', async () => {
    const { events } = await run([
      () => [
        { type: 'reasoning', text: 'a' },
        { type: 'reasoning', text: 'b' },
        { type: 'reasoning', text: '', provider: { x: { signature: 's' } } },
        { type: 'reasoning', text: 'c' },
        { type: 'text', text: 'x' },
        { type: 'text', text: 'y' },
        done(),
      ],
    ]);
    const reply = events.find((event) => event.type === 'reply_done');
    expect(reply?.type === 'reply_done' && reply.reply.blocks).toEqual([
      { type: 'reasoning', text: 'ab', provider: { x: { signature: 's' } } },
      { type: 'reasoning', text: 'c' },
      { type: 'text', text: 'xy' },
    ]);
  });

  test('passes the model’s error on, with what had come of the text', async () => {
    const lost = new ModelError('stream', 'reset');
    const events: LoopEvent[] = [];
    const failing = run([() => [{ type: 'text', text: 'half' }, lost]], {
      onEvent: (event) => events.push(event),
    });
    await expect(failing).rejects.toBe(lost);
    expect(events.at(-1)).toMatchObject({ type: 'reply_cut', text: 'half' });
    await expect(run([() => [{ type: 'text', text: 'no finish' }]])).rejects.toMatchObject({
      kind: 'stream',
    });
  });
});

describe('calls of one reply', () => {
  test('that read run side by side, one that writes runs alone and in its place', async () => {
    const log: string[] = [];
    const tools = [
      toolOf('r1', READ, log),
      toolOf('r2', READ, log),
      toolOf('w', WRITE, log),
      toolOf('r3', READ, log),
    ];
    const { events, model } = await run(
      [calls(call('1', 'r1'), call('2', 'r2'), call('3', 'w'), call('4', 'r3')), say('ok')],
      { tools },
    );
    expect(log.slice(0, 2)).toEqual(['r1 begins', 'r2 begins']);
    expect(log.slice(4)).toEqual(['w begins', 'w ends', 'r3 begins', 'r3 ends']);
    expect(events.filter(({ type }) => type === 'tool_done')).toHaveLength(4);
    const results = model.requests[1]?.messages.at(-1);
    expect(results?.role === 'tool' && results.results.map(({ id }) => id)).toEqual(['1', '2', '3', '4']);
  });

  test('that are wrong are answered to the model, and the others run', async () => {
    const log: string[] = [];
    const throws: Tool = {
      ...toolOf('throws', READ, log),
      async prepare() {
        return {
          requests: [],
          parameters: {},
          async run() {
            throw new Error('broke its promise');
          },
        };
      },
    };
    const { model } = await run(
      [
        calls(call('1', 'nobody'), call('2', 'look', '{"half'), call('3', 'throws'), call('4', 'look')),
        say('ok'),
      ],
      { tools: [throws, toolOf('look', READ, log)] },
    );
    const results = model.requests[1]?.messages.at(-1);
    expect(
      results?.role === 'tool' && results.results.map(({ output, isError }) => [isError, output]),
    ).toEqual([
      [true, 'unknown tool: "nobody" — check spelling'],
      [true, expect.stringContaining('no JSON object: {"half')],
      [true, 'broke its promise'],
      [false, 'look was run'],
    ]);
  });

  test('are held back by the hook before them and shown changed by the one behind them', async () => {
    const log: string[] = [];
    const { model } = await run([calls(call('1', 'look'), call('2', 'write')), say('ok')], {
      tools: [toolOf('look', READ, log), toolOf('write', WRITE, log)],
      hooks: {
        beforeTool: async (tool) =>
          tool.displayName === 'write' ? { output: 'not allowed', isError: true } : undefined,
        afterTool: (_call, outcome) => ({ ...outcome, output: outcome.output.toUpperCase() }),
      },
    });
    expect(log).toEqual(['look begins', 'look ends']);
    const results = model.requests[1]?.messages.at(-1);
    expect(results?.role === 'tool' && results.results.map(({ output }) => output)).toEqual([
      'LOOK WAS RUN',
      'NOT ALLOWED',
    ]);
  });

  test('end the turn when the turn is aborted, those that wait are not begun', async () => {
    const log: string[] = [];
    const controller = new AbortController();
    const reason = new Error('enough');
    const turn = run([calls(call('1', 'w1'), call('2', 'w2')), say('never')], {
      tools: [toolOf('w1', WRITE, log), toolOf('w2', WRITE, log)],
      signal: controller.signal,
      onEvent: (event) => {
        if (event.type === 'tool_started') controller.abort(reason);
      },
    });
    await expect(turn).rejects.toBe(reason);
    expect(log).not.toContain('w2 begins');
  });

  test('pass on what the receiver of events throws, once the running ones have ended', async () => {
    const log: string[] = [];
    const turn = run([calls(call('1', 'r1'), call('2', 'r2')), say('never')], {
      tools: [toolOf('r1', READ, log, 1), toolOf('r2', READ, log, 30)],
      onEvent: (event) => {
        if (event.type === 'tool_done') throw new Error('the disk is full');
      },
    });
    await expect(turn).rejects.toThrow('the disk is full');
    expect(log).toContain('r2 ends');
  });
});

describe('hooks around the model', () => {
  test('a cap ends the turn', async () => {
    const turn = run([calls(call('1', 'nobody')), say('never')], {
      hooks: {
        async beforeModel(messages, callsMade) {
          if (callsMade === 1) throw new CapReachedError('enough');
          return messages;
        },
      },
    });
    await expect(turn).rejects.toThrow('enough');
  });

  test('a request that is too long is made again, shorter, once', async () => {
    const overflow = new ModelError('context_overflow', 'too long');
    const { model, end } = await run([() => [overflow], say('short')], {
      hooks: { onOverflow: async () => [{ role: 'user', text: 'shorter' }] },
    });
    expect(end.text).toBe('short');
    expect(model.requests[1]?.messages).toEqual([{ role: 'user', text: 'shorter' }]);
    const twice = run([() => [overflow], () => [overflow]], {
      hooks: { onOverflow: async () => [{ role: 'user', text: 'shorter' }] },
    });
    await expect(twice).rejects.toBe(overflow);
  });

  test('a model without tools is asked without them', async () => {
    let offered = true;
    const { model } = await run(
      [() => [new ModelError('invalid_request', 'gemma does not support tools')], say('fine')],
      {
        tools: [toolOf('look', READ, [])],
        hooks: {
          planCall: () => ({ withoutTools: !offered }),
          onToolsRefused() {
            offered = false;
            return true;
          },
        },
      },
    );
    expect(model.requests.map(({ tools }) => tools.length)).toEqual([1, 0]);
  });

  test('an answer can be sent back', async () => {
    const { events, model, end } = await run([say('wrong'), say('right')], {
      hooks: { afterReply: (text) => (text === 'wrong' ? 'that is wrong' : undefined) },
    });
    expect(end.text).toBe('right');
    expect(kinds(events)).toContain('steered');
    expect(model.requests[1]?.messages.at(-1)).toEqual({ role: 'user', text: 'that is wrong' });
  });
});
