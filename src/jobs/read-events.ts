import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { decodeEnvelope, decodeEvent } from '../contract/decode-event.ts';
import { parseJson } from '../contract/fields.ts';
import { createNdjsonReader, type NdjsonReader } from '../contract/ndjson-reader.ts';
import { errorCode } from '../platform/errors.ts';
import { type EventSummary, emptySummary, foldEvent, MAX_TEXT_CHARS } from './event-summary.ts';
import type { JobRecord } from './types.ts';

const CHUNK_BYTES = 256 * 1024;

export interface FollowedEvents {
  readonly summary: EventSummary;
  /** Lines that were no event: junk and over-long ones (blank lines are not counted). */
  readonly skippedLines: number;
  /** Bytes read so far. */
  readonly position: number;
  /** The file became shorter than what had been read of it. */
  readonly shrank: boolean;
  /** Reads what has been written since. True when anything was. */
  readMore(): boolean;
  /** Reads to the end and takes an unterminated last line for a line: only when nobody writes any more. */
  finish(): void;
}

function openForReading(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Follows the event file of a running job by its size: each call of `readMore` reads what is new. Holds no descriptor
 * between calls and no timer of its own; who wants to be told calls it at its own pace.
 * @param limit do not read beyond this many bytes (the length recorded at the end of the run).
 */
export function followEvents(
  path: string,
  format: JobRecord['invocation']['outputFormat'],
  limit = Infinity,
): FollowedEvents {
  const summary = emptySummary();
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  const reader: NdjsonReader = createNdjsonReader((value) => {
    const event = decodeEvent(value);
    if (event) foldEvent(summary, event);
  });
  let position = 0;
  let shrank = false;

  const readMore = (): boolean => {
    const fd = openForReading(path);
    if (fd === undefined) return false;
    const before = position;
    try {
      const size = Math.min(fstatSync(fd).size, limit);
      if (size < position) shrank = true;
      while (position < size) {
        const got = readSync(fd, buffer, 0, Math.min(buffer.length, size - position), position);
        if (got === 0) break;
        position += got;
        if (format === 'stream-json') reader.push(buffer.subarray(0, got));
      }
    } finally {
      closeSync(fd);
    }
    return position > before;
  };

  return {
    summary,
    get skippedLines() {
      return reader.counts.junk + reader.counts.tooLong;
    },
    get position() {
      return position;
    },
    get shrank() {
      return shrank;
    },
    readMore,
    finish() {
      readMore();
      if (format === 'stream-json') reader.end();
      else readPlainOutput(path, format, limit, summary);
    },
  };
}

/** Output of a run without an event stream: one JSON envelope, or plain text. */
function readPlainOutput(path: string, format: 'json' | 'text', limit: number, summary: EventSummary): void {
  const fd = openForReading(path);
  if (fd === undefined) return;
  closeSync(fd);
  const bytes = readFileSync(path);
  const text = bytes.subarray(0, Math.min(bytes.length, limit, MAX_TEXT_CHARS)).toString('utf8');
  const start = text.indexOf('{');
  const envelope =
    format === 'json' && start !== -1 ? decodeEnvelope(parseJson(text.slice(start))) : undefined;
  if (envelope) foldEvent(summary, { event: 'result', result: envelope });
  else summary.text = text;
}

/** Reads the whole event file of a run that nobody writes any more. */
export function summarizeEvents(
  path: string,
  format: JobRecord['invocation']['outputFormat'],
  limit?: number,
): FollowedEvents {
  const followed = followEvents(path, format, limit);
  followed.finish();
  return followed;
}

/** The last bytes of a file as text, beginning at a whole character; '' when there is no file. */
export function readTail(path: string, bytes: number): string {
  const fd = openForReading(path);
  if (fd === undefined) return '';
  try {
    const { size } = fstatSync(fd);
    const length = Math.min(size, bytes);
    const buffer = Buffer.alloc(length);
    const got = readSync(fd, buffer, 0, length, size - length);
    const text = buffer.subarray(0, got).toString('utf8');
    // What the cut left of a character is no character.
    return size > length ? text.replace(/^\uFFFD+/, '') : text;
  } finally {
    closeSync(fd);
  }
}

/**
 * What a running job's event file says at its beginning (conversation, model) and at its end (last step), without
 * reading what lies between: a status stays cheap however much has been written. The text is not whole, so it is left out.
 */
export function glanceAtEvents(path: string, format: JobRecord['invocation']['outputFormat']): EventSummary {
  if (format !== 'stream-json') return emptySummary();
  const followed = followEvents(path, format, CHUNK_BYTES);
  followed.readMore();
  const { summary } = followed;
  if (followed.position === CHUNK_BYTES) {
    const tail = readTail(path, CHUNK_BYTES);
    const reader = createNdjsonReader((value) => {
      const event = decodeEvent(value);
      if (event?.event === 'step_update') foldEvent(summary, event);
    });
    reader.push(Buffer.from(tail.slice(tail.indexOf('\n') + 1)));
  }
  summary.text = '';
  return summary;
}
