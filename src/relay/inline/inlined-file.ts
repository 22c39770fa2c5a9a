import { isFields } from '../../contract/fields.ts';
import type { LineRange } from './references.ts';

/** A file that was put into a prompt: enough to see later whether it is still the same. JSON-safe. */
export interface InlinedFile {
  /** The name the agent knows it by: from the root, with `/`. */
  path: string;
  /** Absolute, links resolved. */
  realPath: string;
  /** SHA-256, in hex, of the first `readBytes` bytes, which is all of it unless it was cut or only lines were taken. */
  sha256: string;
  readBytes: number;
  /** Length in bytes when it was read. */
  size: number;
  /** The lines that were included; empty = from the beginning. */
  ranges: LineRange[];
}

/** Whether a value that was read back is one. */
export function isInlinedFile(value: unknown): value is InlinedFile {
  return (
    isFields(value) &&
    typeof value.path === 'string' &&
    typeof value.realPath === 'string' &&
    typeof value.sha256 === 'string' &&
    typeof value.readBytes === 'number' &&
    typeof value.size === 'number' &&
    Array.isArray(value.ranges) &&
    value.ranges.every(isRange)
  );
}

function isRange(value: unknown): value is LineRange {
  return isFields(value) && typeof value.from === 'number' && typeof value.to === 'number';
}
