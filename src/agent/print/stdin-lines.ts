import { MAX_LINE_BYTES } from '../../contract/ndjson-reader.ts';

/** A line over the limit. */
export class LineTooLongError extends Error {
  override name = 'LineTooLongError';
}

const NEWLINE = 0x0a;

/**
 * The lines of a byte stream as text, blank ones left out, an unterminated last one included. Bytes are decoded as whole
 * lines only, so a character split over writes stays whole; no more than one line over the limit is held.
 * @throws {LineTooLongError}
 */
export async function* readLines(
  stream: AsyncIterable<unknown>,
  maxBytes: number = MAX_LINE_BYTES,
): AsyncGenerator<string> {
  let pieces: Buffer[] = [];
  let held = 0;
  const keep = (piece: Buffer): void => {
    pieces.push(piece);
    held += piece.length;
    if (held > maxBytes) throw new LineTooLongError(`a line is longer than ${maxBytes} bytes`);
  };
  const take = (): string => {
    const line = Buffer.concat(pieces).toString('utf8');
    pieces = [];
    held = 0;
    return line;
  };
  for await (const chunk of stream) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    let start = 0;
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, start)) {
      keep(bytes.subarray(start, at));
      start = at + 1;
      const line = take();
      if (line.trim() !== '') yield line;
    }
    keep(bytes.subarray(start));
  }
  const last = take();
  if (last.trim() !== '') yield last;
}
