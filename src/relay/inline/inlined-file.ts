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
