import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { writeFileAtomic } from '../../platform/atomic-file.ts';
import { errorCode, errorMessage } from '../../platform/errors.ts';
import { type FileChange, InstallError } from './plan.ts';

/** A link (of a folder of dotfiles, say) stays a link: what it leads to is written. */
function target(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return file;
    throw error;
  }
}

function currentText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function backupName(file: string, now: Date): string {
  return `${file}.${now.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.bak`;
}

/** A copy beside the file, of the same mode. @returns its path */
function backUp(file: string, now: Date): string {
  for (let attempt = 0; ; attempt++) {
    const path = attempt === 0 ? backupName(file, now) : `${backupName(file, now)}${attempt}`;
    try {
      copyFileSync(file, path, constants.COPYFILE_EXCL);
      chmodSync(path, statSync(file).mode & 0o777);
      return path;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST' || attempt > 99) throw error;
    }
  }
}

export interface Written {
  file: string;
  /** The copy of what it was; undefined when there was none. */
  backup?: string;
}

/**
 * Writes one planned change: atomically, with the mode and owner that the file had, after a copy of it was made. A file
 * that was changed by somebody else since it was read is left alone.
 * @throws {InstallError}
 */
export function writeChange(change: FileChange, now: Date = new Date()): Written {
  try {
    const file = target(change.file);
    if (currentText(file) !== change.before)
      throw new InstallError(
        `${file} was changed meanwhile (by the client?): nothing was written, run this again`,
      );
    if (change.before === undefined) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileAtomic(file, change.after);
      return { file };
    }
    accessSync(file, constants.W_OK);
    const { mode, uid, gid } = statSync(file);
    if ((mode & 0o222) === 0)
      throw new InstallError(
        `${file} may not be written (its mode says so): change it where it is made, or its mode`,
      );
    const backup = backUp(file, now);
    writeFileAtomic(file, change.after, { mode: mode & 0o777, owner: { uid, gid } });
    return { file, backup };
  } catch (error) {
    if (error instanceof InstallError) throw error;
    throw new InstallError(`${change.file} cannot be written: ${errorMessage(error)}`);
  }
}
