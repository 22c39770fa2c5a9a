import {
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import type { ServerCore } from '../core.ts';
import { createServerFactory } from '../create-server.ts';
import type { Log } from '../log.ts';
import { listenedResources } from '../resources/listened.ts';
import { createResourceWatch } from '../resources/watch.ts';
import type { HttpAddress } from './address.ts';
import { checkCrossOrigin, checkHost, createBearerCheck, type Rejection } from './guards.ts';
import { readJsonBody } from './read-body.ts';
import { createSessions, type SessionLimits, type Sessions } from './sessions.ts';

const MAX_BODY_BYTES = 4 * 1024 * 1024;
const HEADERS_MS = 10_000;
/** A whole request must have arrived within this. */
const REQUEST_MS = 60_000;
const MAX_CONNECTIONS = 512;
const SWEEP_MS = 5_000;
/** Running requests get this long when the server ends. */
const DRAIN_MS = 5_000;
const DRAIN_STEP_MS = 50;

/** Pages and the like beside MCP, asked first for every request that passed the guards. True = it has answered. */
export type PageHandler = (request: IncomingMessage, response: ServerResponse) => boolean;

interface SweepTimes {
  everyMs: number;
  /** A client that does not read what it is sent is cut off after this. */
  stuckMs: number;
}

const SWEEP_TIMES: SweepTimes = { everyMs: SWEEP_MS, stuckMs: 30_000 };

export interface HttpOptions {
  address: HttpAddress;
  token?: string;
  page?: PageHandler;
  sessionLimits?: SessionLimits;
  sweepTimes?: SweepTimes;
  /** What makes the servers, when they are not to be this package's own (the conformance suite's fixtures are not). */
  createFactory?: typeof createServerFactory;
}

export interface RunningHttp {
  /** `http://127.0.0.1:8765` */
  url: string;
  /** Takes no new requests, gives the running ones a moment, then ends. */
  close(): Promise<void>;
}

function answer(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers });
  response.end(text);
}

function answerError(response: ServerResponse, status: number, code: number, message: string): void {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null });
  // What is left of the request is not read, so the connection cannot be used again.
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(body);
}

function reject(response: ServerResponse, { status, message, headers }: Rejection): void {
  answer(response, status, message, headers);
}

/**
 * The same response, its body given up the moment the client is gone: otherwise its stream counts as open until the
 * next event, and the client that comes back for it is turned away.
 */
function endWithClient(reply: Response, response: ServerResponse): Response {
  if (!reply.body) return reply;
  const reader = reply.body.getReader();
  const giveUp = (): Promise<void> => reader.cancel().catch(() => {});
  response.once('close', () => void giveUp());
  if (response.closed) void giveUp();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: giveUp,
  });
  return new Response(body, { status: reply.status, headers: reply.headers });
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?', 1)[0] ?? '/';
}

/** `/mcp`, and POST on `/`: the address alone is what many people configure. */
function isMcp(request: IncomingMessage): boolean {
  const path = pathOf(request);
  return path === '/mcp' || (path === '/' && request.method !== 'GET' && request.method !== 'HEAD');
}

/**
 * Cuts off clients that stopped reading, and forgets sessions that nobody uses. A client reads as long as what waits to
 * be sent to it becomes less now and then.
 */
function startSweep(
  sockets: ReadonlySet<Socket>,
  sessions: Sessions,
  { everyMs, stuckMs }: SweepTimes,
  log: Log,
): NodeJS.Timeout {
  const seen = new WeakMap<Socket, { waiting: number; since: number }>();
  const timer = setInterval(() => {
    sessions.sweep();
    const now = performance.now();
    for (const socket of sockets) {
      const waiting = socket.writableLength;
      const before = seen.get(socket);
      const isStuck = waiting > 0 && before !== undefined && waiting >= before.waiting;
      seen.set(socket, { waiting, since: isStuck ? before.since : now });
      if (!isStuck || now - before.since <= stuckMs) continue;
      log.info('a client that does not read was cut off', { waiting_bytes: waiting });
      socket.destroy();
    }
  }, everyMs);
  timer.unref();
  return timer;
}

function listen(server: HttpServer, { host, port }: HttpAddress): Promise<void> {
  return new Promise((resolve, reject_) => {
    server.once('error', reject_);
    server.listen(port, host, () => {
      server.off('error', reject_);
      resolve();
    });
  });
}

function urlOf(server: HttpServer): string {
  const bound: AddressInfo | string | null = server.address();
  if (bound === null || typeof bound === 'string') return '';
  return `http://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`;
}

/**
 * Serves MCP over HTTP on a loopback address, to any number of clients over one core: both protocol eras on `/mcp` and
 * on POST `/`, and `/healthz`. The caller has checked the address.
 */
export async function serveHttp(core: ServerCore, options: HttpOptions): Promise<RunningHttp> {
  const { address, token, page } = options;
  const checkBearer = createBearerCheck(token);
  const calls = { active: 0 };
  const factory = (options.createFactory ?? createServerFactory)(core, (change) => {
    calls.active += change;
  });
  const onerror = (error: Error): void => core.log.debug('protocol', { error: error.message.slice(0, 300) });
  const modern = createMcpHandler(factory, { legacy: 'reject', onerror, maxRequestBodySize: MAX_BODY_BYTES });
  const sessions = createSessions(factory, core.log, options.sessionLimits);
  const watch = createResourceWatch(core.stateDir, (uri) => modern.notify.resourceUpdated(uri));
  const sockets = new Set<Socket>();

  const serveMcp = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let parsedBody: unknown;
    if (request.method === 'POST') {
      if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
        answerError(response, 415, -32_000, 'Unsupported Media Type: Content-Type must be application/json');
        return;
      }
      const body = await readJsonBody(request, MAX_BODY_BYTES);
      if (!body.ok) {
        answerError(response, body.status, body.status === 400 ? -32_700 : -32_000, body.message);
        return;
      }
      parsedBody = body.value;
      // The SDK keeps to itself which addresses are listened to; it tells only who asked.
      for (const uri of listenedResources(parsedBody)) {
        watch.add(uri);
        response.once('close', () => watch.remove(uri));
      }
    }
    let session: string | null = null;
    response.once('close', () => sessions.released(session));
    const fetch = async (asked: Request): Promise<Response> => {
      if (!(await isLegacyRequest(asked, parsedBody))) return modern.fetch(asked, { parsedBody });
      const reply = await sessions.handle(asked, parsedBody);
      session = asked.headers.get('mcp-session-id') ?? reply.headers.get('mcp-session-id');
      if (response.closed) sessions.released(session);
      return endWithClient(reply, response);
    };
    await toNodeHandler({ fetch }, { onerror })(request, response, parsedBody);
  };

  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    response.on('error', () => {});
    if (pathOf(request) === '/healthz' && (request.method === 'GET' || request.method === 'HEAD')) {
      answer(response, 200, 'ok\n');
      return;
    }
    const rejection = checkBearer(request) ?? checkCrossOrigin(request) ?? checkHost(request, address.host);
    if (rejection) {
      reject(response, rejection);
      return;
    }
    if (page?.(request, response)) return;
    if (!isMcp(request)) {
      answer(response, 404, `nothing here: MCP is served on /mcp\n`);
      return;
    }
    serveMcp(request, response).catch((error: unknown) => {
      core.log.error('request failed', { error: String(error).slice(0, 300) });
      response.destroy();
    });
  };

  const server = createServer(
    { headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS, connectionsCheckingInterval: SWEEP_MS },
    onRequest,
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await listen(server, address);
  const sweep = startSweep(sockets, sessions, options.sweepTimes ?? SWEEP_TIMES, core.log);
  const url = urlOf(server);
  core.log.info(
    `serving Streamable HTTP on ${url} (${token ? 'bearer-token auth enabled' : 'unauthenticated'})`,
    { state: core.stateDir },
  );
  return {
    url,
    async close() {
      clearInterval(sweep);
      watch.close();
      const over = new Promise<void>((resolve) => server.close(() => resolve()));
      const from = performance.now();
      // Only calls that are being answered are waited for: an open stream without one has nothing more to say.
      while (calls.active > 0 && performance.now() - from < DRAIN_MS) await sleep(DRAIN_STEP_MS);
      await Promise.all([sessions.close(), modern.close()]);
      await sleep(DRAIN_STEP_MS);
      server.closeAllConnections();
      await over;
    },
  };
}
