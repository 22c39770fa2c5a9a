import { errorMessage } from '../platform/errors.ts';
import { UsageError } from './flags.ts';

/** What a command ends with when the run it was about did not end well. */
export class CommandError extends Error {
  override name = 'CommandError';
  readonly code: number;
  constructor(message: string, code = 1) {
    super(message);
    this.code = code;
  }
}

/**
 * Runs a program's main function and ends the process with its exit code. Failures come out as one message on stderr,
 * never as a stack; a wrong command line is exit code 2, everything else 1 unless it says so.
 */
export function runMain(name: string, main: () => Promise<number>): void {
  main().then(
    (code) => {
      process.exitCode = code;
    },
    (error: unknown) => {
      process.stderr.write(`${name}: ${errorMessage(error)}\n`);
      process.exitCode = error instanceof UsageError ? 2 : error instanceof CommandError ? error.code : 1;
    },
  );
}

/** A reader that went away (`baton jobs list | head -1`) ends the program quietly. */
export function endOnBrokenPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? 0 : 1);
  });
}
