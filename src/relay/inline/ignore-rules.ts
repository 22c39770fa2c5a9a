import { join } from 'node:path';
import { type IgnoreFile, isIgnored, parseIgnoreFile } from '../../platform/path-patterns/gitignore.ts';
import { openInside } from '../jail/open-file.ts';
import type { Root } from '../jail/root.ts';

const ignoreFileBytes = 1_048_576;

/** The .gitignore files of a tree, each read once, when the walk first comes to its folder. */
export interface IgnoreRules {
  /** Those that decide over the entries of a folder, from the root downward. */
  filesFor(folder: string): Promise<readonly IgnoreFile[]>;
  /** Whether a path, or a folder it lies in, is ignored. */
  ignores(name: string, isFolder: boolean): Promise<boolean>;
}

/**
 * @param from the folder to begin at, as a path from the root ('' = the root): files above it do not count. A caller
 *   who names an ignored folder wants what is in it.
 */
export function createIgnoreRules(root: Root, from = ''): IgnoreRules {
  const known = new Map<string, Promise<readonly IgnoreFile[]>>();

  function filesFor(folder: string): Promise<readonly IgnoreFile[]> {
    let files = known.get(folder);
    if (!files) {
      files = load(folder);
      known.set(folder, files);
    }
    return files;
  }

  async function load(folder: string): Promise<readonly IgnoreFile[]> {
    const names = folder === '' ? [] : folder.split('/');
    const own: IgnoreFile[] = [];
    if (folder === '') await read('.git/info/exclude', 0, own);
    await read(folder === '' ? '.gitignore' : `${folder}/.gitignore`, names.length, own);
    if (folder === from || folder === '') return own;
    return [...(await filesFor(names.slice(0, -1).join('/'))), ...own];
  }

  async function read(name: string, depth: number, into: IgnoreFile[]): Promise<void> {
    const opened = await openInside(root, join(root.realPath, name));
    if (!('file' in opened)) return;
    const { handle } = opened.file;
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(ignoreFileBytes), 0, ignoreFileBytes, 0);
      const file = parseIgnoreFile(buffer.toString('utf8', 0, bytesRead), depth);
      if (file.rules.length > 0) into.push(file);
    } catch {
      // An ignore file that cannot be read ignores nothing, as in git.
    } finally {
      await handle.close();
    }
  }

  return {
    filesFor,
    async ignores(name, isFolder) {
      const names = name.split('/');
      for (let count = 1; count <= names.length; count += 1) {
        const files = await filesFor(names.slice(0, count - 1).join('/'));
        if (isIgnored(files, names.slice(0, count), isFolder || count < names.length)) return true;
      }
      return false;
    },
  };
}
