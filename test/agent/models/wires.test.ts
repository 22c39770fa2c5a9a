import { afterEach, describe, expect, it } from 'vitest';
import type { Message } from '../../../src/agent/models/types.ts';
import { ask, LIST_DIR, modelOn } from '../../support/models/ask.ts';
import type { ScriptedReply, TestWire } from '../../support/models/script.ts';
import { type ModelServer, startModelServer } from '../../support/models/server.ts';

const WIRES: TestWire[] = ['chat', 'responses', 'google', 'anthropic'];
let server: ModelServer | undefined;

async function serve(...replies: ScriptedReply[]): Promise<ModelServer> {
  server = await startModelServer(replies);
  return server;
}

afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** Everything that was sent, as one text. */
const sent = (index = 0): string => JSON.stringify(server?.calls[index]?.body);

describe.each(WIRES)('a reply over %s', (wire) => {
  it('streams text in the pieces that came', async () => {
    const model = await modelOn(await serve({ text: ['Hel', 'lo ', 'wörld 👍'] }), wire);
    const asked = await ask(model, 'hi');
    expect(asked.error).toBeUndefined();
    expect(asked.parts.filter((part) => part.type === 'text')).toHaveLength(3);
    expect(asked.text).toBe('Hello wörld 👍');
    expect(asked.finish?.reason).toBe('stop');
    expect(sent()).toContain('You are a test.');
  });

  it('passes on parallel tool calls whole, and their results back', async () => {
    const calls = [
      { id: 'call-a', name: 'list_dir', arguments: { DirectoryPath: '/a' } },
      { id: 'call-b', name: 'list_dir', arguments: { DirectoryPath: '/b "quoted"' } },
    ];
    const model = await modelOn(await serve({ text: 'I look.', calls }, { text: 'done' }), wire);
    const first = await ask(model, 'look');
    expect(first.error).toBeUndefined();
    expect(first.calls.map(({ id, name, arguments: given }) => ({ id, name, arguments: given }))).toEqual(
      calls,
    );
    expect(first.finish?.reason).toBe('tool_calls');

    const second = await ask(model, [
      { role: 'user', text: 'look' },
      { role: 'assistant', blocks: [{ type: 'text', text: 'I look.' }, ...first.calls] },
      {
        role: 'tool',
        results: [
          { id: 'call-a', name: 'list_dir', output: 'first-result', isError: false },
          { id: 'call-b', name: 'list_dir', output: 'second-result', isError: true },
        ],
      },
    ]);
    expect(second.error).toBeUndefined();
    expect(second.text).toBe('done');
    for (const piece of ['first-result', 'second-result', 'call-a', 'call-b', 'I look.']) {
      expect(sent(1)).toContain(piece);
    }
  });

  it('offers the tools with their schemas', async () => {
    const model = await modelOn(await serve({ text: 'ok' }), wire);
    await ask(model, 'hi');
    expect(sent()).toContain(LIST_DIR.description);
    expect(sent()).toContain('DirectoryPath');
  });

  it('tells reasoning from the answer', async () => {
    const model = await modelOn(await serve({ reasoning: 'Let me think.', text: 'Forty-two.' }), wire);
    const asked = await ask(model, 'hi');
    expect(asked.reasoning).toBe('Let me think.');
    expect(asked.text).toBe('Forty-two.');
  });

  it('counts usage once, thinking and cache reads apart', async () => {
    const usage = { input: 100, output: 30, thinking: 20, cacheRead: 60 };
    // Anthropic's own input excludes what was read from its cache, the others include it.
    const input = wire === 'anthropic' ? 40 : 100;
    const model = await modelOn(await serve({ text: 'ok', usage: { ...usage, input } }), wire);
    const asked = await ask(model, 'hi');
    expect(asked.finish?.usage).toEqual({
      input_tokens: 40,
      output_tokens: 30,
      thinking_tokens: 20,
      cache_read_tokens: 60,
      total_tokens: 70,
    });
  });

  it('ends a reply that reached the limit as cut', async () => {
    const words = {
      chat: 'length',
      responses: 'max_output_tokens',
      google: 'MAX_TOKENS',
      anthropic: 'max_tokens',
    };
    const model = await modelOn(await serve({ text: 'half a sen', finish: words[wire] }), wire);
    const asked = await ask(model, 'hi');
    expect(asked.finish?.reason).toBe('length');
    expect(asked.text).toBe('half a sen');
  });

  it('ends a refusal as one', async () => {
    const model = await modelOn(await serve({ refusal: 'I cannot help.' }), wire);
    const asked = await ask(model, 'hi');
    expect(asked.finish?.reason).toBe('content_filter');
    expect(asked.text).toBe('I cannot help.');
  });

  it('takes an empty answer for what it is', async () => {
    const model = await modelOn(await serve({}), wire);
    const asked = await ask(model, 'hi');
    expect(asked.error).toBeUndefined();
    expect(asked.parts.map((part) => part.type)).toEqual(['finish']);
    expect(asked.finish?.reason).toBe('stop');
  });

  it('passes arguments that are no JSON object on as text', async () => {
    const calls = [{ name: 'list_dir', arguments: '{"DirectoryPath": /no json' }];
    const model = await modelOn(await serve({ calls }), wire);
    const asked = await ask(model, 'hi');
    expect(asked.error).toBeUndefined();
    expect(asked.calls[0]?.arguments).toBe('{"DirectoryPath": /no json');
    expect(asked.finish?.reason).toBe('tool_calls');
  });

  it('sends such a call back so that the provider can read it', async () => {
    const model = await modelOn(await serve({ text: 'sorry' }), wire);
    const messages: Message[] = [
      { role: 'user', text: 'go' },
      {
        role: 'assistant',
        blocks: [{ type: 'tool_call', id: 'c1', name: 'list_dir', arguments: 'no json' }],
      },
      {
        role: 'tool',
        results: [{ id: 'c1', name: 'list_dir', output: 'arguments are no JSON', isError: true }],
      },
    ];
    expect((await ask(model, messages)).text).toBe('sorry');
    expect(sent()).toContain('arguments are no JSON');
    expect(sent()).not.toContain('"no json"');
  });

  it('gives a call that was cut off a result, so that the conversation goes on', async () => {
    const model = await modelOn(await serve({ text: 'on we go' }), wire);
    const messages: Message[] = [
      { role: 'user', text: 'go' },
      {
        role: 'assistant',
        blocks: [{ type: 'tool_call', id: 'c1', name: 'list_dir', arguments: { DirectoryPath: '.' } }],
      },
      { role: 'user', text: 'again' },
    ];
    expect((await ask(model, messages)).text).toBe('on we go');
    expect(sent()).toContain('the run was interrupted');
  });

  it('sends no half characters and no empty texts', async () => {
    const model = await modelOn(await serve({ text: 'ok' }), wire);
    const messages: Message[] = [
      { role: 'user', text: 'cut here: \uD83D' },
      { role: 'assistant', blocks: [{ type: 'text', text: '' }] },
      { role: 'user', text: 'next' },
    ];
    expect((await ask(model, messages)).text).toBe('ok');
    expect(sent()).toContain('cut here: \uFFFD');
    expect(sent()).not.toContain('"text":""');
    expect(sent()).not.toContain('"content":""');
  });

  it('shows the model an image that a tool returned', async () => {
    const model = await modelOn(await serve({ text: 'a cat' }), wire);
    const image = { mediaType: 'image/png', base64: 'aW1hZ2UtYnl0ZXM=' };
    const messages: Message[] = [
      { role: 'user', text: 'look' },
      { role: 'assistant', blocks: [{ type: 'tool_call', id: 'c1', name: 'view_file', arguments: {} }] },
      { role: 'tool', results: [{ id: 'c1', name: 'view_file', output: 'cat.png', isError: false, image }] },
    ];
    expect((await ask(model, messages)).text).toBe('a cat');
    expect(sent()).toContain('aW1hZ2UtYnl0ZXM=');
    expect(sent()).toContain('cat.png');
  });
});
