import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { isFields } from '../../../src/contract/fields.ts';
import { chatReply, responsesReply } from './openai-wires.ts';
import { anthropicReply, googleReply } from './other-wires.ts';
import type { ScriptedReply, SentEvent, TestWire, WireReply } from './script.ts';

/** A request that the stand-in received. */
export interface ModelCall {
  wire: TestWire;
  method: string;
  url: string;
  headers: Record<string, string | string[] | undefined>;
  body: Record<string, unknown>;
}

export interface ModelServer {
  /** `http://127.0.0.1:port`, without a path. */
  url: string;
  /** Every model request so far, oldest first. Requests for lists of models are not among them. */
  calls: ModelCall[];
  /** Every request for an image so far, answered with `options.image`. */
  imageCalls: Omit<ModelCall, 'wire'>[];
  /** Every request of any kind: `METHOD path`. */
  seen: string[];
  /** Connections that were ever opened. */
  connections: () => number;
  /** Closes the connections on which nothing is under way. */
  dropIdle: () => void;
  /** Environment variables with which baton-agent reaches this server by a wire. */
  environment(wire: TestWire): Record<string, string>;
  close(): Promise<void>;
}

export interface ModelServerOptions {
  /** What `GET …/models` answers, on every wire. Default `['mock-1']`. */
  models?: string[];
  /** What requests for an image are answered with, as Google and OpenAI do. Without it there are no such paths. */
  image?: Buffer;
  /** Serve https with this certificate. */
  tls?: { key: string; cert: string };
}

const REPLIES: Record<TestWire, (reply: ScriptedReply, model: string) => WireReply> = {
  chat: chatReply,
  responses: responsesReply,
  google: googleReply,
  anthropic: anthropicReply,
};

function wireOf(path: string): TestWire | undefined {
  if (path.endsWith('/chat/completions')) return 'chat';
  if (path.endsWith('/responses')) return 'responses';
  if (path.endsWith('/messages')) return 'anthropic';
  return path.endsWith(':streamGenerateContent') ? 'google' : undefined;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function send(response: ServerResponse, { event, data }: SentEvent): void {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`);
}

async function stream(response: ServerResponse, reply: ScriptedReply, wire: WireReply): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...reply.headers });
  for (const event of wire.begin) {
    send(response, event);
    // Each piece reaches the client by itself, as it does from a model.
    await sleep(1);
  }
  if (reply.breaks === 'stall') return;
  if (reply.breaks === 'reset') {
    response.socket?.destroy();
    return;
  }
  if (reply.breaks === 'error') send(response, wire.error);
  else if (reply.breaks === 'garbage') response.write('data: {"this is": no JSON\n\n');
  else for (const event of wire.end) send(response, event);
  response.end();
}

async function answer(response: ServerResponse, reply: ScriptedReply, call: ModelCall): Promise<void> {
  if (reply.delayMs !== undefined) await sleep(reply.delayMs);
  if (reply.resetBefore) {
    response.socket?.destroy();
    return;
  }
  if (reply.status !== undefined) {
    const isText = typeof reply.body === 'string';
    const type = isText ? 'text/html' : 'application/json';
    response.writeHead(reply.status, { 'content-type': type, ...reply.headers });
    response.end(isText ? reply.body : JSON.stringify(reply.body ?? { error: { message: 'mock failure' } }));
    return;
  }
  const model = typeof call.body.model === 'string' ? call.body.model : 'mock-1';
  await stream(response, reply, REPLIES[call.wire](reply, model));
}

function modelList(path: string, models: string[]): object {
  if (path.includes('/v1beta')) {
    return {
      models: models.map((model) => ({
        name: `models/${model}`,
        displayName: `Display ${model}`,
        inputTokenLimit: 1000,
        supportedGenerationMethods: ['generateContent'],
      })),
    };
  }
  return { object: 'list', data: models.map((id) => ({ id, object: 'model' })), has_more: false };
}

/** The answer to a request for an image; undefined for any other path. */
function imageAnswer(path: string, image: Buffer | undefined): object | undefined {
  const data = image?.toString('base64');
  if (data === undefined) return undefined;
  if (path.endsWith('/images/generations') || path.endsWith('/images/edits'))
    return { data: [{ b64_json: data }] };
  const parts = [{ text: 'Here it is.' }, { inlineData: { mimeType: 'image/png', data } }];
  return path.endsWith(':generateContent')
    ? { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] }
    : undefined;
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(Buffer.from(piece));
  const text = Buffer.concat(pieces).toString('utf8');
  const value: unknown = text === '' ? {} : JSON.parse(text);
  return isFields(value) ? value : {};
}

/**
 * A stand-in for model providers on loopback that speaks all four wires. It gives the scripted replies one after the
 * other, or what a function makes of each request; after the last one it answers 500, so that a test notices.
 */
export async function startModelServer(
  replies: ScriptedReply[] | ((call: ModelCall, index: number) => ScriptedReply),
  options: ModelServerOptions = {},
): Promise<ModelServer> {
  const calls: ModelCall[] = [];
  const imageCalls: ModelServer['imageCalls'] = [];
  const seen: string[] = [];
  let connections = 0;
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = request.url ?? '/';
    const path = url.split('?')[0] ?? '/';
    seen.push(`${request.method} ${path}`);
    const body = await readBody(request);
    const made = imageAnswer(path, options.image);
    if (made) {
      imageCalls.push({ method: request.method ?? '', url, headers: request.headers, body });
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(made));
      return;
    }
    const wire = wireOf(path);
    if (!wire) {
      const isList = path.endsWith('/models');
      response.writeHead(isList ? 200 : 404, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(
          isList ? modelList(path, options.models ?? ['mock-1']) : { error: { message: `no ${path} here` } },
        ),
      );
      return;
    }
    const call: ModelCall = { wire, method: request.method ?? '', url, headers: request.headers, body };
    calls.push(call);
    const index = calls.length - 1;
    const reply = typeof replies === 'function' ? replies(call, index) : replies[index];
    await answer(
      response,
      reply ?? { status: 500, body: { error: { message: 'the script is exhausted' } } },
      call,
    );
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    response.on('error', () => {});
    handle(request, response).catch(() => response.destroy());
  };
  const server: Server = options.tls ? createTlsServer(options.tls, onRequest) : createServer(onRequest);
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const url = `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`;
  return {
    url,
    calls,
    imageCalls,
    seen,
    connections: () => connections,
    dropIdle: () => server.closeIdleConnections(),
    environment(wire): Record<string, string> {
      if (wire === 'google') return { GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: 'test-key' };
      if (wire === 'anthropic') return { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'test-key' };
      return { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'test-key', BATON_OPENAI_API: wire };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
