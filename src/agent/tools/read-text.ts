import { readSync } from 'node:fs';
import type { Pacer } from './pacer.ts';
import { createDecoder, detectEncoding, type Encoding } from './text-encoding.ts';

const CHUNK = 256 * 1024;

export interface TextPiece {
  text: string;
  /** Bytes read so far, this piece included. */
  position: number;
}

/** Fills a buffer from the file's position; shorter only at the end of the file. */
export function readChunk(fd: number, size = CHUNK, position: number | null = null): Buffer {
  const buffer = Buffer.allocUnsafe(size);
  let length = 0;
  while (length < size) {
    const read = readSync(fd, buffer, length, size - length, position === null ? null : position + length);
    if (read === 0) break;
    length += read;
  }
  return buffer.subarray(0, length);
}

export interface OpenText {
  encoding: Encoding | 'binary';
  /** The first bytes of the file. */
  head: Buffer;
  /** Whether `head` is all of it. */
  isWhole: boolean;
  /** The decoded text in pieces; nothing for a binary file. */
  pieces(): AsyncGenerator<TextPiece>;
}

/** Starts reading an open file as text; a file of any size is held in memory only by pieces. */
export function openText(fd: number, pacer: Pacer): OpenText {
  const head = readChunk(fd);
  const encoding = detectEncoding(head, head.length < CHUNK);
  return {
    encoding,
    head,
    isWhole: head.length < CHUNK,
    async *pieces() {
      if (encoding === 'binary') return;
      const toText = createDecoder(encoding);
      let chunk = head;
      let position = 0;
      for (;;) {
        const last = chunk.length < CHUNK;
        position += chunk.length;
        yield { text: toText(chunk, last), position };
        if (last) return;
        if (pacer.due()) await pacer.pause();
        chunk = readChunk(fd);
      }
    },
  };
}

/** Takes text in pieces and gives back whole lines without their ends, each cut to `longest` characters. */
export function createLineSplitter(longest: number): {
  push(text: string): { text: string; length: number }[];
  /** The last line, when the text does not end with a line end. */
  rest(): { text: string; length: number } | undefined;
} {
  let kept = '';
  let length = 0;
  const finish = (): { text: string; length: number } => {
    const endsInCarriageReturn = kept.length === length && kept.endsWith('\r');
    const line = endsInCarriageReturn
      ? { text: kept.slice(0, -1), length: length - 1 }
      : { text: kept, length };
    kept = '';
    length = 0;
    return { text: line.text.slice(0, longest), length: line.length };
  };
  const add = (text: string): void => {
    // One more than shown, so that a carriage return behind a line of exactly that length is still seen.
    if (kept.length <= longest) kept += text.slice(0, longest + 1 - kept.length);
    length += text.length;
  };
  return {
    push(text) {
      const lines: { text: string; length: number }[] = [];
      let from = 0;
      for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', from)) {
        add(text.slice(from, at));
        lines.push(finish());
        from = at + 1;
      }
      if (from < text.length) add(text.slice(from));
      return lines;
    },
    rest() {
      return length > 0 ? finish() : undefined;
    },
  };
}
