import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { packageRoot } from '../../../platform/paths.ts';

function folder(): string {
  return join(packageRoot(), 'sample', 'replays');
}

/** The scripts that come with the package, by name. */
export function replayNames(): string[] {
  try {
    return readdirSync(folder())
      .filter((file) => file.endsWith('.json'))
      .map((file) => file.slice(0, -'.json'.length))
      .sort();
  } catch {
    return [];
  }
}

/** The file of a script's name or path. It need not exist. */
export function findReplay(name: string): string {
  const isPath = /[\\/]/.test(name) || name.endsWith('.json');
  return isPath ? resolve(name) : join(folder(), `${name}.json`);
}
