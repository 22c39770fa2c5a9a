import { afterEach, describe, expect, it } from 'vitest';
import { type Asked, ask, modelOn } from '../../support/models/ask.ts';
import type { ScriptedReply, TestWire } from '../../support/models/script.ts';
import { type ModelServer, startModelServer } from '../../support/models/server.ts';

const WIRES: TestWire[] = ['chat', 'responses', 'google', 'anthropic'];
let server: ModelServer | undefined;

async function serve(...replies: ScriptedReply[]): Promise<ModelServer> {
  server = await startModelServer(replies, { models: ['right-1', 'right-2'] });
  return server;
}

afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** A provider's error body, in its own form. */
function errorBody(wire: TestWire, status: number, message: string, code = ''): object {
  if (wire === 'google') return { error: { code: status, message, status: code, details: [] } };
  if (wire === 'anthropic')
    return { type: 'error', error: { type: code || 'invalid_request_error', message } };
  return { error: { message, type: code || 'invalid_request_error', code: code || null, param: null } };
}

async function askOnce(
  wire: TestWire,
  replies: ScriptedReply[],
  environment: Record<string, string> = {},
): Promise<Asked> {
  const stand = await serve(...replies);
  const model = await modelOn(stand, wire, { environment: { ...stand.environment(wire), ...environment } });
  return ask(model, 'the prompt is secret');
}

describe.each(WIRES)('a failing provider over %s', (wire) => {
  it('is asked again after a failure of its own, each one reported', async () => {
    const asked = await askOnce(wire, [{ status: 500 }, { status: 503 }, { text: 'at last' }]);
    expect(asked.error).toBeUndefined();
    expect(asked.text).toBe('at last');
    expect(asked.retried).toHaveLength(2);
    expect(asked.retried[0]).toContain('500');
  });

  it('is asked again when it closes the connection without a reply', async () => {
    const asked = await askOnce(wire, [{ resetBefore: true }, { text: 'at last' }]);
    expect(asked.text).toBe('at last');
    expect(asked.retried).toHaveLength(1);
  });

  it('is asked again when it does not begin to reply', async () => {
    const asked = await askOnce(wire, [{ delayMs: 5000, text: 'too late' }, { text: 'at last' }], {
      BATON_MODEL_IDLE_TIMEOUT: '200ms',
    });
    expect(asked.text).toBe('at last');
    expect(asked.retried[0]).toContain('no reply within 0.2 s');
  });

  it('is asked again when its stream ends before the first part', async () => {
    const asked = await askOnce(wire, [{ finish: null }, { text: 'at last' }]);
    expect(asked.text).toBe('at last');
    expect(asked.retried).toHaveLength(1);
  });

  it('is asked again when it reports an overload before the first part', async () => {
    const asked = await askOnce(wire, [{ breaks: 'error' }, { text: 'at last' }]);
    expect(asked.text).toBe('at last');
    expect(asked.retried[0]).toContain('overloaded');
  });

  it('is not asked for ever', async () => {
    const asked = await askOnce(
      wire,
      Array.from({ length: 9 }, () => ({ status: 500 })),
    );
    expect(asked.error).toMatchObject({ kind: 'unavailable', status: 500, retryable: true });
    expect(asked.retried).toHaveLength(4);
    expect(server?.calls).toHaveLength(5);
  });

  it('is never asked again after the first part: a reset', async () => {
    const asked = await askOnce(wire, [{ text: 'half', breaks: 'reset' }, { text: 'again' }]);
    expect(asked.text).toBe('half');
    expect(asked.error?.kind).toBe('network');
    expect(server?.calls).toHaveLength(1);
  });

  it('is never asked again after the first part: a stall', async () => {
    const asked = await askOnce(wire, [{ text: 'half', breaks: 'stall' }, { text: 'again' }], {
      BATON_MODEL_IDLE_TIMEOUT: '200ms',
    });
    expect(asked.text).toBe('half');
    expect(asked.error).toMatchObject({ kind: 'network' });
    expect(asked.error?.message).toContain('nothing arrived for 0.2 s');
    expect(server?.calls).toHaveLength(1);
  });

  it('is never asked again after the first part: an error event', async () => {
    const asked = await askOnce(wire, [{ text: 'half', breaks: 'error' }, { text: 'again' }]);
    expect(asked.text).toBe('half');
    expect(asked.error?.kind).toBe('unavailable');
    expect(asked.error?.message).toContain('the server is overloaded');
    expect(server?.calls).toHaveLength(1);
  });

  it('fails on an event that is no JSON', async () => {
    const asked = await askOnce(wire, [{ text: 'half', breaks: 'garbage' }]);
    expect(asked.text).toBe('half');
    expect(asked.error?.kind).toBe('stream');
  });

  it('fails when the stream ends without a finish', async () => {
    const asked = await askOnce(wire, [{ text: 'half', finish: null }]);
    expect(asked.text).toBe('half');
    expect(asked.finish).toBeUndefined();
    expect(asked.error?.kind).toBe('stream');
  });

  it('fails on a finish that nobody knows', async () => {
    const asked = await askOnce(wire, [{ text: 'half', finish: 'SOMETHING_NEW' }]);
    expect(asked.error?.kind).toBe('stream');
    expect(asked.error?.message).toContain('SOMETHING_NEW');
  });

  it('gives a clean message for a page of HTML', async () => {
    const page = '<html><head><title>502</title></head><body>nginx</body></html>';
    const asked = await askOnce(
      wire,
      Array.from({ length: 5 }, () => ({ status: 502, body: page })),
    );
    expect(asked.error).toMatchObject({ kind: 'unavailable', status: 502 });
    expect(asked.error?.message).toContain('502 Bad Gateway');
    expect(asked.error?.message).not.toContain('<');
  });

  it('names the variable of a refused key, and never the key', async () => {
    const asked = await askOnce(wire, [{ status: 401, body: errorBody(wire, 401, 'bad credentials') }]);
    expect(asked.error).toMatchObject({ kind: 'auth', status: 401, retryable: false });
    const variable = { chat: 'OPENAI', responses: 'OPENAI', google: 'GEMINI', anthropic: 'ANTHROPIC' }[wire];
    expect(asked.error?.message).toContain(`${variable}_API_KEY`);
    expect(asked.error?.message).not.toContain('test-key');
    expect(asked.error?.message).not.toContain('the prompt is secret');
    expect(server?.calls).toHaveLength(1);
  });

  it('waits as long as it is asked to, then asks again', async () => {
    const asked = await askOnce(wire, [
      { status: 429, headers: { 'retry-after': '1' }, body: errorBody(wire, 429, 'slow down', 'rate_limit') },
      { text: 'at last' },
    ]);
    expect(asked.text).toBe('at last');
    expect(asked.retried[0]).toContain('slow down');
  });

  it('does not wait for a pause that is too long', async () => {
    const asked = await askOnce(wire, [
      {
        status: 429,
        headers: { 'retry-after': '3600' },
        body: errorBody(wire, 429, 'slow down', 'rate_limit'),
      },
    ]);
    expect(asked.error).toMatchObject({ kind: 'rate_limit', status: 429, retryAfterMs: 3_600_000 });
    expect(server?.calls).toHaveLength(1);
  });

  it('is not asked again when the quota is used up', async () => {
    const message = {
      chat: 'You exceeded your current quota, please check your plan and billing details.',
      responses: 'You exceeded your current quota, please check your plan and billing details.',
      google: 'You exceeded your current quota, please check your plan and billing details.',
      anthropic: 'Your credit balance is too low to access the Anthropic API.',
    }[wire];
    const status = wire === 'anthropic' ? 400 : 429;
    const asked = await askOnce(wire, [
      { status, body: errorBody(wire, status, message, 'insufficient_quota') },
    ]);
    expect(asked.error).toMatchObject({ kind: 'quota', retryable: false });
    expect(server?.calls).toHaveLength(1);
  });

  it('tells a prompt that is too long from other bad requests', async () => {
    const message = {
      chat: "This model's maximum context length is 128000 tokens. However, your messages resulted in 150000 tokens.",
      responses:
        'Your input exceeds the context window of this model. Please adjust your input and try again.',
      google: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      anthropic: 'prompt is too long: 215000 tokens > 200000 maximum',
    }[wire];
    const asked = await askOnce(wire, [{ status: 400, body: errorBody(wire, 400, message) }]);
    expect(asked.error).toMatchObject({ kind: 'context_overflow', status: 400, retryable: false });

    await server?.close();
    const other = await askOnce(wire, [{ status: 400, body: errorBody(wire, 400, 'tools.0: bad schema') }]);
    expect(other.error).toMatchObject({ kind: 'invalid_request', status: 400 });
    expect(other.error?.message).toContain('tools.0: bad schema');
  });

  it('lists the models there are when the one asked for is unknown', async () => {
    const asked = await askOnce(wire, [
      { status: 404, body: errorBody(wire, 404, 'The model `mock` does not exist', 'not_found_error') },
    ]);
    expect(asked.error).toMatchObject({ kind: 'unknown_model', status: 404 });
    expect(asked.error?.message).toContain('right-1');
    expect(asked.error?.message).toContain('right-2');
  });

  it('says so when the address is not one of such a server', async () => {
    const asked = await askOnce(wire, [{ status: 404, body: '<html>Not Found</html>' }]);
    expect(asked.error?.kind).toBe('invalid_request');
    expect(asked.error?.message).toContain('_BASE_URL');
  });

  it('says so when the address is one of a web site that answers everything', async () => {
    const asked = await askOnce(wire, [{ status: 200, body: '<html>Welcome</html>' }]);
    expect(asked.error?.kind).toBe('invalid_request');
    expect(asked.error?.message).toContain('web page');
    expect(asked.error?.message).toContain('_BASE_URL');
    expect(server?.calls).toHaveLength(1);
  });

  it('stops at once when it is aborted, before and in the middle of a reply', async () => {
    const stand = await serve({ text: ['one ', 'two '], breaks: 'stall' });
    const model = await modelOn(stand, wire);
    const controller = new AbortController();
    const asked = await ask(model, 'hi', { signal: controller.signal }, (part) => {
      if (part.type === 'text' && part.text === 'two ') controller.abort();
    });
    expect(asked.text).toBe('one two ');
    expect(asked.error).toMatchObject({ kind: 'aborted', retryable: false });

    const before = await ask(model, 'hi', { signal: AbortSignal.abort() });
    expect(before.error?.kind).toBe('aborted');
    expect(stand.calls).toHaveLength(1);
  });

  it('stops at once when it is aborted between two tries', async () => {
    const stand = await serve({ status: 500 }, { text: 'never' });
    const model = await modelOn(stand, wire, {
      retry: { firstPauseMs: 60_000, maxPauseMs: 60_000, maxTotalMs: 90_000 },
    });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 300);
    const asked = await ask(model, 'hi', { signal: controller.signal });
    expect(asked.error?.kind).toBe('aborted');
    expect(stand.calls).toHaveLength(1);
  });
});
