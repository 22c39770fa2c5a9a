import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { errorCode } from '../../platform/errors.ts';

const CHUNK_BYTES = 256 * 1024;
const MAX_BYTES_A_LOOK = 8 * 1024 * 1024;
// Inside a JSON string the quotes would be escaped, so these bytes are a key and its value and nothing else.
const RESULT_MARKS = [Buffer.from('"event":"result"'), Buffer.from('"event": "result"')];
const OVERLAP = 32;

export interface StreamLook {
  size: number;
  /** Seconds are counted from the last look at which the file had grown. */
  quietMs: number;
  /** A result event has been written. */
  sawResult: boolean;
  shrank: boolean;
}

/**
 * Watches an event file for the two things the supervisor must know of it: its size, and whether a result was written.
 * New bytes are searched, not parsed: reading a stream costs a hundredth of decoding it.
 */
export function createStreamWatch(path: string): (now: number) => StreamLook {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES + OVERLAP);
  let position = 0;
  let size = 0;
  let kept = 0;
  let sawResult = false;
  let shrank = false;
  let grewAt: number | undefined;

  const search = (fd: number): void => {
    const stopAt = Math.min(size, position + MAX_BYTES_A_LOOK);
    while (position < stopAt) {
      const got = readSync(fd, buffer, kept, Math.min(CHUNK_BYTES, stopAt - position), position);
      if (got === 0) return;
      position += got;
      const filled = buffer.subarray(0, kept + got);
      if (RESULT_MARKS.some((mark) => filled.includes(mark))) sawResult = true;
      kept = Math.min(OVERLAP, filled.length);
      filled.copyWithin(0, filled.length - kept);
    }
  };

  return (now) => {
    grewAt ??= now;
    let fd: number;
    try {
      fd = openSync(path, 'r');
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      return { size: 0, quietMs: now - grewAt, sawResult, shrank };
    }
    try {
      const current = fstatSync(fd).size;
      if (current < size) shrank = true;
      if (current !== size) grewAt = now;
      size = current;
      if (!sawResult) search(fd);
      if (position < size && !sawResult) grewAt = now;
    } finally {
      closeSync(fd);
    }
    return { size, quietMs: now - grewAt, sawResult, shrank };
  };
}
