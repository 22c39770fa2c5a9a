import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ImageFormat, sniffImage } from '../../platform/image-format.ts';
import { listInside } from '../jail/list-folder.ts';
import { locate, type OpenFile, openInside } from '../jail/open-file.ts';
import { openRoot, type Root } from '../jail/root.ts';
import { createPace, type Pace } from '../pace.ts';

export interface FoundImage {
  /** Absolute, links resolved. */
  path: string;
  format: ImageFormat;
  bytes: Buffer;
}

export interface ImageSearch {
  /** The agent's text, which may name the file. */
  reply: string;
  /** Folders that belong to this run alone (its conversation's), absolute. The newest image of the run in them is taken. */
  ownFolders: readonly string[];
  /** Folders that others use too (the project): an image in them counts only when the reply names it. */
  sharedFolders: readonly string[];
  /** When the run began, in milliseconds since 1970: an older file is not of this run. */
  startedAt: number;
  signal?: AbortSignal;
}

const mostBytes = 67_108_864;
/** File times are taken from a coarse clock that lags behind by some milliseconds. */
const clockSlackMs = 50;
const deepest = 3;
const mostEntries = 5000;

/**
 * The image that a run made: the first one that its reply names, else the newest in the run's own folders. Only a file
 * whose bytes are an image's, that was written since the run began and lies in one of the folders, links resolved.
 */
export async function findRunImage(search: ImageSearch): Promise<FoundImage | undefined> {
  const own = await openRoots(search.ownFolders);
  const all = [...own, ...(await openRoots(search.sharedFolders))];
  for (const path of namedPaths(search.reply)) {
    for (const root of all) {
      const found = await take(root, isAbsolute(path) ? path : join(root.realPath, path), search.startedAt);
      if (found) return found;
    }
  }
  const pace = createPace(search.signal);
  let newest: { image: FoundImage; time: number } | undefined;
  for (const root of own) {
    for await (const path of filesBeneath(root, pace)) {
      const found = await takeWithTime(root, path, search.startedAt);
      if (found && (!newest || found.time > newest.time)) newest = found;
    }
  }
  return newest?.image;
}

async function openRoots(folders: readonly string[]): Promise<Root[]> {
  const roots = await Promise.all(folders.map((folder) => openRoot(folder).catch(() => undefined)));
  return roots.filter((root) => root !== undefined);
}

const extension = '\\.(?:png|jpe?g|webp|gif)';
const mostReplyCharacters = 100_000;

/** Paths of images that a text names: Markdown links, file addresses, absolute paths; in their order. */
export function namedPaths(reply: string): string[] {
  const text = reply.slice(0, mostReplyCharacters);
  const patterns = [
    new RegExp(`\\]\\(<?([^()<>\\n]{1,1024}?${extension})>?(?:\\s+"[^"\\n]*")?\\)`, 'gi'),
    new RegExp(`(file://[^\\s)>\`"']{1,1024}?${extension})(?!\\w|\\.\\w)`, 'gi'),
    new RegExp(`\`([^\`\\n]{1,1024}?${extension})\``, 'gi'),
    new RegExp(
      `(?:^|[\\s("'])((?:/|[A-Za-z]:[\\\\/])[^\\s"'()<>]{1,1024}?${extension})(?!\\w|\\.\\w)`,
      'gim',
    ),
  ];
  const found = patterns.flatMap((pattern) => [...text.matchAll(pattern)]);
  found.sort((a, b) => a.index - b.index);
  return [...new Set(found.map((match) => plainPath(match[1] ?? '')).filter((path) => path !== ''))].slice(
    0,
    50,
  );
}

function plainPath(named: string): string {
  if (!named.startsWith('file:')) return /^[a-z][a-z0-9+.-]+:\/\//i.test(named) ? '' : named;
  try {
    return fileURLToPath(named);
  } catch {
    return '';
  }
}

async function take(root: Root, path: string, startedAt: number): Promise<FoundImage | undefined> {
  const located = await locate(root, path);
  return located.kind === 'file' ? (await takeWithTime(root, located.realPath, startedAt))?.image : undefined;
}

async function takeWithTime(
  root: Root,
  realPath: string,
  startedAt: number,
): Promise<{ image: FoundImage; time: number } | undefined> {
  const opened = await openInside(root, realPath);
  if (!('file' in opened)) return undefined;
  try {
    const image = await readImage(opened.file, startedAt);
    return image && { image, time: opened.file.stat.mtimeMs };
  } catch {
    return undefined;
  } finally {
    await opened.file.handle.close();
  }
}

async function readImage(file: OpenFile, startedAt: number): Promise<FoundImage | undefined> {
  const { stat, handle, realPath } = file;
  if (stat.mtimeMs < startedAt - clockSlackMs || stat.size > mostBytes) return undefined;
  const bytes = await handle.readFile();
  const format = sniffImage(bytes);
  return format && { path: realPath, format, bytes };
}

async function* filesBeneath(root: Root, pace: Pace): AsyncGenerator<string> {
  const waiting = [{ path: root.realPath, depth: 1 }];
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const listing = await listInside(root, next.path, mostEntries, pace);
    if ('problem' in listing) continue;
    for (const entry of listing.entries) {
      const path = join(next.path, entry.name);
      if (entry.kind === 'folder' && next.depth < deepest) waiting.push({ path, depth: next.depth + 1 });
      if (entry.kind === 'file') yield path;
    }
  }
}
