import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from './errors.ts';
import { randomBytes } from './random.ts';

export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;

/** Makes what is in a folder (its names) durable. A file system that cannot do it is no reason to fail. */
export function syncFolder(folder: string): void {
  let fd: number | undefined;
  try {
    fd = openSync(folder, 'r');
    fsyncSync(fd);
  } catch (error) {
    if (!['EINVAL', 'EPERM', 'EISDIR', 'EACCES', 'EBADF'].includes(errorCode(error) ?? '')) throw error;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/**
 * Creates a folder and what is missing above it, mode 0700 whatever the umask. Not by Node's own `recursive`: where a
 * parent answers "no such file" to making a folder in it (/proc does), that goes round for ever.
 */
export function makePrivateFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: PRIVATE_FOLDER });
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') {
      if (statSync(folder).isDirectory()) return;
      throw new Error(`${folder} is not a folder`, { cause: error });
    }
    const parent = dirname(folder);
    if (code !== 'ENOENT' || parent === folder || existsSync(parent)) throw error;
    makePrivateFolder(parent);
    makePrivateFolder(folder);
  }
}

function writeAll(fd: number, data: Uint8Array): void {
  let at = 0;
  while (at < data.length) at += writeSync(fd, data, at);
}

/**
 * Replaces a file in one step: who reads it sees the old or the new content, never a part.
 * @param options.durable also sync the file and its folder, so that it survives a crash of the machine. Default true.
 * @param options.mode of the file, whatever the umask. Default 0600.
 * @param options.owner whose the file is to be, when that is not who writes it.
 */
export function writeFileAtomic(
  path: string,
  content: string | Uint8Array,
  options: { durable?: boolean; mode?: number; owner?: { uid: number; gid: number } } = {},
): void {
  const durable = options.durable ?? true;
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  const fd = openSync(temporary, 'wx', PRIVATE_FILE);
  try {
    writeAll(fd, typeof content === 'string' ? Buffer.from(content) : content);
    if (options.mode !== undefined) fchmodSync(fd, options.mode);
    const { owner } = options;
    if (owner && (owner.uid !== process.geteuid?.() || owner.gid !== process.getegid?.()))
      fchownSync(fd, owner.uid, owner.gid);
    if (durable) fsyncSync(fd);
  } catch (error) {
    closeSync(fd);
    unlinkSync(temporary);
    throw error;
  }
  closeSync(fd);
  try {
    renameSync(temporary, path);
  } catch (error) {
    unlinkSync(temporary);
    throw error;
  }
  if (durable) syncFolder(dirname(path));
}

/** Writes a new file and makes its content durable (not its name: see {@link syncFolder}). Mode 0600. */
export function writeFileSynced(path: string, content: Uint8Array): void {
  const fd = openSync(path, 'w', PRIVATE_FILE);
  try {
    writeAll(fd, content);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
