import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { decodeEvent } from '../contract/decode-event.ts';
import type { StreamEvent } from '../contract/events.ts';
import { createNdjsonReader } from '../contract/ndjson-reader.ts';
import { errorCode } from '../platform/errors.ts';

const CHUNK_BYTES = 64 * 1024;
const POLL_MS = 100;

export interface EventFollower {
  /** Reads to the end and stops looking. Idempotent. */
  stop(): void;
}

/** Hands over the events of a run's file, old ones first, then the new ones within a tenth of a second. */
export function followEvents(path: string, onEvent: (event: StreamEvent) => void): EventFollower {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  const reader = createNdjsonReader((value) => {
    const event = decodeEvent(value);
    if (event) onEvent(event);
  });
  let position = 0;
  const poll = (): void => {
    let fd: number;
    try {
      fd = openSync(path, 'r');
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return;
      throw error;
    }
    try {
      const { size } = fstatSync(fd);
      while (position < size) {
        const got = readSync(fd, buffer, 0, Math.min(buffer.length, size - position), position);
        if (got === 0) break;
        position += got;
        reader.push(buffer.subarray(0, got));
      }
    } finally {
      closeSync(fd);
    }
  };
  const timer = setInterval(poll, POLL_MS);
  let stopped = false;
  return {
    stop() {
      if (stopped) return;
      stopped = true;
      clearInterval(timer);
      poll();
      reader.end();
    },
  };
}
