import { closeSync, type Dirent, opendirSync } from 'node:fs';
import { join } from 'node:path';
import { openVerified, readableName } from './anchored.ts';
import { type IgnoreRules, loadIgnoreRules } from './ignore-rules.ts';
import type { Pacer } from './pacer.ts';
import { isInside } from './resolve-path.ts';
import type { ToolOptions } from './types.ts';

/** Sorting more names than this would hold up everything else; such a folder comes in the system's order. */
const MAX_SORTED = 20_000;

export interface Entry {
  path: string;
  name: string;
  kind: 'file' | 'folder' | 'link' | 'other';
}

function kindOf(entry: Dirent): Entry['kind'] {
  if (entry.isDirectory()) return 'folder';
  if (entry.isSymbolicLink()) return 'link';
  return entry.isFile() ? 'file' : 'other';
}

/** The entries of a folder, by name. Links are named as links and never followed. */
export async function readFolder(path: string, pacer: Pacer): Promise<Entry[]> {
  const fd = openVerified(path);
  const entries: Entry[] = [];
  try {
    const folder = opendirSync(readableName(fd, path), { bufferSize: 512 });
    try {
      for (let entry = folder.readSync(); entry; entry = folder.readSync()) {
        entries.push({ path: join(path, entry.name), name: entry.name, kind: kindOf(entry) });
        if (pacer.due()) await pacer.pause();
      }
    } finally {
      folder.closeSync();
    }
  } finally {
    closeSync(fd);
  }
  if (entries.length <= MAX_SORTED) entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries;
}

export interface WalkOptions {
  root: string;
  /** How many folders deep; 1 is the root's own entries. */
  maxDepth?: number;
  pacer: Pacer;
  /** Called for each folder that cannot be read. */
  onUnreadable?: (path: string, error: unknown) => void;
}

/**
 * All files and folders below a folder, a folder's entries at a time, without what `.gitignore` files leave out, without
 * `.git`, without what the policy hides, and without going through links.
 */
export async function* walk(tools: ToolOptions, options: WalkOptions): AsyncGenerator<Entry[]> {
  const { root, pacer } = options;
  const maxDepth = options.maxDepth ?? Number.POSITIVE_INFINITY;
  const top = tools.workspace.folders.find((folder) => isInside(root, folder)) ?? root;
  const queue: { folder: string; depth: number; rules: IgnoreRules }[] = [
    { folder: root, depth: 1, rules: loadIgnoreRules(root, top) },
  ];
  for (let next = queue.pop(); next; next = queue.pop()) {
    if (pacer.due()) await pacer.pause();
    let entries: Entry[];
    try {
      entries = await readFolder(next.folder, pacer);
    } catch (error) {
      if (next.folder === root) throw error;
      options.onUnreadable?.(next.folder, error);
      continue;
    }
    const rules = entries.some((entry) => entry.name === '.gitignore')
      ? next.rules.within(next.folder)
      : next.rules;
    const seen: Entry[] = [];
    for (const entry of entries) {
      if (pacer.due()) await pacer.pause();
      if (entry.name === '.git' || tools.isHidden?.(entry.path)) continue;
      if (rules.isIgnored(entry.path, entry.kind === 'folder')) continue;
      seen.push(entry);
    }
    yield seen;
    if (next.depth >= maxDepth) continue;
    for (const entry of seen.toReversed()) {
      if (entry.kind === 'folder') queue.push({ folder: entry.path, depth: next.depth + 1, rules });
    }
  }
}
