import { createHash, type Hash } from 'node:crypto';
import { sniffImage } from '../../platform/image-format.ts';
import type { OpenFile } from '../jail/open-file.ts';
import type { LineRange } from './references.ts';

/** What was read of a file. `sha256` is over its first `readBytes` bytes, `size` its length when it was opened. */
interface Fingerprint {
  sha256: string;
  readBytes: number;
  size: number;
}

export type Content =
  | {
      kind: 'text';
      text: string;
      /** Bytes of the file that `text` stands for. */
      bytes: number;
      truncated: boolean;
      /** Some bytes were not valid in the file's encoding. */
      damaged: boolean;
      fingerprint: Fingerprint;
    }
  | { kind: 'binary' }
  | { kind: 'image' }
  /** The file ends before the lines begin, or they lie too far behind. */
  | { kind: 'no-lines' };

const headBytes = 8192;
const chunkBytes = 65_536;

/**
 * Reads a file, or some of its lines, as text.
 * @param limit most bytes of content; what is longer is cut between two characters.
 * @param scanLimit most bytes that are read to find the lines.
 */
export async function readContent(
  file: OpenFile,
  limit: number,
  range: LineRange | undefined,
  scanLimit: number,
): Promise<Content> {
  const asked = Math.max(headBytes, range ? 0 : Math.min(limit + 1, file.stat.size + 1));
  const head = await readFrom(file, 0, asked);
  const sample = head.subarray(0, headBytes);
  if (sniffImage(sample)) return { kind: 'image' };
  const wide = utf16Of(sample);
  if (!wide && sample.includes(0)) return { kind: 'binary' };
  if (range && !wide) return await readLines(file, limit, range, scanLimit);
  // A file may hold more than its size said when it was opened.
  const whole = head.length === asked && asked <= limit ? await readFrom(file, 0, limit + 1) : head;
  const truncated = whole.length > limit;
  const raw = truncated ? whole.subarray(0, limit) : whole;
  const bytes = raw.subarray(0, wide ? wideCharacterEnd(raw, wide) : characterEnd(raw, truncated));
  const decoded = decode(bytes, wide ?? 'utf-8');
  const fingerprint = { sha256: sha256Of(raw), readBytes: raw.length, size: file.stat.size };
  const text = range ? linesOf(decoded.text, range) : decoded.text;
  if (text === undefined) return { kind: 'no-lines' };
  return { kind: 'text', text, bytes: bytes.length, truncated, damaged: decoded.damaged, fingerprint };
}

async function readFrom(file: OpenFile, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.handle.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

function utf16Of(head: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  return head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : undefined;
}

/** The length without a character that the cut went through. */
function characterEnd(bytes: Uint8Array, truncated: boolean): number {
  if (!truncated) return bytes.length;
  let start = bytes.length - 1;
  // At most three bytes follow the first one of a character.
  while (start > 0 && start > bytes.length - 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  const first = bytes[start] ?? 0;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return start + length > bytes.length ? start : bytes.length;
}

/** The same for UTF-16: whole units, and no first half of a pair at the end. */
function wideCharacterEnd(bytes: Uint8Array, encoding: 'utf-16le' | 'utf-16be'): number {
  const end = bytes.length - (bytes.length % 2);
  const high = bytes[encoding === 'utf-16le' ? end - 1 : end - 2] ?? 0;
  return (high & 0xfc) === 0xd8 ? end - 2 : end;
}

function decode(bytes: Uint8Array, encoding: string): { text: string; damaged: boolean } {
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes), damaged: false };
  } catch {
    return { text: new TextDecoder(encoding).decode(bytes), damaged: true };
  }
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function linesOf(text: string, range: LineRange): string | undefined {
  const lines = text.split('\n');
  return range.from > lines.length ? undefined : lines.slice(range.from - 1, range.to).join('\n');
}

/** Goes through a file in pieces until the last wanted line, so that its length does not matter. */
async function readLines(
  file: OpenFile,
  limit: number,
  range: LineRange,
  scanLimit: number,
): Promise<Content> {
  const hash: Hash = createHash('sha256');
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let line = 1;
  let position = 0;
  while (line <= range.to && keptBytes <= limit && position < scanLimit) {
    const chunk = await readFrom(file, position, Math.min(chunkBytes, scanLimit - position));
    if (chunk.length === 0) break;
    hash.update(chunk);
    position += chunk.length;
    for (let at = 0; at < chunk.length && line <= range.to; ) {
      const newline = chunk.indexOf(10, at);
      const end = newline === -1 ? chunk.length : newline + 1;
      if (line >= range.from) {
        kept.push(chunk.subarray(at, end));
        keptBytes += end - at;
      }
      if (newline !== -1) line += 1;
      at = end;
    }
  }
  if (keptBytes === 0) return { kind: 'no-lines' };
  const all = Buffer.concat(kept);
  const whole = all.at(-1) === 10 ? all.subarray(0, -1) : all;
  const truncated =
    whole.length > limit || (line <= range.to && position >= scanLimit && position < file.stat.size);
  const raw = whole.subarray(0, limit);
  const bytes = raw.subarray(0, characterEnd(raw, truncated));
  const decoded = decode(bytes, 'utf-8');
  const fingerprint = { sha256: hash.digest('hex'), readBytes: position, size: file.stat.size };
  return {
    kind: 'text',
    text: decoded.text,
    bytes: bytes.length,
    truncated,
    damaged: decoded.damaged,
    fingerprint,
  };
}
