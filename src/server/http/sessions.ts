import { randomUUID } from 'node:crypto';
import { type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { Log } from '../log.ts';
import { createEventStore } from './event-store.ts';

interface Session {
  transport: WebStandardStreamableHTTPServerTransport;
  server: Server;
  /** Requests and streams that are open. */
  open: number;
  /** Milliseconds of `performance.now()` when the last one ended. */
  quietSince: number;
}

export interface SessionLimits {
  /** A session without an open request is forgotten after this. */
  idleMs: number;
  /** The longest unused one makes room for a new one beyond this. */
  most: number;
}

export const SESSION_LIMITS: SessionLimits = { idleMs: 30 * 60_000, most: 256 };

/** Sessions of clients that speak a revision before 2026-07-28 (later ones have none). */
export interface Sessions {
  handle(request: Request, parsedBody: unknown): Promise<Response>;
  /** To be called when the response to a request of a session is over. */
  released(sessionId: string | null): void;
  /** Forgets what was unused for too long. */
  sweep(): void;
  readonly size: number;
  close(): Promise<void>;
}

function refuse(status: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }, { status });
}

/**
 * Keeps one server object and one transport for each session. A session begins with a POST that names none, ends with
 * DELETE, or when nobody used it for long; its streams can be resumed after a break.
 */
export function createSessions(
  factory: () => Server,
  log: Log,
  limits: SessionLimits = SESSION_LIMITS,
): Sessions {
  const sessions = new Map<string, Session>();

  const drop = async (id: string, why: string): Promise<void> => {
    const session = sessions.get(id);
    if (!session) return;
    sessions.delete(id);
    log.debug('session over', { why });
    await session.server.close().catch(() => {});
  };

  const makeRoom = async (): Promise<void> => {
    while (sessions.size >= limits.most) {
      const idle = [...sessions].filter(([, session]) => session.open === 0);
      const oldest = (idle.length > 0 ? idle : [...sessions]).reduce((a, b) =>
        a[1].quietSince <= b[1].quietSince ? a : b,
      );
      await drop(oldest[0], 'room for a new one');
    }
  };

  const begin = async (request: Request, parsedBody: unknown): Promise<Response> => {
    await makeRoom();
    const server = factory();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: createEventStore(),
      onsessioninitialized: (id) => {
        sessions.set(id, { transport, server, open: 1, quietSince: performance.now() });
      },
      onsessionclosed: (id) => {
        sessions.delete(id);
      },
    });
    await server.connect(transport);
    const response = await transport.handleRequest(request, { parsedBody });
    // Anything but a good `initialize` leaves nothing to be kept.
    if (transport.sessionId === undefined || !sessions.has(transport.sessionId))
      void server.close().catch(() => {});
    return response;
  };

  return {
    get size() {
      return sessions.size;
    },
    async handle(request, parsedBody) {
      const id = request.headers.get('mcp-session-id');
      if (id === null) {
        if (request.method !== 'POST') return refuse(400, 'Bad Request: Mcp-Session-Id header is required');
        return begin(request, parsedBody);
      }
      const session = sessions.get(id);
      if (!session) return refuse(404, 'session not found');
      session.open++;
      return session.transport.handleRequest(request, { parsedBody });
    },
    released(id) {
      const session = id === null ? undefined : sessions.get(id);
      if (!session) return;
      session.open = Math.max(0, session.open - 1);
      session.quietSince = performance.now();
    },
    sweep() {
      const now = performance.now();
      for (const [id, session] of sessions) {
        if (session.open === 0 && now - session.quietSince > limits.idleMs) void drop(id, 'unused');
      }
    },
    async close() {
      await Promise.all([...sessions.keys()].map((id) => drop(id, 'the server ends')));
    },
  };
}
