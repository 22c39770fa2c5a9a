import { closeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Ignore } from 'ignore';
import { openVerified, regularFile } from './anchored.ts';
import { readChunk } from './read-text.ts';
import { relativePath } from './resolve-path.ts';

const MAX_BYTES = 1024 * 1024;

/** The `.gitignore` files that hold for a folder, from the workspace folder down to it. */
export interface IgnoreRules {
  isIgnored(path: string, isFolder: boolean): boolean;
  /** The rules inside `folder`, which has a `.gitignore` of its own. */
  within(folder: string): IgnoreRules;
}

interface Level {
  folder: string;
  rules: Ignore;
}

type CreateIgnore = () => Ignore;

function readRules(folder: string, create: CreateIgnore): Level | undefined {
  const path = join(folder, '.gitignore');
  let fd: number;
  try {
    fd = openVerified(path);
  } catch {
    return undefined;
  }
  try {
    if (regularFile(fd, path).size > MAX_BYTES) return undefined;
    return { folder, rules: create().add(readChunk(fd, MAX_BYTES).toString('utf8')) };
  } catch {
    return undefined;
  } finally {
    closeSync(fd);
  }
}

function build(levels: readonly Level[], create: CreateIgnore): IgnoreRules {
  return {
    isIgnored(path, isFolder) {
      for (let at = levels.length - 1; at >= 0; at--) {
        const level = levels[at];
        if (!level) continue;
        const relative = relativePath(level.folder, path);
        const verdict = level.rules.test(isFolder ? `${relative}/` : relative);
        if (verdict.ignored) return true;
        if (verdict.unignored) return false;
      }
      return false;
    },
    within(folder) {
      const level = readRules(folder, create);
      return level ? build([...levels, level], create) : this;
    },
  };
}

/**
 * The rules for a search that starts at `root`. A root that is itself ignored was named on purpose, so then the rules
 * above it do not count.
 * @param top the workspace folder that `root` lies in, or `root`
 */
export async function loadIgnoreRules(root: string, top: string): Promise<IgnoreRules> {
  const { default: ignore } = await import('ignore');
  const create: CreateIgnore = () => ignore();
  const above: string[] = [];
  for (let folder = root; folder !== top; ) {
    folder = dirname(folder);
    above.unshift(folder);
  }
  let rules = build([], create);
  for (const folder of above) rules = rules.within(folder);
  return rules.isIgnored(root, true) ? build([], create) : rules;
}
