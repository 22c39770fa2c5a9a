import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { errorCode } from '../platform/errors.ts';
import type { Environment } from './types.ts';

const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied (this user may not execute it)',
  ENOTDIR: 'a part of the path is not a directory',
};

/** Why a path cannot be started, in the words of the system; undefined = it can. */
export function executableProblem(path: string): string | undefined {
  try {
    if (!statSync(path).isFile()) return 'is not a file';
    accessSync(path, constants.X_OK);
    return undefined;
  } catch (error) {
    const code = errorCode(error) ?? String(error);
    return PROBLEMS[code] ?? `cannot be used (${code})`;
  }
}

export function homeFolder(environment: Environment): string {
  return environment.HOME || environment.USERPROFILE || homedir();
}

/** The file names under which a program is looked for: as it is, or with the endings that Windows can start itself. */
function fileNames(name: string): string[] {
  return process.platform === 'win32' ? [`${name}.exe`, `${name}.com`] : [name];
}

function pathEntries(environment: Environment): string[] {
  const value = environment.PATH ?? environment.Path ?? '';
  return value === '' ? [] : value.split(delimiter);
}

export interface Search {
  /** Absolute path of the program; undefined = not found. */
  path?: string;
  /** It is on PATH, but only through this relative entry, which would mean another file in each folder. */
  relative?: string;
  /** Folders that were looked into, in order. */
  tried: string[];
}

/**
 * Looks a program up on PATH, then in the given further folders (the usual install places, for a client that was
 * started from a desktop with a poor PATH).
 */
export function findProgram(name: string, environment: Environment, places: readonly string[] = []): Search {
  const tried: string[] = [];
  let relative: string | undefined;
  const look = (folder: string): string | undefined =>
    fileNames(name)
      .map((file) => join(folder, file))
      .find((path) => executableProblem(path) === undefined);

  for (const entry of pathEntries(environment)) {
    if (isAbsolute(entry)) {
      tried.push(entry);
      const path = look(entry);
      if (path !== undefined) return { path, tried };
    } else if (relative === undefined && look(resolve(entry)) !== undefined) {
      relative = entry === '' ? '(empty: the current folder)' : entry;
    }
  }
  for (const place of places) {
    if (tried.includes(place)) continue;
    tried.push(place);
    const path = look(place);
    if (path !== undefined) return { path, tried };
  }
  return relative === undefined ? { tried } : { tried, relative };
}
