import { type ChildProcess, spawn } from 'node:child_process';
import { signalGroup } from '../../platform/process-tree.ts';

/** A run under a terminal has a limit of its own, whatever the job's. */
export const PTY_LIMIT_MS = 10 * 60_000;

const quote = (token: string): string => `'${token.replaceAll("'", `'\\''`)}'`;

/** The command line that runs a program under a pseudo-terminal, with the `script` of this system. */
export function scriptCommand(
  program: string,
  args: readonly string[],
  platform: NodeJS.Platform = process.platform,
): { program: string; args: string[] } {
  const line = [program, ...args].map(quote).join(' ');
  return platform === 'darwin'
    ? { program: 'script', args: ['-q', '/dev/null', '/bin/sh', '-c', line] }
    : { program: 'script', args: ['-qec', line, '/dev/null'] };
}

/** What a program printed, without what the terminal and `script` added. */
export function cleanTerminalText(text: string): string {
  return text
    .replaceAll('\r', '')
    .replace('^D\b\b', '')
    .split('\n')
    .filter((line) => !/^Script (?:started|done)\b/.test(line))
    .join('\n');
}

export interface PtyEnd {
  text: string;
  code: number | null;
  /** The limit was reached; `text` is what there was by then. */
  isCut: boolean;
}

/** Runs a program under a pseudo-terminal. Without `script` the text is empty. */
export function runUnderPty(
  program: string,
  args: readonly string[],
  options: { limitMs?: number; onSpawn?(child: ChildProcess): void } = {},
): Promise<PtyEnd> {
  const command = scriptCommand(program, args);
  return new Promise((resolve) => {
    // A group of its own: at the limit all of it is killed, and the terminal's end takes what sits behind it.
    const child = spawn(command.program, command.args, {
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    options.onSpawn?.(child);
    const chunks: Buffer[] = [];
    let isCut = false;
    const timer = setTimeout(() => {
      isCut = true;
      if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
    }, options.limitMs ?? PTY_LIMIT_MS);
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    const end = (code: number | null): void => {
      clearTimeout(timer);
      resolve({ text: cleanTerminalText(Buffer.concat(chunks).toString('utf8')), code, isCut });
    };
    child.on('error', () => end(null));
    child.on('close', (code) => end(code));
  });
}
