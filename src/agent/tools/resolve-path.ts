import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, parse, resolve, sep } from 'node:path';
import { errorCode } from '../../platform/errors.ts';
import { ToolInputError } from './types.ts';

const MAX_LINKS = 40;

/**
 * The path with every link followed, also where its last parts do not exist yet: the nearest existing folder is
 * resolved, and a link that leads to nothing is followed by hand, since a write through it would create its target.
 * @param path absolute
 * @throws the system's error when a part cannot be looked at (`EACCES`, `ELOOP`).
 */
export function followLinks(path: string, depth = 0): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const code = errorCode(error);
    if ((code !== 'ENOENT' && code !== 'ENOTDIR') || parse(path).root === path) throw error;
  }
  const candidate = join(followLinks(dirname(path), depth), basename(path));
  let target: string;
  try {
    if (!lstatSync(candidate).isSymbolicLink()) return candidate;
    target = readlinkSync(candidate);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return candidate;
    throw error;
  }
  if (depth >= MAX_LINKS) throw Object.assign(new Error(`too many links at ${path}`), { code: 'ELOOP' });
  return followLinks(resolve(dirname(candidate), target), depth + 1);
}

/** Whether `path` is `folder` or lies below it. Both absolute and normalised. */
export function isInside(path: string, folder: string): boolean {
  if (path === folder) return true;
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** The path below a folder that it lies in, with `/` between its parts; '' for the folder itself. */
export function relativePath(folder: string, path: string): string {
  const rest = path.slice(folder.length);
  const relative = rest.startsWith(sep) ? rest.slice(sep.length) : rest;
  return sep === '/' ? relative : relative.replaceAll(sep, '/');
}

export interface ResolvedPath {
  /** Absolute, `..` taken out, links not followed. */
  given: string;
  /** Absolute, links followed. */
  path: string;
}

/**
 * What a path argument of a tool means.
 * @param base the folder that a relative path starts from
 * @throws {ToolInputError} for a path that no file can have, or that names something else than a file here.
 */
export function resolveArgument(value: string, base: string): ResolvedPath {
  if (value === '') throw new ToolInputError('the path is empty');
  if (value.includes('\0'))
    throw new ToolInputError(`the path ${JSON.stringify(value)} holds a NUL character`);
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(value))
    throw new ToolInputError(
      `${value} is an address, not a path; give an absolute path such as ${base}${sep}file`,
    );
  if (/^~[^/\\]*([/\\]|$)/.test(value))
    throw new ToolInputError(`${value}: ~ is not expanded here; give an absolute path`);
  if (/^(\\\\|\/\/)[^/\\]/.test(value))
    throw new ToolInputError(`${value} is a network path; only local files can be used`);
  const given = isAbsolute(value) ? resolve(value) : resolve(base, value);
  try {
    return { given, path: followLinks(given) };
  } catch (error) {
    throw new ToolInputError(`${given} cannot be resolved: ${errorCode(error) ?? String(error)}`);
  }
}
