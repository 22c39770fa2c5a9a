import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { parseJson } from '../../contract/fields.ts';
import { errorCode } from '../../platform/errors.ts';

/** Events of a run in one reading. Cursors are byte offsets, always at the beginning of a line. */
export interface EventsPage {
  events: unknown[];
  /** Where the next reading goes on. */
  next_cursor: number;
  /** Nothing more is written there yet. */
  at_end: boolean;
}

const PAGE_BYTES = 128 * 1024;

function readAt(path: string, position: number): { bytes: Buffer; size: number } {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { bytes: Buffer.alloc(0), size: 0 };
    throw error;
  }
  try {
    const { size } = fstatSync(fd);
    const buffer = Buffer.alloc(Math.max(0, Math.min(PAGE_BYTES, size - position)));
    const got = buffer.length === 0 ? 0 : readSync(fd, buffer, 0, buffer.length, position);
    return { bytes: buffer.subarray(0, got), size };
  } finally {
    closeSync(fd);
  }
}

/**
 * The events from a cursor on, as they stand in the run's stream; a line that is no JSON is left out. A line longer than
 * a page is passed over in pieces, without an event.
 */
export function readEventsPage(path: string, cursor: number): EventsPage {
  const { bytes, size } = readAt(path, cursor);
  const lastLine = bytes.lastIndexOf(0x0a);
  const isWholePage = bytes.length === PAGE_BYTES;
  // A line that is still being written is read when it is whole.
  const used = lastLine === -1 ? (isWholePage ? bytes.length : 0) : lastLine + 1;
  const events = bytes
    .subarray(0, lastLine + 1)
    .toString('utf8')
    .split('\n')
    .map(parseJson)
    .filter((value) => value !== undefined);
  const next = cursor + used;
  return { events, next_cursor: next, at_end: next >= size || used === 0 };
}
