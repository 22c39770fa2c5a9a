import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * All files under a folder whose path matches, sorted.
 * @param {string} folder @param {RegExp} pattern @returns {string[]}
 */
export function globSync(folder, pattern) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((e) => e.isFile())
    .map((e) => join(e.parentPath, e.name))
    .filter((path) => pattern.test(path))
    .sort();
}
