/**
 * Opening files without a gap between check and use: what was opened is asked for its real path afterwards, and a path
 * that was exchanged for a link in the meantime is refused. Changes inside a folder go through the opened folder, so
 * that it cannot be exchanged either.
 */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, dirname, join, parse } from 'node:path';
import { errorCode } from '../../platform/errors.ts';

/** The path leads elsewhere than when it was checked. */
export class MovedPathError extends Error {
  override name = 'MovedPathError';
}

// Undefined on Windows, where links in the last part are caught by the comparison below alone.
const NOFOLLOW: number = constants.O_NOFOLLOW ?? 0;
const NONBLOCK: number = constants.O_NONBLOCK ?? 0;
const DIRECTORY: number = constants.O_DIRECTORY ?? 0;

let procFd: boolean | undefined;

/** Whether `/proc/self/fd` works: with it, names can be used relative to an open folder. */
function hasProcFd(): boolean {
  procFd ??= process.platform === 'linux' && existsSync('/proc/self/fd');
  return procFd;
}

function verify(fd: number, path: string): void {
  let real: string;
  if (hasProcFd()) {
    real = readlinkSync(`/proc/self/fd/${fd}`);
  } else {
    real = realpathSync.native(path);
    const [opened, named] = [fstatSync(fd), statSync(path)];
    if (opened.ino !== named.ino || opened.dev !== named.dev) real = `another file at ${real}`;
  }
  if (real !== path) throw new MovedPathError(`${path} was exchanged while it was used (it is now ${real})`);
}

function openChecked(path: string, flags: number, name: string): number {
  let fd: number;
  try {
    fd = openSync(name, flags | NOFOLLOW | NONBLOCK);
  } catch (error) {
    if (errorCode(error) === 'ELOOP' || errorCode(error) === 'EMLINK')
      throw new MovedPathError(`${path} was exchanged for a link while it was used`);
    throw error;
  }
  try {
    verify(fd, path);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/**
 * Opens an existing file or folder for reading.
 * @param path absolute, links followed when it was checked
 * @throws {MovedPathError} when it is not that file any more; the system's error when it cannot be opened.
 */
export function openVerified(path: string): number {
  return openChecked(path, constants.O_RDONLY, path);
}

/** A folder held open. */
export interface AnchoredFolder {
  readonly path: string;
  /** A path for system calls that means `name` in this very folder, wherever its path leads by now. */
  at(name: string): string;
  /** Throws when the folder's path leads elsewhere by now. */
  verify(): void;
  close(): void;
}

function anchor(fd: number, path: string): AnchoredFolder {
  let open = true;
  return {
    path,
    at(name) {
      if (hasProcFd()) return `/proc/self/fd/${fd}/${name}`;
      verify(fd, path);
      return join(path, name);
    },
    verify: () => verify(fd, path),
    close() {
      if (open) closeSync(fd);
      open = false;
    },
  };
}

/** Opens a folder to change names in it. */
export function openFolder(path: string): AnchoredFolder {
  return anchor(openChecked(path, constants.O_RDONLY | DIRECTORY, path), path);
}

/** Opens a folder, and makes it and what is missing above it first. */
export function openOrMakeFolder(path: string): AnchoredFolder {
  const missing: string[] = [];
  let existing = path;
  while (!existsSync(existing) && parse(existing).root !== existing) {
    missing.unshift(basename(existing));
    existing = dirname(existing);
  }
  let folder = openFolder(existing);
  for (const name of missing) {
    const next = join(folder.path, name);
    try {
      const inside = folder.at(name);
      try {
        mkdirSync(inside);
      } catch (error) {
        if (errorCode(error) !== 'EEXIST') throw error;
      }
      const child = anchor(openChecked(next, constants.O_RDONLY | DIRECTORY, inside), next);
      folder.close();
      folder = child;
    } catch (error) {
      folder.close();
      throw error;
    }
  }
  return folder;
}

/** The stats of an open file that must be a regular one. */
export function regularFile(fd: number, path: string): Stats {
  const stats = fstatSync(fd);
  if (stats.isDirectory()) throw new Error(`${path} is a folder`);
  if (!stats.isFile()) throw new Error(`${path} is not a regular file (a device, a pipe or a socket)`);
  return stats;
}

/** A path for system calls that means the open file or folder itself, wherever its path leads by now. */
export function readableName(fd: number, path: string): string {
  return hasProcFd() ? `/proc/self/fd/${fd}` : path;
}
