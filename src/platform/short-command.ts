import { spawn } from 'node:child_process';
import { signalGroup } from './process-tree.ts';

export interface ShortCommand {
  /** Absolute path. */
  program: string;
  args: readonly string[];
  /** The whole environment of the child. */
  environment: Readonly<Record<string, string | undefined>>;
  cwd?: string;
  /** The child and its process group are killed after this many milliseconds. */
  timeoutMs: number;
  /** How long a descendant may keep the output open after the program itself ended. Default 1000. */
  graceMs?: number;
  /** Output kept of each stream, in bytes; the rest is read and dropped. Default 4 MiB. */
  maxBytes?: number;
  signal?: AbortSignal;
}

export interface ShortOutcome {
  ending: 'exit' | 'timeout' | 'cancelled';
  /** Set when the program ended by itself: its code, or the signal that ended it. */
  code?: number;
  signal?: string;
  stdout: string;
  stderr: string;
}

function collector(maxBytes: number): { push(chunk: Buffer): void; text(): string } {
  const chunks: Buffer[] = [];
  let held = 0;
  return {
    push(chunk) {
      const piece = chunk.subarray(0, maxBytes - held);
      held += piece.length;
      if (piece.length > 0) chunks.push(piece);
    },
    text: () => Buffer.concat(chunks).toString('utf8'),
  };
}

/**
 * Runs a command that is expected to answer within seconds and collects what it prints. Its stdin is a pipe at its end,
 * so a program that reads it goes on at once. A descendant that keeps the output open costs `graceMs`, no more, and
 * what was printed counts; it is left alone, as programs start daemons on purpose.
 * @throws the spawn error (`ENOENT`, `EACCES`, …) when the program could not be started.
 */
export function runShortCommand(command: ShortCommand): Promise<ShortOutcome> {
  const { program, args, environment, cwd, timeoutMs, graceMs = 1000, maxBytes = 4 << 20, signal } = command;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      resolve({ ending: 'cancelled', stdout: '', stderr: '' });
      return;
    }
    const ownGroup = process.platform !== 'win32';
    const child = spawn(program, args, {
      cwd,
      env: environment,
      stdio: 'pipe',
      // A group of its own, so that a deadline reaches what the program started as well.
      detached: ownGroup,
      windowsHide: true,
    });
    const stdout = collector(maxBytes);
    const stderr = collector(maxBytes);
    let ending: ShortOutcome['ending'] = 'exit';
    let grace: NodeJS.Timeout | undefined;

    const kill = (why: 'timeout' | 'cancelled'): void => {
      ending = why;
      if (child.pid === undefined || !ownGroup || !signalGroup(child.pid, 'SIGKILL')) child.kill('SIGKILL');
    };
    const deadline = setTimeout(kill, timeoutMs, 'timeout');
    const cancel = (): void => kill('cancelled');
    signal?.addEventListener('abort', cancel, { once: true });

    const release = (): void => {
      clearTimeout(deadline);
      clearTimeout(grace);
      signal?.removeEventListener('abort', cancel);
      child.stdout.destroy();
      child.stderr.destroy();
    };
    const finish = (): void => {
      release();
      const outcome: ShortOutcome = { ending, stdout: stdout.text(), stderr: stderr.text() };
      if (ending === 'exit' && child.exitCode !== null) outcome.code = child.exitCode;
      if (ending === 'exit' && child.signalCode !== null) outcome.signal = child.signalCode;
      resolve(outcome);
    };

    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    // A program that ends without reading its stdin is no error.
    child.stdin.on('error', () => {});
    child.stdin.end();
    child.on('error', (error) => {
      release();
      reject(error);
    });
    child.on('exit', () => {
      clearTimeout(deadline);
      grace = setTimeout(finish, ending === 'exit' ? graceMs : 0);
    });
    child.on('close', finish);
  });
}
