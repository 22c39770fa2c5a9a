import { constants, type Dirent } from 'node:fs';
import { type FileHandle, open, opendir, realpath } from 'node:fs/promises';
import { errorMessage } from '../../platform/errors.ts';
import type { Pace } from '../pace.ts';
import { descriptorPath, realPathOf } from './descriptor.ts';
import { isInside } from './inside.ts';
import type { Root } from './root.ts';

export interface FolderEntry {
  name: string;
  kind: 'file' | 'folder' | 'link' | 'special';
}

export type Listing =
  | { entries: FolderEntry[] }
  | { problem: 'outside' | 'unreadable' | 'crowded'; reason: string };

const folderFlags =
  constants.O_RDONLY |
  (constants.O_DIRECTORY ?? 0) |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

/**
 * The entries of a folder inside the root, in the order of their names' code units.
 * @param realPath absolute, links resolved.
 * @param limit a folder with more entries is not listed at all: which of them came first would depend on the disk.
 */
export async function listInside(root: Root, realPath: string, limit: number, pace: Pace): Promise<Listing> {
  let handle: FileHandle | undefined;
  try {
    // Windows cannot open a folder like a file; there the path is checked before and after.
    if (process.platform !== 'win32') {
      handle = await open(realPath, folderFlags);
      const real = await realPathOf(handle, realPath);
      if (real === undefined || !isInside(root.realPath, real)) return outside;
    }
    const entries = await readEntries(
      handle && process.platform === 'linux' ? descriptorPath(handle) : realPath,
      limit,
      pace,
    );
    if (!entries) return { problem: 'crowded', reason: `it has more than ${limit} entries` };
    if (process.platform !== 'linux' && (await realpath(realPath)) !== realPath) return outside;
    return { entries: await sortByName(entries, pace) };
  } catch (error) {
    return { problem: 'unreadable', reason: errorMessage(error) };
  } finally {
    await handle?.close();
  }
}

const outside: Listing = { problem: 'outside', reason: 'it leads outside the project folder' };

async function readEntries(path: string, limit: number, pace: Pace): Promise<FolderEntry[] | undefined> {
  const entries: FolderEntry[] = [];
  const folder = await opendir(path, { bufferSize: 512 });
  for await (const entry of folder) {
    if (entries.length >= limit) return undefined;
    entries.push({ name: entry.name, kind: kindOf(entry) });
    await pace();
  }
  return entries;
}

function kindOf(entry: Dirent): FolderEntry['kind'] {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : 'special';
}

function byName(a: FolderEntry, b: FolderEntry): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/** Sorts in slices and merges them, with pauses: one sort of 100,000 names would hold the loop for a tenth of a second. */
async function sortByName(entries: FolderEntry[], pace: Pace): Promise<FolderEntry[]> {
  const slice = 4096;
  let runs: FolderEntry[][] = [];
  for (let at = 0; at < entries.length; at += slice) {
    runs.push(entries.slice(at, at + slice).sort(byName));
    await pace();
  }
  while (runs.length > 1) {
    const next: FolderEntry[][] = [];
    for (let at = 0; at < runs.length; at += 2)
      next.push(await merge(runs[at] ?? [], runs[at + 1] ?? [], pace));
    runs = next;
  }
  return runs[0] ?? [];
}

async function merge(left: FolderEntry[], right: FolderEntry[], pace: Pace): Promise<FolderEntry[]> {
  const merged: FolderEntry[] = [];
  let l = 0;
  let r = 0;
  for (;;) {
    const a = left[l];
    const b = right[r];
    if (a === undefined && b === undefined) return merged;
    if (b === undefined || (a !== undefined && byName(a, b) <= 0)) {
      if (a !== undefined) merged.push(a);
      l += 1;
    } else {
      merged.push(b);
      r += 1;
    }
    if (merged.length % 1024 === 0) await pace();
  }
}
