import { afterEach, describe, expect, it } from 'vitest';
import { selectModel } from '../../../src/agent/models/select.ts';
import type { AssistantBlock, Effort, Message, ModelRequest } from '../../../src/agent/models/types.ts';
import { type Asked, ask, modelOn } from '../../support/models/ask.ts';
import type { ScriptedReply, TestWire } from '../../support/models/script.ts';
import { type ModelServer, startModelServer } from '../../support/models/server.ts';

/** What each provider wants that the others do not, and what it is spared. */

let server: ModelServer | undefined;

async function serve(...replies: ScriptedReply[]): Promise<ModelServer> {
  server = await startModelServer(replies);
  return server;
}

afterEach(async () => {
  await server?.close();
  server = undefined;
});

const body = (index = 0): Record<string, unknown> => server?.calls[index]?.body ?? {};

async function sentWith(
  wire: TestWire,
  model: string,
  options: { effort?: Effort; request?: Partial<ModelRequest>; environment?: Record<string, string> } = {},
): Promise<Record<string, unknown>> {
  const stand = await serve({ text: 'ok' });
  const asked = await ask(
    await modelOn(stand, wire, {
      model,
      ...(options.effort && { effort: options.effort }),
      environment: { ...stand.environment(wire), ...options.environment },
    }),
    'hi',
    options.request,
  );
  expect(asked.error).toBeUndefined();
  return body();
}

/** The blocks as the loop puts them together: the pieces of a reasoning block, closed by the one with its signature. */
function blocksOf({ parts }: Asked): AssistantBlock[] {
  const blocks: AssistantBlock[] = [];
  for (const part of parts) {
    const last = blocks.at(-1);
    if (part.type === 'reasoning' && last?.type === 'reasoning' && !last.provider) {
      last.text += part.text;
      if (part.provider) last.provider = part.provider;
    } else if (part.type !== 'finish') blocks.push({ ...part });
  }
  return blocks;
}

const CALL = { id: 'call-a', name: 'list_dir', arguments: { DirectoryPath: '.' } };

/** A reply with signed reasoning and a call, and the request that brings its result back. */
async function roundTrip(wire: TestWire, call: ScriptedReply['calls'] = [CALL]): Promise<Message[]> {
  const stand = await serve({ reasoning: 'I think so.', signature: 'SIGNED', calls: call }, { text: 'done' });
  const model = await modelOn(stand, wire);
  const first = await ask(model, 'go');
  expect(first.error).toBeUndefined();
  const messages: Message[] = [
    { role: 'user', text: 'go' },
    { role: 'assistant', blocks: blocksOf(first) },
    { role: 'tool', results: [{ id: 'call-a', name: 'list_dir', output: 'a.txt', isError: false }] },
  ];
  expect((await ask(model, messages)).error).toBeUndefined();
  return messages;
}

describe('reasoning goes back to the provider that needs it', () => {
  it('Anthropic: whole, with the signature that came on an empty piece', async () => {
    await roundTrip('anthropic');
    expect(JSON.stringify(body(1).messages)).toContain(
      '{"type":"thinking","thinking":"I think so.","signature":"SIGNED"}',
    );
  });

  it('OpenAI: encrypted, with nothing stored on their side', async () => {
    await roundTrip('responses');
    expect(body(0)).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
    expect(body(1).input).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'reasoning', id: 'rs_1', encrypted_content: 'SIGNED' }),
        expect.objectContaining({ type: 'function_call', call_id: 'call-a' }),
        expect.objectContaining({ type: 'function_call_output', call_id: 'call-a', output: 'a.txt' }),
      ]),
    );
  });

  it('Google: the signature on the call, and the result as {name, content}', async () => {
    await roundTrip('google', [{ ...CALL, signature: 'THOUGHT' }]);
    const sent = JSON.stringify(body(1).contents);
    expect(sent).toContain('"thoughtSignature":"THOUGHT"');
    expect(sent).toContain('"response":{"name":"list_dir","content":"a.txt"}');
  });

  it('a compatible server: not at all, for many refuse a field they do not know', async () => {
    await roundTrip('chat');
    expect(JSON.stringify(body(1))).not.toContain('I think so.');
  });

  it('DeepSeek and local servers: as text, within the running turn only', async () => {
    const stand = await serve({ text: 'ok' }, { text: 'ok' });
    const model = await selectModel({
      model: 'deepseek/deepseek-flash',
      environment: { DEEPSEEK_BASE_URL: `${stand.url}/v1` },
      signal: new AbortController().signal,
    });
    const turn: Message[] = [
      { role: 'user', text: 'go' },
      {
        role: 'assistant',
        blocks: [
          { type: 'reasoning', text: 'I think so.' },
          { type: 'tool_call', ...CALL },
        ],
      },
      { role: 'tool', results: [{ id: 'call-a', name: 'list_dir', output: 'a.txt', isError: false }] },
    ];
    await ask(model, turn);
    expect(JSON.stringify(body(0))).toContain('"reasoning_content":"I think so."');
    await ask(model, [...turn, { role: 'user', text: 'next' }]);
    expect(JSON.stringify(body(1))).not.toContain('I think so.');
  });

  it.each<[TestWire, TestWire]>([
    ['anthropic', 'responses'],
    ['responses', 'google'],
    ['google', 'anthropic'],
    ['anthropic', 'chat'],
  ])('from %s never to %s', async (from, to) => {
    const messages = await roundTrip(from);
    await server?.close();
    const stand = await serve({ text: 'taken over' });
    const asked = await ask(await modelOn(stand, to), messages);
    expect(asked.text).toBe('taken over');
    expect(JSON.stringify(body())).not.toContain('SIGNED');
    expect(JSON.stringify(body())).not.toContain('I think so.');
    expect(JSON.stringify(body())).toContain('a.txt');
  });
});

describe('Ollama', () => {
  it('names reasoning otherwise, sends calls whole, and may say stop after them', async () => {
    const calls = [CALL, { ...CALL, id: 'call-b', arguments: { DirectoryPath: './src' } }];
    const stand = await serve({ likeOllama: true, reasoning: 'hm', text: 'I look.', calls, finish: 'stop' });
    const model = await selectModel({
      model: 'ollama/qwen3:8b',
      environment: { OLLAMA_HOST: stand.url },
      signal: new AbortController().signal,
    });
    const asked = await ask(model, 'go');
    expect(asked.error).toBeUndefined();
    expect(asked.reasoning).toBe('hm');
    expect(asked.text).toBe('I look.');
    expect(asked.calls.map(({ id, arguments: given }) => ({ id, given }))).toEqual(
      calls.map(({ id, arguments: given }) => ({ id, given })),
    );
    expect(asked.finish).toMatchObject({
      reason: 'tool_calls',
      usage: {
        input_tokens: 100,
        output_tokens: 10,
        thinking_tokens: 0,
        cache_read_tokens: 0,
        total_tokens: 110,
      },
    });
    expect(stand.calls[0]?.headers).not.toHaveProperty('authorization');
  });
});

describe('an effort', () => {
  it('is a word for OpenAI, known and unknown models alike', async () => {
    expect(await sentWith('responses', 'openai/gpt-6-sol', { effort: 'low' })).toMatchObject({
      reasoning: { effort: 'low' },
    });
    await server?.close();
    expect(await sentWith('responses', 'openai/brand-new', { effort: 'high' })).toMatchObject({
      reasoning: { effort: 'high' },
    });
    await server?.close();
    expect(await sentWith('chat', 'openai/gpt-oss-120b-medium')).toMatchObject({
      model: 'gpt-oss-120b',
      reasoning_effort: 'medium',
    });
  });

  it('is a level for Gemini 3, a number of tokens for Gemini 2.5, and thoughts are asked for', async () => {
    expect(await sentWith('google', 'google/gemini-3.8-flash-high')).toMatchObject({
      generationConfig: { thinkingConfig: { thinkingLevel: 'high', includeThoughts: true } },
    });
    await server?.close();
    expect(await sentWith('google', 'google/gemini-2.5-pro', { effort: 'low' })).toMatchObject({
      generationConfig: { thinkingConfig: { thinkingBudget: 2048 } },
    });
    await server?.close();
    const sent = await sentWith('google', 'google/gemini-2.0-flash');
    expect(JSON.stringify(sent)).not.toContain('thinkingConfig');
  });

  it('is adaptive thinking for new Claudes, a number of tokens for older ones', async () => {
    expect(await sentWith('anthropic', 'anthropic/claude-opus-5-5', { effort: 'high' })).toMatchObject({
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high' },
    });
    await server?.close();
    expect(await sentWith('anthropic', 'anthropic/claude-opus-4-5', { effort: 'medium' })).toMatchObject({
      thinking: { type: 'enabled', budget_tokens: 8192 },
      max_tokens: 40_192,
    });
  });

  it('is not sent when none is asked for', async () => {
    for (const [wire, model] of [
      ['responses', 'openai/gpt-6-sol'],
      ['chat', 'openai/gpt-oss-120b'],
      ['anthropic', 'anthropic/claude-opus-5-5'],
    ] as const) {
      expect(JSON.stringify(await sentWith(wire, model))).not.toMatch(/effort|budget_tokens/);
      await server?.close();
    }
  });
});

describe('a request', () => {
  it('names the longest reply to Anthropic, known model or not, and to others only when asked', async () => {
    expect(await sentWith('anthropic', 'anthropic/claude-unheard-of')).toMatchObject({ max_tokens: 32_000 });
    await server?.close();
    const asked = await sentWith('anthropic', 'anthropic/claude-opus-5-5', {
      request: { maxOutputTokens: 77 },
    });
    expect(asked).toMatchObject({ max_tokens: 77 });
    await server?.close();
    expect(await sentWith('chat', 'openai/m')).not.toHaveProperty('max_tokens');
    await server?.close();
    expect(await sentWith('chat', 'openai/m', { request: { maxOutputTokens: 77 } })).toMatchObject({
      max_tokens: 77,
    });
  });

  it('lets Anthropic keep what is sent again with every step', async () => {
    const sent = await sentWith('anthropic', 'anthropic/claude-opus-5-5');
    expect(JSON.stringify(sent.system)).toContain('"cache_control":{"type":"ephemeral"}');
    expect(JSON.stringify(sent.messages)).toContain('"cache_control":{"type":"ephemeral"}');
  });

  it('asks for usage in the stream, but not of a server that refuses the question', async () => {
    expect(await sentWith('chat', 'openai/m')).toMatchObject({ stream_options: { include_usage: true } });
    await server?.close();
    const stand = await serve({ text: 'ok' });
    const model = await selectModel({
      model: 'mistral/mistral-large-latest',
      environment: { MISTRAL_BASE_URL: `${stand.url}/v1`, MISTRAL_API_KEY: 'k' },
      signal: new AbortController().signal,
    });
    const results = [{ id: 'call-a', name: 'list_dir', output: 'a.txt', isError: false }];
    await ask(model, [
      { role: 'user', text: 'go' },
      { role: 'assistant', blocks: [{ type: 'tool_call', ...CALL }] },
      { role: 'tool', results },
    ]);
    expect(body()).not.toHaveProperty('stream_options');
    // Mistral takes ids of nine letters and digits only.
    const ids = [...JSON.stringify(body()).matchAll(/"(?:id|tool_call_id)":"([^"]*)"/g)].map(
      (match) => match[1],
    );
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^[a-zA-Z0-9]{9}$/);
  });

  it('sends ids that every provider takes', async () => {
    const id = `weird id/${'x'.repeat(80)}`;
    const messages: Message[] = [
      { role: 'user', text: 'go' },
      { role: 'assistant', blocks: [{ type: 'tool_call', ...CALL, id }] },
      { role: 'tool', results: [{ id, name: 'list_dir', output: 'a.txt', isError: false }] },
    ];
    await ask(await modelOn(await serve({ text: 'ok' }), 'anthropic'), messages);
    const anthropic = JSON.stringify(body());
    expect(anthropic).toContain('"tool_use_id":"weird_id_x');
    expect(anthropic).toContain('"id":"weird_id_x');
    await server?.close();
    await ask(await modelOn(await serve({ text: 'ok' }), 'responses'), messages);
    const ids = [...JSON.stringify(body()).matchAll(/"call_id":"([^"]*)"/g)].map((match) => match[1]);
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toHaveLength(64);
  });

  it('asks for the provider’s own structured output where that goes together with tools', async () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'number' } },
      required: ['a'],
      additionalProperties: false,
    };
    const request = { responseSchema: schema };
    expect(await sentWith('responses', 'openai/gpt-6-sol', { request })).toMatchObject({
      text: { format: { type: 'json_schema' } },
    });
    await server?.close();
    expect(await sentWith('google', 'google/gemini-3.8-flash', { request })).toMatchObject({
      generationConfig: { responseMimeType: 'application/json' },
    });
    await server?.close();
    const old = await sentWith('google', 'google/gemini-2.5-pro', { request });
    expect(JSON.stringify(old)).not.toContain('responseMimeType');
    await server?.close();
    expect(await sentWith('chat', 'openai/m', { request })).not.toHaveProperty('response_format');
    await server?.close();
    expect(await sentWith('chat', 'openai/m', { request: { ...request, tools: [] } })).toMatchObject({
      response_format: { type: 'json_schema' },
    });
  });

  it('carries the key where each provider looks for it', async () => {
    const looks: [TestWire, string, string][] = [
      ['chat', 'authorization', 'Bearer test-key'],
      ['responses', 'authorization', 'Bearer test-key'],
      ['google', 'x-goog-api-key', 'test-key'],
      ['anthropic', 'x-api-key', 'test-key'],
    ];
    for (const [wire, header, value] of looks) {
      const stand = await serve({ text: 'ok' });
      await ask(await modelOn(stand, wire), 'hi');
      expect(stand.calls[0]?.headers[header]).toBe(value);
      expect(stand.calls[0]?.url).not.toContain('test-key');
      await stand.close();
    }
  });
});

describe('a provider’s own way to fail', () => {
  it('Google: a limit per minute is waited for, a limit per day is not', async () => {
    const limit = (quotaId: string, retryDelay: string): ScriptedReply => ({
      status: 429,
      body: {
        error: {
          code: 429,
          message: 'You exceeded your current quota, please check your plan and billing details.',
          status: 'RESOURCE_EXHAUSTED',
          details: [
            { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId }] },
            { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay },
          ],
        },
      },
    });
    const minute = limit('GenerateRequestsPerMinutePerProjectPerModel', '0.2s');
    const asked = await ask(await modelOn(await serve(minute, { text: 'at last' }), 'google'), 'hi');
    expect(asked.text).toBe('at last');
    await server?.close();
    const day = limit('GenerateRequestsPerDayPerProjectPerModel', '0.2s');
    const failed = await ask(await modelOn(await serve(day, { text: 'never' }), 'google'), 'hi');
    expect(failed.error).toMatchObject({ kind: 'quota', status: 429 });
    expect(server?.calls).toHaveLength(1);
  });

  it('Google: a refused key comes as a bad request', async () => {
    const refused = {
      status: 400,
      body: {
        error: {
          code: 400,
          message: 'API key not valid. Please pass a valid API key.',
          status: 'INVALID_ARGUMENT',
        },
      },
    };
    const asked = await ask(await modelOn(await serve(refused), 'google'), 'hi');
    expect(asked.error?.kind).toBe('auth');
  });

  it('Google: a malformed call is asked for again', async () => {
    const asked = await ask(
      await modelOn(await serve({ finish: 'MALFORMED_FUNCTION_CALL' }, { text: 'at last' }), 'google'),
      'hi',
    );
    expect(asked.text).toBe('at last');
    expect(asked.retried).toHaveLength(1);
  });

  it('Anthropic: overloaded is 529 and may pass', async () => {
    const busy = {
      status: 529,
      body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    };
    const asked = await ask(await modelOn(await serve(busy, { text: 'at last' }), 'anthropic'), 'hi');
    expect(asked.text).toBe('at last');
  });

  it('obeys a provider that says whether to ask again', async () => {
    const no = { status: 500, headers: { 'x-should-retry': 'false' } };
    const asked = await ask(await modelOn(await serve(no), 'chat'), 'hi');
    expect(asked.error).toMatchObject({ kind: 'unavailable', retryable: false });
    expect(server?.calls).toHaveLength(1);
  });

  it('a proxy that cannot be used is named by the request', async () => {
    const model = await selectModel({
      model: 'openai/gpt-6-sol',
      environment: { OPENAI_API_KEY: 'k', HTTPS_PROXY: 'socks5://127.0.0.1:1' },
      signal: new AbortController().signal,
    });
    const asked = await ask(model, 'hi');
    expect(asked.error).toMatchObject({ kind: 'network', retryable: false });
    expect(asked.error?.message).toContain('socks5://127.0.0.1:1');
  });

  it('a local server that does not run is not waited for', async () => {
    const model = await selectModel({
      model: 'ollama/m',
      environment: { OLLAMA_HOST: '127.0.0.1:1' },
      signal: new AbortController().signal,
    });
    const asked = await ask(model, 'hi');
    expect(asked.error).toMatchObject({ kind: 'network', retryable: false });
    expect(asked.error?.message).toContain('is the server running?');
    expect(asked.retried).toEqual([]);
  });
});
