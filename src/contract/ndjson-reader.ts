import { parseJson } from './fields.ts';

/** Lines longer than this many bytes (newline excluded) are dropped and counted, never kept in memory. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

export interface NdjsonCounts {
  /** Lines that held a JSON value. */
  values: number;
  /** Empty lines and lines of white space. */
  blank: number;
  /** Lines that were no JSON, an unterminated last one included. */
  junk: number;
  /** Lines over the limit. */
  tooLong: number;
  /** Bytes of all finished lines, newlines included: where a later reading of the same file goes on. */
  consumed: number;
}

export interface NdjsonReader {
  /** Feeds any piece of the stream; a piece may begin and end anywhere, within a character too. */
  push(chunk: Uint8Array): void;
  /** The stream ended: an unterminated last line is read as a line. */
  end(): void;
  readonly counts: Readonly<NdjsonCounts>;
}

function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}

/**
 * A reader of newline-delimited JSON that takes any chunking. Bytes are decoded only as whole lines, so no character
 * is ever cut; memory is bounded by the longest line kept (`maxLineBytes`).
 * @param onValue called with each decoded line, in order; what it throws passes through `push`.
 */
export function createNdjsonReader(
  onValue: (value: unknown) => void,
  options: { maxLineBytes?: number } = {},
): NdjsonReader {
  const maxLineBytes = options.maxLineBytes ?? MAX_LINE_BYTES;
  const counts: NdjsonCounts = { values: 0, blank: 0, junk: 0, tooLong: 0, consumed: 0 };
  let pieces: Uint8Array[] = [];
  let held = 0;
  let overlong = false;
  let pendingBytes = 0;

  const keep = (piece: Uint8Array): void => {
    if (overlong || piece.length === 0) return;
    // One byte of room for the carriage return of a CRLF line, which is no part of the value.
    if (held + piece.length > maxLineBytes + 1) {
      overlong = true;
      pieces = [];
      return;
    }
    pieces.push(piece);
    held += piece.length;
  };

  const readLine = (line: string): void => {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      // White space that JSON does not know, a byte order mark among it, is no part of a line's value.
      const text = line.trim();
      if (text === '') {
        counts.blank++;
        return;
      }
      value = text === line ? undefined : parseJson(text);
      if (value === undefined) {
        counts.junk++;
        return;
      }
    }
    counts.values++;
    onValue(value);
  };

  const finishLine = (): void => {
    const [first] = pieces;
    let line: Uint8Array = pieces.length === 1 && first ? first : Buffer.concat(pieces);
    const wasOverlong = overlong;
    pieces = [];
    held = 0;
    overlong = false;
    if (line.at(-1) === CARRIAGE_RETURN) line = line.subarray(0, -1);
    if (wasOverlong || line.length > maxLineBytes) {
      counts.tooLong++;
      return;
    }
    readLine(decode(line));
  };

  /** Takes the lines that end in `chunk` one by one. @returns where the rest begins */
  const takeLines = (chunk: Uint8Array, from: number, many: boolean): number => {
    let start = from;
    for (;;) {
      const at = chunk.indexOf(NEWLINE, start);
      if (at === -1) return start;
      keep(chunk.subarray(start, at));
      counts.consumed += pendingBytes + at + 1 - start;
      pendingBytes = 0;
      start = at + 1;
      finishLine();
      if (!many) return start;
    }
  };

  /** Decodes all lines that begin and end in `chunk` at once, which is faster than one by one. */
  const takeWholeLines = (chunk: Uint8Array, from: number): number => {
    const last = chunk.lastIndexOf(NEWLINE);
    if (last < from) return from;
    if (last - from > maxLineBytes) return takeLines(chunk, from, true);
    counts.consumed += last + 1 - from;
    for (const line of decode(chunk.subarray(from, last)).split('\n')) readLine(line);
    return last + 1;
  };

  return {
    counts,
    push(chunk) {
      const begun = pendingBytes > 0 ? takeLines(chunk, 0, false) : 0;
      const start = pendingBytes > 0 ? begun : takeWholeLines(chunk, begun);
      const rest = chunk.subarray(start);
      pendingBytes += rest.length;
      // The caller may reuse its buffer after push returns, so what outlives the call is copied.
      keep(Uint8Array.prototype.slice.call(rest));
    },
    end() {
      if (pendingBytes === 0) return;
      counts.consumed += pendingBytes;
      pendingBytes = 0;
      finishLine();
    },
  };
}
