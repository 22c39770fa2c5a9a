import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { errorCode } from '../../platform/errors.ts';
import { randomBytes } from '../../platform/random.ts';
import { type AnchoredFolder, openFolder, openOrMakeFolder } from './anchored.ts';

const NEW_FILE = 0o666;
const PERMISSION_BITS = 0o777;
const CREATE_ONLY = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/** Somebody else changed the file between our reading and our writing. */
class ChangedMeanwhileError extends Error {
  override name = 'ChangedMeanwhileError';
}

function writeAll(fd: number, data: Uint8Array): void {
  for (let at = 0; at < data.length; ) at += writeSync(fd, data, at);
}

function writeTemporary(path: string, data: Uint8Array, old: Stats | undefined): void {
  const fd = openSync(path, CREATE_ONLY, NEW_FILE);
  try {
    writeAll(fd, data);
    if (!old) return;
    if (process.getuid && (old.uid !== process.getuid() || old.gid !== process.getgid?.())) {
      try {
        fchownSync(fd, old.uid, old.gid);
      } catch {
        // Only root may give files away; the content matters more than the owner.
      }
    }
    fchmodSync(fd, old.mode & PERMISSION_BITS);
  } finally {
    closeSync(fd);
  }
}

function unchanged(path: string, old: Stats): boolean {
  try {
    const now = lstatSync(path);
    return now.ino === old.ino && now.size === old.size && now.mtimeMs === old.mtimeMs;
  } catch {
    return false;
  }
}

/** Gives the new file its name, never over one that came up meanwhile. */
function publish(temporary: string, target: string): void {
  try {
    linkSync(temporary, target);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw error;
    // A file system without hard links.
    renameSync(temporary, target);
    return;
  }
  unlinkSync(temporary);
}

function writeInto(folder: AnchoredFolder, path: string, data: Uint8Array, old: Stats | undefined): void {
  const target = folder.at(basename(path));
  const temporary = folder.at(`.${basename(path).slice(0, 200)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    writeTemporary(temporary, data, old);
    folder.verify();
    if (!old) publish(temporary, target);
    else if (unchanged(target, old)) renameSync(temporary, target);
    else throw new ChangedMeanwhileError(`${path} was changed by something else meanwhile; look at it again`);
  } catch (error) {
    try {
      unlinkSync(temporary);
    } catch {
      // It was not made, or has its final name already.
    }
    throw error;
  }
}

/**
 * Writes a whole file in one step: who reads it sees the old or the new content. Mode and owner of a replaced file stay
 * (other names of the same file, hard links, keep the old content). Synchronous, so that two calls of one run cannot
 * overwrite each other's change.
 * @param path absolute, links followed when it was checked
 * @param old stats of the file that is replaced, taken from the descriptor it was read through; without them the file
 *   must not exist, and its folder is made
 */
export function writeWholeFile(path: string, data: Uint8Array, old?: Stats): void {
  const folder = old ? openFolder(dirname(path)) : openOrMakeFolder(dirname(path));
  try {
    writeInto(folder, path, data, old);
  } finally {
    folder.close();
  }
}
