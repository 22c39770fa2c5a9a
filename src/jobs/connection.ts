import { lstatSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { isFields } from '../contract/fields.ts';
import { createNdjsonReader } from '../contract/ndjson-reader.ts';
import type { JobState } from '../contract/outcome.ts';
import type { RefusalCode, ReplyValue, Request } from './protocol.ts';

/** The supervisor refused; nothing was started. The message is for the caller. */
export class JobRefusedError extends Error {
  override name = 'JobRefusedError';
  readonly code: RefusalCode;
  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The connection broke before the answer came: the request may or may not have been taken. */
export class ConnectionLostError extends Error {
  override name = 'ConnectionLostError';
}

type RequestBody = Request extends infer R ? (R extends { id: number } ? Omit<R, 'id'> : never) : never;

/** A supervisor that does not answer for this long hangs; a submission waits for the disk. */
const ANSWER_LIMIT_MS = 3000;
const SUBMIT_LIMIT_MS = 15_000;

export interface Connection {
  request(body: RequestBody, timeoutMs?: number): Promise<ReplyValue>;
  close(): void;
  readonly closed: boolean;
}

export interface ConnectionEvents {
  onChanged(jobId: string, state: JobState): void;
  onClosed(): void;
}

/** Whoever owns the socket answers in the supervisor's name, so it must be this user. */
function checkOwner(path: string): void {
  if (process.platform === 'win32') return;
  const stat = lstatSync(path);
  const uid = process.getuid?.();
  if (!stat.isSocket() || (uid !== undefined && stat.uid !== uid)) {
    throw new Error(
      `${path} is not your own socket (owner ${stat.uid}); Baton does not talk to it. Remove it, or set BATON_STATE_DIR to a folder of yours.`,
    );
  }
}

function isJobState(value: unknown): value is JobState {
  return (
    value === 'queued' ||
    value === 'running' ||
    value === 'done' ||
    value === 'failed' ||
    value === 'cancelled'
  );
}

/** Connects to a listening supervisor. Rejects with the system's error when nobody listens. */
export async function connect(path: string, events: ConnectionEvents): Promise<Connection> {
  checkOwner(path);
  const socket = await new Promise<Socket>((resolve, reject) => {
    const attempt = createConnection(path);
    attempt.once('connect', () => {
      attempt.off('error', reject);
      resolve(attempt);
    });
    attempt.once('error', reject);
  });
  return serveConnection(socket, events);
}

function serveConnection(socket: Socket, events: ConnectionEvents): Connection {
  const pending = new Map<number, { resolve: (value: ReplyValue) => void; reject: (error: Error) => void }>();
  let lastId = 0;
  let closed = false;

  const onMessage = (value: unknown): void => {
    if (!isFields(value)) return;
    if (value.push === 'changed' && typeof value.job_id === 'string' && isJobState(value.state)) {
      events.onChanged(value.job_id, value.state);
      return;
    }
    if (typeof value.id !== 'number') return;
    const waiter = pending.get(value.id);
    pending.delete(value.id);
    if (!waiter) return;
    if (value.ok === true) waiter.resolve(isFields(value.value) ? (value.value satisfies ReplyValue) : {});
    else waiter.reject(refusal(value.code, value.message));
  };

  const reader = createNdjsonReader(onMessage);
  socket.on('data', (chunk) => reader.push(chunk));
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    closed = true;
    for (const { reject } of pending.values())
      reject(new ConnectionLostError('the supervisor closed the connection'));
    pending.clear();
    events.onClosed();
  });
  // A waiting client must not be kept alive by the door alone: what it waits for holds it.
  socket.unref();

  return {
    get closed() {
      return closed;
    },
    request(body, timeoutMs = body.op === 'submit' ? SUBMIT_LIMIT_MS : ANSWER_LIMIT_MS) {
      if (closed) return Promise.reject(new ConnectionLostError('the supervisor closed the connection'));
      const id = ++lastId;
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          pending.delete(id);
          reject(new ConnectionLostError(`the supervisor did not answer within ${timeoutMs} ms`));
        }, timeoutMs);
        pending.set(id, {
          resolve(value) {
            clearTimeout(timer);
            resolve(value);
          },
          reject(error) {
            clearTimeout(timer);
            reject(error);
          },
        });
        socket.write(`${JSON.stringify({ id, ...body })}\n`);
      });
    },
    close() {
      closed = true;
      socket.destroy();
    },
  };
}

const REFUSAL_CODES: readonly RefusalCode[] = [
  'conversation_busy',
  'at_cap',
  'too_deep',
  'no_space',
  'unknown_job',
  'leaving',
  'invalid',
  'fault',
];

function refusal(code: unknown, message: unknown): JobRefusedError {
  const known = REFUSAL_CODES.find((each) => each === code) ?? 'fault';
  return new JobRefusedError(known, typeof message === 'string' ? message : 'the supervisor refused');
}
