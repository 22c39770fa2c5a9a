import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';

/** A folder's name as it is compared: absolute, links resolved where it exists, no separator at its end. */
export function canonicalFolder(folder: string): string {
  const absolute = resolve(folder);
  try {
    return realpathSync(absolute);
  } catch {
    return absolute;
  }
}
