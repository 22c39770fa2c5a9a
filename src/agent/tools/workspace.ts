import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { errorCode } from '../../platform/errors.ts';
import { followLinks } from './resolve-path.ts';
import type { Workspace } from './types.ts';

/** A workspace folder that cannot be used. */
export class WorkspaceError extends Error {
  override name = 'WorkspaceError';
}

/**
 * The workspace of a run: its folders with links followed, since the root itself may be a link (`/var` on macOS).
 * @param folders as given by the caller, the one that commands run in first; relative ones start from the process's folder
 * @throws {WorkspaceError}
 */
export function createWorkspace(folders: readonly string[]): Workspace {
  const real = folders.map((folder) => {
    try {
      const path = followLinks(resolve(folder));
      if (statSync(path).isDirectory()) return path;
    } catch (error) {
      const cause = errorCode(error) === 'ENOENT' ? 'it does not exist' : String(error);
      throw new WorkspaceError(`the folder ${folder} cannot be used: ${cause}`);
    }
    throw new WorkspaceError(`the folder ${folder} cannot be used: it is a file`);
  });
  const [base] = real;
  if (base === undefined) throw new WorkspaceError('no workspace folder was given');
  return { folders: [...new Set(real)], base };
}
