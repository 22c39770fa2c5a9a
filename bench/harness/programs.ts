import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Command {
  program: string;
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
  /** Exit codes that count as success. Default: 0 alone. */
  good?: readonly number[];
  /** Text that stdout must hold: a program that fails fast must not win. */
  expect?: string;
  stdin?: string;
  /** It is ended, and the run is a failure, after this many milliseconds. */
  limitMs?: number;
}

/** A program of Node's: a script with its arguments. */
export function nodeCommand(args: readonly string[], rest: Omit<Command, 'program' | 'args'>): Command {
  return { program: process.execPath, args, ...rest };
}

function check(command: Command, code: number | null, stdout: string, stderr: string): void {
  const { good = [0], expect = '' } = command;
  if (code !== null && good.includes(code) && stdout.includes(expect)) return;
  const line = [command.program, ...command.args].join(' ');
  throw new Error(`${line}: exit ${code}\nstdout: ${stdout.slice(-500)}\nstderr: ${stderr.slice(-1000)}`);
}

interface Finished {
  ms: number;
  stdout: string;
  stderr: string;
}

/** Runs a program to its end. @throws when it ends otherwise than expected */
export function runToEnd(command: Command): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const from = performance.now();
    const child = spawn(command.program, command.args, {
      cwd: command.cwd,
      env: command.env,
      stdio: [command.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      ...(command.limitMs !== undefined && { timeout: command.limitMs }),
    });
    let stdout = '';
    let stderr = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.stdin?.end(command.stdin);
    child.once('error', reject);
    child.once('close', (code) => {
      const ms = performance.now() - from;
      try {
        check(command, code, stdout, stderr);
        resolve({ ms, stdout, stderr });
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
  });
}

/** Wall time of a program from its spawn to its end, in milliseconds. */
export async function wallMs(command: Command): Promise<number> {
  return (await runToEnd(command)).ms;
}

const GNU_TIME = '/usr/bin/time';

/** Whether peak memory can be measured here. */
export function canMeasurePeak(): boolean {
  return existsSync(GNU_TIME) && spawnSync(GNU_TIME, ['-f', '%M', 'true']).status === 0;
}

/** Largest resident memory of any single process of a command, in MB (GNU time). */
export async function peakMb(command: Command, folder: string): Promise<number> {
  const file = join(folder, `peak-${process.hrtime.bigint()}`);
  // A command that fails on purpose makes GNU time write a line about it first: the figure is in the last one.
  await runToEnd({
    ...command,
    program: GNU_TIME,
    args: ['-f', '%M', '-o', file, command.program, ...command.args],
  });
  return Number(readFileSync(file, 'utf8').trim().split('\n').at(-1)) / 1024;
}

/** Resident memory of a living process, in MB (Linux). */
export function residentMb(pid: number): number {
  const kb = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kb) / 1024;
}

/** Processor time that a living process has used so far, in seconds (Linux). */
export function cpuSeconds(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  // utime and stime, fields 14 and 15 of proc(5), in ticks of 10 ms.
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Ends a process that the benchmark started and waits for it. */
export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await gone;
}
