import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { bins } from './mcp.ts';

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  ended: Promise<Ended>;
  stdout(): string;
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
}

/** Starts one of the package's bins as a person or a script would. stdin is closed after what is given. */
export function startCommand(
  bin: 'baton' | 'agy-mcp',
  args: readonly string[],
  options: { cwd: string; env: Record<string, string>; stdin?: string; node?: readonly string[] },
): Running {
  const child = spawn(process.execPath, [...(options.node ?? []), join(bins, `${bin}.js`), ...args], {
    cwd: options.cwd,
    env: options.env,
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  child.stdin.on('error', () => {});
  child.stdin.end(options.stdin ?? '');
  return {
    ended: new Promise((resolve) => {
      child.once('close', (code) => resolve({ code, stdout, stderr }));
    }),
    stdout: () => stdout,
    stderr: () => stderr,
    kill: (signal) => child.kill(signal),
  };
}
