import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** Compiled code of one file, as V8 made it. */
export interface CachedCode {
  data: Buffer;
  /** How many runs it was made from. */
  runs: number;
  /** The parts of the file that those runs used, where it has parts. */
  parts: readonly string[];
}

/** V8's compiled code of this build's files, on disk. Nothing here throws: without a cache a start is slower, no more. */
export interface CodeCache {
  read(name: string): CachedCode | undefined;
  write(name: string, code: CachedCode): void;
}

const MAGIC = 0x3343_4342; // "BCC3"
/** Magic, length and checksum of the data, runs, length of the names of parts; the names and the data follow. */
const HEADER_BYTES = 20;
const OTHERS_MAY_WRITE = 0o022;
/** Folders of other builds, Node versions and flags beside the one in use; the oldest go. */
const KEPT_BUILDS = 8;

/** Words looked at: one in so many. A page of 4096 bytes that never reached the disk is zeros in all of its sixteen. */
const STRIDE = 64;

/**
 * FNV-1a over some of the 32-bit words. V8 does not check the data itself: a file whose end is zeros, as a crash of the
 * machine can leave it, ends the process with a segmentation fault. All words would cost 5 ms of a start.
 */
export function checksum(data: Uint8Array): number {
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  let hash = 0x811c_9dc5 ^ data.length;
  for (let at = data.length - 4; at >= 0; at -= 4 * STRIDE) {
    hash = Math.imul(hash ^ view.getInt32(at, true), 0x0100_0193);
  }
  return hash >>> 0;
}

/** Whether only this user can have written it. Windows has no such modes: there the user's profile is private. */
function isOwn(stat: { uid: number; mode: number }): boolean {
  const uid = process.getuid?.();
  return uid === undefined || (stat.uid === uid && (stat.mode & OTHERS_MAY_WRITE) === 0);
}

function isOwnFolder(path: string): boolean {
  try {
    const stat = lstatSync(path);
    return stat.isDirectory() && isOwn(stat);
  } catch {
    return false;
  }
}

/** A folder that does not exist is made only below one of this user's: root in a user's home leaves nothing there. */
function makeOwnFolder(path: string): boolean {
  let above = path;
  for (;;) {
    try {
      const stat = statSync(above);
      if (!stat.isDirectory() || !isOwn(stat)) return false;
      break;
    } catch {
      const parent = dirname(above);
      if (parent === above) return false;
      above = parent;
    }
  }
  if (above !== path) mkdirSync(path, { recursive: true, mode: 0o700 });
  return isOwnFolder(path);
}

function removeOldBuilds(folder: string): void {
  const parent = dirname(folder);
  const others = readdirSync(parent)
    .map((name) => join(parent, name))
    .filter((path) => path !== folder)
    .map((path) => ({ path, at: lstatSync(path).mtimeMs }))
    .sort((a, b) => b.at - a.at);
  for (const { path } of others.slice(KEPT_BUILDS)) rmSync(path, { recursive: true, force: true });
}

function readFile(path: string): Buffer | undefined {
  // O_NOFOLLOW: a link could lead to a file that somebody else may change. (Windows does not have it.)
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile() || !isOwn(stat) || stat.size <= HEADER_BYTES) return undefined;
    const buffer = Buffer.allocUnsafeSlow(stat.size);
    return readSync(fd, buffer, 0, stat.size, 0) === stat.size ? buffer : undefined;
  } finally {
    closeSync(fd);
  }
}

/**
 * The cache in a folder that belongs to one build of the package, one version of Node and one architecture.
 * @param folder need not exist: it is made, mode 0700, with the first write
 */
export function openCodeCache(folder: string): CodeCache {
  let usable: boolean | undefined;
  const pathOf = (name: string): string => join(folder, `${name}.bin`);
  return {
    read(name) {
      usable ??= isOwnFolder(folder);
      if (!usable) return undefined;
      try {
        const file = readFile(pathOf(name));
        if (file?.readUInt32LE(0) !== MAGIC) return undefined;
        const start = HEADER_BYTES + file.readUInt32LE(16);
        const data = file.subarray(start);
        if (file.readUInt32LE(4) !== data.length || file.readUInt32LE(8) !== checksum(data)) return undefined;
        const parts = file.toString('latin1', HEADER_BYTES, start);
        return { data, runs: file.readUInt32LE(12), parts: parts === '' ? [] : parts.split('\n') };
      } catch {
        return undefined;
      }
    },
    write(name, { data, runs, parts }) {
      try {
        const isNew = !isOwnFolder(folder);
        if (isNew && !makeOwnFolder(folder)) return;
        usable = true;
        const names = Buffer.from(parts.join('\n'), 'latin1');
        const header = Buffer.alloc(HEADER_BYTES);
        header.writeUInt32LE(MAGIC, 0);
        header.writeUInt32LE(data.length, 4);
        header.writeUInt32LE(checksum(data), 8);
        header.writeUInt32LE(runs, 12);
        header.writeUInt32LE(names.length, 16);
        const temporary = `${pathOf(name)}.${process.pid}`;
        writeFileSync(temporary, Buffer.concat([header, names, data]), {
          mode: 0o600,
          flag: 'wx',
          flush: true,
        });
        renameSync(temporary, pathOf(name));
        if (isNew) removeOldBuilds(folder);
      } catch {
        // A full or read-only disk, another process in the same moment: the next run tries again.
      }
    },
  };
}
