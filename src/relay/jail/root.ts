import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, parse } from 'node:path';
import { errorMessage } from '../../platform/errors.ts';
import { isInside } from './inside.ts';

/** The folder that bounds what a prompt may reference. */
export interface Root {
  /** As it was given. */
  path: string;
  /** Links resolved; everything is compared with this one. */
  realPath: string;
  /** It holds the whole machine or a whole home folder, so nothing in it is inlined unless it was named. */
  wide: boolean;
}

/**
 * Where the root came from: `declared` by the operator (`BATON_ROOT`) or the client, `server-folder` = the folder the
 * server was started in, `none` = a shared HTTP server for which nobody declared one.
 */
export type RootKind = 'declared' | 'server-folder' | 'none';

/** Which folder bounds the references of a call (docs/decisions.md 27). A declared folder must be absolute. */
export function chooseRoot(source: {
  environment: Readonly<Record<string, string | undefined>>;
  serverFolder: string;
  http: boolean;
  /** The root that the client declared, if any. */
  clientRoot?: string;
}): { root: string; rootKind: RootKind } {
  const declared = source.environment.BATON_ROOT || source.clientRoot;
  if (declared) {
    if (!isAbsolute(declared))
      throw new Error(
        `the project root "${declared}" (${source.environment.BATON_ROOT ? 'BATON_ROOT' : 'declared by the client'}) is not absolute; give the full path of the folder`,
      );
    return { root: declared, rootKind: 'declared' };
  }
  return { root: source.serverFolder, rootKind: source.http ? 'none' : 'server-folder' };
}

/**
 * Resolves a root once for a call.
 * @throws {Error} that names the folder when it cannot be resolved.
 */
export async function openRoot(path: string, home = homedir()): Promise<Root> {
  let real: string;
  try {
    real = await realpath(path);
  } catch (error) {
    throw new Error(
      `the project folder "${path}" cannot be used: ${errorMessage(error)}; start the server in another folder or set BATON_ROOT`,
      { cause: error },
    );
  }
  const realHome = await realpath(home).catch(() => home);
  return { path, realPath: real, wide: parse(real).root === real || isInside(real, realHome) };
}
