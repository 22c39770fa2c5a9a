import { type FileHandle, lstat, readlink, realpath } from 'node:fs/promises';

/**
 * The real path of what a descriptor has open, asked after the opening: whatever was renamed or linked between a check
 * of the name and the open, this is the file that reads will come from. Linux answers from the kernel. Elsewhere the
 * expected path must still resolve to itself and be the same inode.
 * @returns undefined when it cannot be established, which callers treat as outside.
 */
export async function realPathOf(handle: FileHandle, expected: string): Promise<string | undefined> {
  if (process.platform === 'linux') {
    const path = await readlink(descriptorPath(handle)).catch(() => undefined);
    if (path !== undefined) return path.startsWith('/') ? path : undefined;
  }
  try {
    const opened = await handle.stat({ bigint: true });
    const named = await lstat(expected, { bigint: true });
    const same = opened.dev === named.dev && opened.ino === named.ino && opened.ino !== 0n;
    return same && (await realpath(expected)) === expected ? expected : undefined;
  } catch {
    return undefined;
  }
}

/** On Linux, a path to what the descriptor has open that no rename can turn elsewhere. */
export function descriptorPath(handle: FileHandle): string {
  return `/proc/self/fd/${handle.fd}`;
}
