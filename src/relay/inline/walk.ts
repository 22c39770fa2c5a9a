import { join } from 'node:path';
import { type IgnoreFile, isIgnored } from '../../platform/path-patterns/gitignore.ts';
import {
  advanceGlob,
  canGoOn,
  type Glob,
  type GlobState,
  isGlobMatch,
  startGlob,
} from '../../platform/path-patterns/glob.ts';
import { relativeName } from '../jail/inside.ts';
import { type FolderEntry, listInside } from '../jail/list-folder.ts';
import { locate } from '../jail/open-file.ts';
import type { Root } from '../jail/root.ts';
import type { Pace } from '../pace.ts';
import type { IgnoreRules } from './ignore-rules.ts';
import type { InlineLimits } from './limits.ts';
import type { Report } from './report.ts';
import { isSecretFolder, looksSecret } from './secrets.ts';
import { isRepositoryData, isSkippedFolder } from './skipped.ts';

export interface WalkedFile {
  /** Path from the root as it was walked, with `/`. */
  name: string;
  realPath: string;
}

/** What all walks of one prompt share. */
export interface WalkContext {
  root: Root;
  limits: InlineLimits;
  report: Report;
  pace: Pace;
  /** Names looked at so far, over all walks. */
  entries: { count: number };
}

interface Frame {
  /** Path from the root as it was walked, '' for the root. */
  name: string;
  /** Path from the root with links resolved: the .gitignore files on that way decide. */
  real: string;
  realPath: string;
  entries: FolderEntry[];
  next: number;
  ignoreFiles: readonly IgnoreFile[];
  state: GlobState | undefined;
}

/**
 * The files beneath a folder, one at a time, by the order of names: whoever takes no more leaves the rest of the tree
 * unread. Links are followed within the root, each folder at most once. What is passed over goes to the report.
 * @param base path of the folder from the root, links resolved ('' = the root).
 * @param glob only files whose path from `base` matches; folders that cannot hold a match are not read.
 */
export async function* walk(
  context: WalkContext,
  rules: IgnoreRules,
  base: string,
  glob?: Glob,
): AsyncGenerator<WalkedFile> {
  const visited = new Set<string>();
  const stack: Frame[] = [];
  await enter(base, join(context.root.realPath, base), glob && startGlob(glob));
  for (let frame = stack.at(-1); frame; frame = stack.at(-1)) {
    const entry = frame.entries[frame.next];
    frame.next += 1;
    if (!entry) {
      stack.pop();
      continue;
    }
    await context.pace();
    const state = glob && frame.state && advanceGlob(glob, frame.state, entry.name);
    if (state && !canGoOn(state)) continue;
    const name = under(frame.name, entry.name);
    const found = await classify(
      context,
      rules,
      frame,
      entry,
      name,
      !glob || !state || isGlobMatch(glob, state),
    );
    if (found === undefined) continue;
    if (found.kind === 'folder') await enter(name, found.realPath, state);
    else if (!glob || (state && isGlobMatch(glob, state))) yield { name, realPath: found.realPath };
  }

  async function enter(name: string, realPath: string, state: GlobState | undefined): Promise<void> {
    if (visited.has(realPath)) return;
    visited.add(realPath);
    const { limits, report, root } = context;
    const left = limits.walkedEntries - context.entries.count;
    const shown = `${name || '.'}/`;
    if (left <= 0) {
      report.add('stopped', shown);
      return;
    }
    const listing = await listInside(root, realPath, limits.folderEntries, context.pace);
    if ('problem' in listing) {
      report.add(listing.problem, shown);
      return;
    }
    if (listing.entries.length > left) report.add('stopped', shown);
    const entries = listing.entries.slice(0, left);
    context.entries.count += entries.length;
    const real = relativeName(root.realPath, realPath);
    stack.push({ name, real, realPath, entries, next: 0, ignoreFiles: await rules.filesFor(real), state });
  }
}

/** What an entry is, or undefined when the walk leaves it out. `wanted` = it is worth a word when it is left out. */
async function classify(
  context: WalkContext,
  rules: IgnoreRules,
  frame: Frame,
  entry: FolderEntry,
  name: string,
  wanted: boolean,
): Promise<{ kind: 'file' | 'folder'; realPath: string } | undefined> {
  const { report, root } = context;
  if (isRepositoryData(entry.name)) return undefined;
  let real = under(frame.real, entry.name);
  const isFolder = entry.kind === 'folder';
  if (isIgnored(frame.ignoreFiles, real.split('/'), isFolder)) {
    if (wanted || isFolder) report.add('ignored', isFolder ? `${name}/` : name);
    return undefined;
  }
  if (entry.kind === 'special') {
    if (wanted) report.add('special', name);
    return undefined;
  }
  let found: { kind: 'file' | 'folder'; realPath: string } = {
    kind: isFolder ? 'folder' : 'file',
    realPath: join(frame.realPath, entry.name),
  };
  if (entry.kind === 'link') {
    const located = await locate(root, found.realPath);
    if (located.kind !== 'file' && located.kind !== 'folder') {
      // A link to nothing has nothing to leave out.
      if (wanted && located.kind !== 'missing') report.add(located.kind, name);
      return undefined;
    }
    found = located;
    real = relativeName(root.realPath, located.realPath);
    if (isRepositoryData(real)) return undefined;
    if (await rules.ignores(real, located.kind === 'folder')) {
      if (wanted) report.add('ignored', name);
      return undefined;
    }
  }
  return passesNames(report, found, name, real, wanted) ? found : undefined;
}

function passesNames(
  report: Report,
  found: { kind: 'file' | 'folder'; realPath: string },
  name: string,
  real: string,
  wanted: boolean,
): boolean {
  if (found.kind === 'folder') {
    if (isSecretFolder(name) || isSecretFolder(real)) {
      report.add('secret', `${name}/`);
      return false;
    }
    if (isSkippedFolder(baseOf(name)) || isSkippedFolder(baseOf(real))) {
      report.add('ignored', `${name}/`);
      return false;
    }
    return true;
  }
  if (looksSecret(name) || looksSecret(real)) {
    if (wanted) report.add('secret', name);
    return false;
  }
  return true;
}

function under(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

function baseOf(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}
