import { posix } from 'node:path';
import type { Environment } from '../../backends/types.ts';
import { isSecretFolder, looksSecret } from '../inline/secrets.ts';
import { isRepositoryData, isSkippedFolder } from '../inline/skipped.ts';
import { listInside } from '../jail/list-folder.ts';
import { locate } from '../jail/open-file.ts';
import { chooseRoot, openRoot } from '../jail/root.ts';
import { createPace } from '../pace.ts';

/** Whose project the paths are in. */
export interface PathPlace {
  environment: Environment;
  serverFolder: string;
  http: boolean;
}

const MOST_ENTRIES = 2000;
const MOST_OFFERED = 100;

/** Names that nobody means when they begin to type a path. */
function isUnwanted(path: string, isFolder: boolean): boolean {
  if (isRepositoryData(path) || looksSecret(path)) return true;
  return isFolder && (isSkippedFolder(posix.basename(path)) || isSecretFolder(path));
}

/**
 * Paths in the project that go on from what was typed, folders with `/` at their end; in the order of names. Secrets,
 * version control data and what lies outside the project are not offered; nothing at all where there is no project.
 */
export async function completePath(
  begun: string,
  place: PathPlace,
  only: 'all' | 'folders' = 'all',
): Promise<string[]> {
  const { root: folder, rootKind } = chooseRoot(place);
  if (rootKind === 'none' || begun.startsWith('/') || begun.startsWith('~')) return [];
  const root = await openRoot(folder);
  const at = begun.lastIndexOf('/') + 1;
  const parent = begun.slice(0, at);
  const start = begun.slice(at);
  const located = await locate(root, `${root.realPath}/${parent}`);
  if (located.kind !== 'folder') return [];
  const listing = await listInside(root, located.realPath, MOST_ENTRIES, createPace());
  if ('problem' in listing) return [];
  return listing.entries
    .filter(({ name, kind }) => {
      const isFolder = kind === 'folder';
      if (!name.startsWith(start) || (start === '' && name.startsWith('.'))) return false;
      return (isFolder || (kind === 'file' && only === 'all')) && !isUnwanted(parent + name, isFolder);
    })
    .slice(0, MOST_OFFERED)
    .map(({ name, kind }) => `${parent}${name}${kind === 'folder' ? '/' : ''}`);
}

/** The prompts that come of it when the `@` reference at the end of what was typed is gone on with. */
export async function completeReference(begun: string, place: PathPlace): Promise<string[]> {
  const match = /(?:^|[\s([{<"'`,;:])@("?)([^\s"]*)$/.exec(begun);
  if (!match) return [];
  const [, quote = '', typed = ''] = match;
  const before = begun.slice(0, begun.length - typed.length - quote.length);
  const paths = await completePath(typed, place);
  return paths.map((path) => {
    const isOdd = quote !== '' || /[\s"'()\\]/.test(path);
    // A folder is gone on with, so its quotation stays open.
    return `${before}${isOdd ? `"${path}${path.endsWith('/') ? '' : '"'}` : path}`;
  });
}
