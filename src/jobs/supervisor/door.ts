import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { isFields } from '../../contract/fields.ts';
import { createNdjsonReader } from '../../contract/ndjson-reader.ts';
import { errorMessage } from '../../platform/errors.ts';
import { bootId, namespaceId, processStartTime } from '../../platform/process-identity.ts';
import { checkSocketFolder } from '../../platform/socket-path.ts';
import { VERSION } from '../../platform/version.ts';
import type { Push, Reply, Request } from '../protocol.ts';
import type { JobStatus } from '../types.ts';
import { log } from './log.ts';
import { Refusal } from './refusal.ts';
import type { Supervisor } from './supervisor.ts';

/** A submission carries a prompt with files inlined and an environment. */
const MAX_REQUEST_BYTES = 64 * 1024 * 1024;
/** A client that does not read what it is told is dropped at this much unread. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;

export interface Door {
  /** Tells every connection that watches this job. */
  announce(status: Pick<JobStatus, 'job_id' | 'state'>): void;
  /** Milliseconds since the last request, on the clock of `performance.now()`. */
  readonly quietMs: number;
  close(): void;
}

function isRequest(value: unknown): value is Request {
  return isFields(value) && typeof value.id === 'number' && typeof value.op === 'string';
}

/**
 * Opens the local socket by which clients reach the supervisor. The caller holds `supervisor.lock`, so a socket found
 * there is a dead one's and is replaced.
 * @param onLeave a client with a newer version asks this supervisor to make room.
 */
export function openDoor(path: string, supervisor: Supervisor, onLeave: () => void): Promise<Door> {
  const watchers = new Map<Socket, Set<string>>();
  let lastRequest = performance.now();

  const answer = (request: Request, watched: Set<string>): Reply => {
    const { id } = request;
    switch (request.op) {
      case 'hello':
        return {
          id,
          ok: true,
          value: {
            version: VERSION,
            pid: process.pid,
            start_time: processStartTime(process.pid) ?? '',
            namespace: namespaceId(),
          },
        };
      case 'submit':
        watched.add(request.submission.id);
        return { id, ok: true, value: supervisor.submit(request.submission) };
      case 'cancel':
        return { id, ok: true, value: supervisor.cancel(request.job_id) };
      case 'watch':
        for (const job of request.job_ids) watched.add(job);
        return { id, ok: true, value: {} };
      case 'queue':
        return { id, ok: true, value: { queue: supervisor.queue() } };
      case 'ping':
        return { id, ok: true, value: {} };
      case 'leave':
        setImmediate(onLeave);
        return { id, ok: true, value: {} };
      default:
        return { id, ok: false, code: 'invalid', message: 'unknown operation' };
    }
  };

  const serve = (socket: Socket): void => {
    const watched = new Set<string>();
    watchers.set(socket, watched);
    const reader = createNdjsonReader(
      (value) => {
        lastRequest = performance.now();
        if (!isRequest(value)) return;
        let reply: Reply;
        try {
          reply = answer(value, watched);
        } catch (error) {
          if (!(error instanceof Refusal))
            log('a request failed', { op: value.op, error: errorMessage(error) });
          reply = {
            id: value.id,
            ok: false,
            code: error instanceof Refusal ? error.code : 'fault',
            message: errorMessage(error),
          };
        }
        socket.write(`${JSON.stringify(reply)}\n`);
      },
      { maxLineBytes: MAX_REQUEST_BYTES },
    );
    socket.on('data', (chunk) => reader.push(chunk));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => watchers.delete(socket));
  };

  checkSocketFolder(dirname(path));
  if (process.platform !== 'win32') rmSync(path, { force: true });
  const server: Server = createServer(serve);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      if (process.platform !== 'win32') chmodSync(path, 0o600);
      log('open', { version: VERSION, boot: bootId() });
      resolve({
        announce(status) {
          const push: Push = { push: 'changed', job_id: status.job_id, state: status.state };
          for (const [socket, watched] of watchers) {
            if (!watched.has(status.job_id)) continue;
            if (socket.writableLength > MAX_UNREAD_BYTES) socket.destroy();
            else socket.write(`${JSON.stringify(push)}\n`);
          }
        },
        get quietMs() {
          return performance.now() - lastRequest;
        },
        close() {
          server.close();
          for (const socket of watchers.keys()) socket.destroy();
          if (process.platform !== 'win32') rmSync(path, { force: true });
        },
      });
    });
  });
}
