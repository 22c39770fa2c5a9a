import { closeSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { type IgnoreFile, isIgnored, parseIgnoreFile } from '../../platform/path-patterns/gitignore.ts';
import { openVerified, regularFile } from './anchored.ts';
import { readChunk } from './read-text.ts';

const MAX_BYTES = 1024 * 1024;

/** The `.gitignore` files that hold for a folder, from the workspace folder down to it. */
export interface IgnoreRules {
  isIgnored(path: string, isFolder: boolean): boolean;
  /** The rules inside `folder`, which has a `.gitignore` of its own. */
  within(folder: string): IgnoreRules;
}

const namesBelow = (top: string, path: string): string[] => relative(top, path).split(sep).filter(Boolean);

function readRules(top: string, folder: string): IgnoreFile | undefined {
  const path = join(folder, '.gitignore');
  let fd: number;
  try {
    fd = openVerified(path);
  } catch {
    return undefined;
  }
  try {
    if (regularFile(fd, path).size > MAX_BYTES) return undefined;
    return parseIgnoreFile(readChunk(fd, MAX_BYTES).toString('utf8'), namesBelow(top, folder).length);
  } catch {
    return undefined;
  } finally {
    closeSync(fd);
  }
}

function build(top: string, files: readonly IgnoreFile[]): IgnoreRules {
  return {
    isIgnored: (path, isFolder) => isIgnored(files, namesBelow(top, path), isFolder),
    within(folder) {
      const file = readRules(top, folder);
      return file ? build(top, [...files, file]) : this;
    },
  };
}

/**
 * The rules for a search that starts at `root`. A root that is itself ignored was named on purpose, so then the rules
 * above it do not count.
 * @param top the workspace folder that `root` lies in, or `root`
 */
export function loadIgnoreRules(root: string, top: string): IgnoreRules {
  const above: string[] = [];
  for (let folder = root; folder !== top; ) {
    folder = dirname(folder);
    above.unshift(folder);
  }
  let rules = build(top, []);
  for (const folder of above) rules = rules.within(folder);
  return rules.isIgnored(root, true) ? build(top, []) : rules;
}
