import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises';
import { errorCode, errorMessage } from '../../platform/errors.ts';
import { realPathOf } from './descriptor.ts';
import { isInside } from './inside.ts';
import type { Root } from './root.ts';

/** What a name leads to. Nothing was opened to find out. */
export type Located =
  | { kind: 'file' | 'folder'; realPath: string }
  | { kind: 'outside'; realPath: string; folder: boolean }
  | { kind: 'missing' }
  /** A socket, a device, a pipe. */
  | { kind: 'special' }
  | { kind: 'unreadable'; reason: string };

export interface OpenFile {
  handle: FileHandle;
  realPath: string;
  stat: Stats;
}

export type Opened =
  | { file: OpenFile }
  | { problem: 'missing' | 'outside' | 'special' | 'unreadable'; reason: string };

const absent = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'EINVAL', 'ERR_INVALID_ARG_VALUE']);

/**
 * Finds where a path leads, links followed as the system follows them (`a/../b` goes through `a`).
 * @param path absolute; it need not be in its simplest form.
 */
export async function locate(root: Root, path: string): Promise<Located> {
  try {
    const realPath = await realpath(path);
    const stat = await lstat(realPath);
    if (!isInside(root.realPath, realPath)) return { kind: 'outside', realPath, folder: stat.isDirectory() };
    if (stat.isDirectory()) return { kind: 'folder', realPath };
    return stat.isFile() ? { kind: 'file', realPath } : { kind: 'special' };
  } catch (error) {
    if (absent.has(errorCode(error) ?? '')) return { kind: 'missing' };
    return { kind: 'unreadable', reason: errorMessage(error) };
  }
}

/** Never follows a link in the last place, never waits for the writer of a pipe, never becomes a controlling terminal. */
const openFlags =
  constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/**
 * Opens a regular file inside the root for reading. The decision is made about the opened file, not about its name, so
 * a link that changes meanwhile cannot lead a read outside.
 * @param realPath absolute, links resolved. The caller closes `file.handle`.
 */
export async function openInside(root: Root, realPath: string): Promise<Opened> {
  let handle: FileHandle;
  try {
    handle = await open(realPath, openFlags);
  } catch (error) {
    const code = errorCode(error) ?? '';
    if (code === 'ENXIO') return { problem: 'special', reason: 'it is no regular file' };
    return { problem: absent.has(code) ? 'missing' : 'unreadable', reason: code || errorMessage(error) };
  }
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) return await refuse(handle, 'special', 'it is no regular file');
    const real = await realPathOf(handle, realPath);
    if (real === undefined || !isInside(root.realPath, real))
      return await refuse(handle, 'outside', 'it leads outside the project folder');
    return { file: { handle, realPath: real, stat } };
  } catch (error) {
    return await refuse(handle, 'unreadable', errorMessage(error));
  }
}

async function refuse(
  handle: FileHandle,
  problem: 'missing' | 'outside' | 'special' | 'unreadable',
  reason: string,
): Promise<Opened> {
  await handle.close();
  return { problem, reason };
}
