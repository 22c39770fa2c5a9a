import { type ChildProcess, spawn } from 'node:child_process';

/** How one attempt ended. */
export interface AttemptEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Why it could not be started. */
  problem?: string;
  /** Something other than white space was printed on stdout. */
  printed: boolean;
  /** What was held back of stdout. */
  held: Buffer;
  /** The end of stderr. */
  stderr: string;
}

export interface AttemptOptions {
  program: string;
  args: readonly string[];
  input: Buffer;
  /** Keep stdout back until it is known whether this attempt counts. */
  hold: boolean;
  onSpawn?(child: ChildProcess): void;
}

/** More than this is not held back: a failed attempt prints no such amount. */
const MOST_HELD_BYTES = 16 * 1024 * 1024;
const STDERR_KEPT = 64 * 1024;

/** Runs a program once, its stdout and stderr handed on as bytes. */
export function runAttempt(options: AttemptOptions): Promise<AttemptEnd> {
  return new Promise((resolve) => {
    const child = spawn(options.program, options.args, { stdio: 'pipe' });
    options.onSpawn?.(child);
    let held: Buffer[] = [];
    let heldBytes = 0;
    let isHolding = options.hold;
    let printed = false;
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => {
      printed ||= /\S/.test(chunk.toString('latin1'));
      if (!isHolding) {
        process.stdout.write(chunk);
        return;
      }
      held.push(chunk);
      heldBytes += chunk.length;
      if (heldBytes <= MOST_HELD_BYTES) return;
      isHolding = false;
      process.stdout.write(Buffer.concat(held));
      held = [];
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString('utf8')).slice(-STDERR_KEPT);
      process.stderr.write(chunk);
    });
    // A program that does not read its stdin is no error.
    child.stdin.on('error', () => {});
    child.stdin.end(options.input);
    const end = (code: number | null, signal: NodeJS.Signals | null, problem?: string): void =>
      resolve({ code, signal, printed, held: Buffer.concat(held), stderr, ...(problem && { problem }) });
    child.on('error', (error) => end(null, null, error.message));
    child.on('close', (code, signal) => end(code, signal));
  });
}
