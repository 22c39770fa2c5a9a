import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder, writeFileAtomic } from '../../platform/atomic-file.ts';
import { errorCode } from '../../platform/errors.ts';
import { isCacheKey, keyFor } from './cache-key.ts';
import { type ChunkEntry, decodeEntry } from './entry.ts';

export const CHUNK_LIFE_MS = 600_000;
const mostEntries = 50;

export interface ChunkCache {
  /**
   * Keeps an entry for ten minutes, across restarts.
   * @returns its key, or the key of the same answer that is kept already.
   * @throws when it cannot be written: then no key exists.
   */
  put(entry: Omit<ChunkEntry, 'format' | 'createdAt'>): string;
  /** The entry, or undefined: never made, expired, dropped for newer ones, or not readable as one of ours. */
  get(key: string): ChunkEntry | undefined;
}

const mostBytes = 67_108_864;

/**
 * The chunks of large change mode answers, one private file each.
 * @param folder made with mode 0700 when it is missing.
 */
export function createChunkCache(folder: string, now: () => number = Date.now): ChunkCache {
  return {
    put(entry) {
      makePrivateFolder(folder);
      assertPrivate(folder);
      prune(folder, now());
      const text = JSON.stringify({ format: 1, createdAt: now(), ...entry } satisfies ChunkEntry);
      for (let attempt = 0; attempt < 100; attempt += 1) {
        const key = keyFor(entry.digest, attempt);
        if (place(join(folder, `${key}.json`), text, entry.digest, now())) return key;
      }
      throw new Error(`no free key in ${folder}`);
    },
    get(key) {
      if (!isCacheKey(key)) return undefined;
      const path = join(folder, `${key}.json`);
      const entry = read(path);
      if (!entry) return undefined;
      if (!isExpired(entry, now())) return entry;
      rmSync(path, { force: true });
      return undefined;
    },
  };
}

function isExpired(entry: ChunkEntry, now: number): boolean {
  // A time to come means that the clock was set back: no reason to keep it for ever.
  return now - entry.createdAt > CHUNK_LIFE_MS || entry.createdAt - now > CHUNK_LIFE_MS;
}

/**
 * Puts a file in its place in one step, unless the place belongs to a living entry with another digest.
 * @returns false when it does.
 */
function place(path: string, text: string, digest: string, now: number): boolean {
  const waiting = `${path}.${randomBytes(6).toString('hex')}.new`;
  writeFileAtomic(waiting, text, { durable: false });
  try {
    linkSync(waiting, path);
    return true;
  } catch (error) {
    const code = errorCode(error);
    // Without hard links the check and the replacement are two steps; a clash in between costs one cache entry.
    if (code !== 'EEXIST' && code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
    const other = read(path);
    if (other && other.digest !== digest && !isExpired(other, now)) return false;
    renameSync(waiting, path);
    return true;
  } finally {
    rmSync(waiting, { force: true });
  }
}

/** Reads an entry without following a link; only a plain file of this user counts. */
function read(path: string): ChunkEntry | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const stat = fstatSync(fd);
    if (!stat.isFile() || stat.size > mostBytes || !isOurs(stat.uid)) return undefined;
    return decodeEntry(readFileSync(fd, 'utf8'));
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function isOurs(uid: number): boolean {
  const own = process.getuid?.();
  return own === undefined || own === uid;
}

/** @throws {Error} when others could plant or read entries in the folder. */
function assertPrivate(folder: string): void {
  const stat = lstatSync(folder);
  if (!stat.isDirectory()) throw new Error(`the chunk cache ${folder} is no folder; remove it`);
  if (process.platform === 'win32') return;
  if (!isOurs(stat.uid))
    throw new Error(`the chunk cache ${folder} belongs to another user (uid ${stat.uid})`);
  if ((stat.mode & 0o077) !== 0)
    throw new Error(`the chunk cache ${folder} is open to other users; run chmod 700 ${folder}`);
}

/** Removes what is past its time, and the oldest where there are too many. Room is left for one more. */
function prune(folder: string, now: number): void {
  const files: { path: string; time: number }[] = [];
  for (const name of readdirSync(folder)) {
    if (!/^[0-9a-f]{8}\.json(?:\..*)?$/.test(name)) continue;
    const path = join(folder, name);
    const time = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (time === undefined) continue;
    if (now - time > CHUNK_LIFE_MS) rmSync(path, { force: true });
    else if (name.endsWith('.json')) files.push({ path, time });
  }
  files.sort((a, b) => a.time - b.time);
  for (const file of files.slice(0, Math.max(0, files.length - mostEntries + 1)))
    rmSync(file.path, { force: true });
}
