import { isFields, parseJson } from '../../contract/fields.ts';
import type { Edit } from '../change-mode/edit.ts';
import { type InlinedFile, isInlinedFile } from '../inline/inlined-file.ts';

/** A set of edits that came in more than one chunk. */
export interface ChunkEntry {
  format: 1;
  /** Of everything the answer depends on: the request, the files that were sent, the edits. */
  digest: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** Project folder that the edits are for. */
  root: string;
  /** What was sent with the prompt, to notice changes since. */
  sent: InlinedFile[];
  chunks: Edit[][];
}

/** Reads an entry strictly: it is our own format, and anything else is not served. */
export function decodeEntry(text: string): ChunkEntry | undefined {
  const value = parseJson(text);
  if (!isFields(value) || value.format !== 1) return undefined;
  const { digest, createdAt, root, sent, chunks } = value;
  if (typeof digest !== 'string' || !/^[0-9a-f]{64}$/.test(digest)) return undefined;
  if (typeof createdAt !== 'number' || typeof root !== 'string') return undefined;
  if (!isListOf(sent, isInlinedFile)) return undefined;
  if (!isListOf(chunks, isChunk) || chunks.length === 0) return undefined;
  return { format: 1, digest, createdAt, root, sent, chunks };
}

function isListOf<T>(value: unknown, test: (item: unknown) => item is T): value is T[] {
  return Array.isArray(value) && value.every(test);
}

function isChunk(value: unknown): value is Edit[] {
  return isListOf(value, isEdit) && value.length > 0;
}

function isEdit(value: unknown): value is Edit {
  return (
    isFields(value) &&
    typeof value.path === 'string' &&
    typeof value.old === 'string' &&
    typeof value.new === 'string' &&
    (value.line === undefined || typeof value.line === 'number')
  );
}
