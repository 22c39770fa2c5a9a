import { CommandError } from './exit.ts';

/** The folder that the command was called in. @throws {CommandError} when it has been removed. */
export function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    throw new CommandError('the folder that this was called in is gone; change to one that exists');
  }
}
