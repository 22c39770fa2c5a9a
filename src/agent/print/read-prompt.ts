import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { errorMessage } from '../../platform/errors.ts';
import { RunError } from './failures.ts';
import type { FlagValues } from './flags.ts';
import { requirePrompt } from './options.ts';
import { UsageError } from './parse-flags.ts';

async function readAll(stdin: NodeJS.ReadStream): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of stdin) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString('utf8');
}

function promptFile(path: string, here: string): string {
  try {
    return readFileSync(resolve(here, path), 'utf8');
  } catch (error) {
    throw new RunError(`--prompt-file ${JSON.stringify(path)} cannot be read: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}

/**
 * Refuses what can be refused before anything is read.
 * @param isTerminal whether stdin is one; only asked when it matters, since the stream is then made
 * @throws {UsageError}
 */
export function checkPromptFlags(values: FlagValues, isTerminal: () => boolean): void {
  const { print, 'prompt-file': file } = values.text;
  if (print !== undefined && print !== '' && file !== undefined) {
    throw new UsageError('--print and --prompt-file both give a prompt; give one of them');
  }
  if (print === undefined && file === undefined && isTerminal()) {
    throw new UsageError(
      'no prompt: give one with --print "…", with --prompt-file <path>, or on stdin (there is no interactive mode)',
    );
  }
}

/** Whether the prompt can be had without waiting for stdin. */
export function isPromptGiven(values: FlagValues): boolean {
  const { print, 'prompt-file': file } = values.text;
  return print !== undefined ? print !== '' || file !== '-' : file !== undefined && file !== '-';
}

/**
 * The prompt of a single run, from `--print`, else `--prompt-file`, else the whole of stdin. With a prompt on the command
 * line stdin is left alone, so an open pipe never holds a run up.
 * @throws {RunError} when it is empty or cannot be read
 */
export async function readPrompt(
  values: FlagValues,
  here: string,
  stdin: () => NodeJS.ReadStream,
): Promise<string> {
  const { print, 'prompt-file': file } = values.text;
  if (file !== undefined && (print === undefined || print === '')) {
    return requirePrompt(file === '-' ? await readAll(stdin()) : promptFile(file, here));
  }
  return requirePrompt(print ?? (await readAll(stdin())));
}
