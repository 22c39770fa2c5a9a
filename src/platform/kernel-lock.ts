import { closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PRIVATE_FILE } from './atomic-file.ts';
import { errorCode, errorMessage } from './errors.ts';

/**
 * Kernel locks on files: OFD locks on Linux, `flock` on macOS, `LockFileEx` on Windows. They belong to the open file, so
 * a child that inherits the descriptor holds the lock too, and the kernel frees it the moment the last holder ends,
 * however it ends.
 */
interface LockBinding {
  tryLock(fd: number, offset: number, length: number, exclusive: boolean): void;
  unlock(fd: number, offset: number, length: number): void;
}

export class LocksUnavailableError extends Error {
  override name = 'LocksUnavailableError';
}

let loaded: LockBinding | undefined;

function isBinding(value: unknown): value is LockBinding {
  return typeof value === 'object' && value !== null && 'tryLock' in value && 'unlock' in value;
}

/**
 * Loads the addon's prebuilt file directly: its own loader reads a dozen package files first and costs 20 ms of each
 * start (measured), this costs 4.
 */
function binding(): LockBinding {
  if (loaded) return loaded;
  const platform = `${process.platform}-${process.arch}`;
  try {
    const manifest = createRequire(import.meta.url).resolve('fs-native-extensions/package.json');
    const file = join(dirname(manifest), 'prebuilds', platform, 'fs-native-extensions.node');
    const holder: { exports: unknown } = { exports: {} };
    process.dlopen(holder, file);
    if (!isBinding(holder.exports)) throw new Error(`${file} does not offer tryLock and unlock`);
    loaded = holder.exports;
    return loaded;
  } catch (error) {
    throw new LocksUnavailableError(
      `kernel file locks are not available on ${platform}: ${errorMessage(error)}. ` +
        'Baton needs them so that no run is ever started twice; they come prebuilt with the package fs-native-extensions for ' +
        'Linux, macOS and Windows on x64 and arm64. Reinstall the package on this machine, or use one of these platforms.',
      { cause: error },
    );
  }
}

/** Loads the lock library now. @throws {LocksUnavailableError} */
export function requireLocks(): void {
  binding();
}

function attempt(fd: number, exclusive: boolean): boolean {
  try {
    binding().tryLock(fd, 0, 0, exclusive);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EAGAIN' || code === 'EACCES' || code === 'EBUSY' || code === 'EWOULDBLOCK') return false;
    throw error;
  }
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

export interface HeldLock {
  /** Hand it to a child to make the child a holder. */
  readonly fd: number;
  /** Frees this process's hold only; a child that inherited the descriptor goes on holding. Idempotent. */
  release(): void;
}

/**
 * Takes the exclusive lock of a file (created when absent, mode 0600, never removed: removing a lock file races), or
 * returns undefined when somebody else holds it. A probe by {@link isLocked} can collide with the attempt, so it is made
 * up to five times within about 10 ms.
 */
export function tryAcquireLock(path: string): HeldLock | undefined {
  let fd: number | undefined = openSync(path, 'a+', PRIVATE_FILE);
  for (let round = 0; ; round++) {
    let taken: boolean;
    try {
      taken = attempt(fd, true);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    if (taken) break;
    if (round === 4) {
      closeSync(fd);
      return undefined;
    }
    pause(2);
  }
  const held = fd;
  return {
    fd: held,
    release() {
      if (fd === undefined) return;
      fd = undefined;
      closeSync(held);
    },
  };
}

/**
 * Whether somebody holds the exclusive lock of a file; false when the file does not exist. Probes with a shared lock on
 * a descriptor of its own, so two probes do not see each other.
 */
export function isLocked(path: string): boolean {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
  try {
    if (!attempt(fd, false)) return true;
    binding().unlock(fd, 0, 0);
    return false;
  } finally {
    closeSync(fd);
  }
}
