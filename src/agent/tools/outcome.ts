import { errorCode, errorMessage } from '../../platform/errors.ts';
import type { ToolOutcome } from './types.ts';

export function succeeded(output: string, more: Partial<ToolOutcome> = {}): ToolOutcome {
  return { output, isError: false, ...more };
}

export function failed(message: string, more: Partial<ToolOutcome> = {}): ToolOutcome {
  return { output: message, isError: true, errorMessage: message, ...more };
}

const CAUSES: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EACCES: 'permission denied by the system',
  EPERM: 'not permitted by the system',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EISDIR: 'it is a folder',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'too many links',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files on the machine',
  EBUSY: 'it is in use',
  EEXIST: 'it exists already',
  EIO: 'the device reports an input/output error',
};

/** One sentence for a failed file operation: what was tried, on which path, and why it failed. */
export function fileFailure(attempt: string, path: string, error: unknown): string {
  const code = errorCode(error);
  // Our own messages name the path already; those of the system name an internal one (/proc/self/fd/…).
  if (code === undefined) return errorMessage(error);
  return `cannot ${attempt} ${path}: ${CAUSES[code] ?? 'the system refused'} (${code})`;
}

/** Runs the body of a tool so that it never rejects. */
export async function settle(
  signal: AbortSignal,
  describe: (error: unknown) => string,
  body: () => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  try {
    signal.throwIfAborted();
    return await body();
  } catch (error) {
    return failed(signal.aborted ? 'interrupted' : describe(error));
  }
}
