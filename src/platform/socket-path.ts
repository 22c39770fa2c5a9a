import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { makePrivateFolder } from './atomic-file.ts';

// A socket's path must fit in 108 bytes on Linux and 104 on macOS, the final zero included.
const MAX_SOCKET_PATH = 100;

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
}

/**
 * Where the supervisor of a state folder listens: a socket in the folder itself, or, where that path would be too long
 * for a socket, in a private folder under /tmp; a named pipe on Windows. The same for every process of the user,
 * whatever its environment.
 */
export function supervisorSocketPath(stateDir: string): string {
  if (process.platform === 'win32') return `\\\\.\\pipe\\baton-${userInfo().username}-${shortHash(stateDir)}`;
  const inside = join(stateDir, 'supervisor.sock');
  if (Buffer.byteLength(inside) <= MAX_SOCKET_PATH) return inside;
  return join(`/tmp/baton-${process.getuid?.() ?? 0}`, `${shortHash(stateDir)}.sock`);
}

/**
 * Makes sure that the folder of a socket is this user's own and closed to others.
 * @throws when it belongs to somebody else or is open to others: whoever can write there could answer in our place.
 */
export function checkSocketFolder(folder: string): void {
  if (process.platform === 'win32') return;
  makePrivateFolder(folder);
  const stat = lstatSync(folder);
  const uid = process.getuid?.();
  if (!stat.isDirectory())
    throw new Error(`${folder} is not a folder; remove it, Baton keeps its socket there`);
  if (uid !== undefined && stat.uid !== uid) {
    throw new Error(
      `${folder} belongs to user ${stat.uid}, not to you (${uid}); Baton does not use it. Remove it or set BATON_STATE_DIR.`,
    );
  }
  if ((stat.mode & 0o022) !== 0) {
    throw new Error(
      `${folder} can be written by other users (mode ${(stat.mode & 0o777).toString(8)}); run: chmod 700 ${folder}`,
    );
  }
}
