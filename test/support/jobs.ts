import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createJobsClient, type JobsClient } from '../../src/jobs/client.ts';
import { newJobId } from '../../src/jobs/job-folder.ts';
import { readRegistered } from '../../src/jobs/start-supervisor.ts';
import type { Submission } from '../../src/jobs/types.ts';
import { processStartTime } from '../../src/platform/process-identity.ts';

export const programs = fileURLToPath(new URL('../programs/', import.meta.url));

/** Pid of the living supervisor of a state folder, or undefined. */
export function supervisorPid(stateDir: string): number | undefined {
  const registered = readRegistered(stateDir);
  return registered && processStartTime(registered.pid) === registered.start_time
    ? registered.pid
    : undefined;
}

/** Pids of all supervisors of a state folder, one that is only just starting included. */
function supervisorProcesses(stateDir: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        return line.includes(stateDir) && line.some((part) => part.endsWith('supervisor.js'));
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Ends every supervisor of a state folder, and those that a client had started in its last moment. */
export async function endSupervisors(stateDir: string): Promise<void> {
  for (let quiet = 0; quiet < 3; ) {
    const left = supervisorProcesses(stateDir);
    quiet = left.length === 0 ? quiet + 1 : 0;
    for (const pid of left) {
      try {
        process.kill(pid, 'SIGTERM');
      } catch {
        // Ended by itself.
      }
    }
    await sleep(30);
  }
}

export async function until<T>(
  look: () => T | undefined | false | Promise<T | undefined | false>,
  what: string,
  limitMs = 30_000,
): Promise<T> {
  const end = Date.now() + limitMs;
  for (;;) {
    const value = await look();
    if (value) return value;
    if (Date.now() > end) throw new Error(`never came: ${what}`);
    await sleep(20);
  }
}

export interface JobsHouse {
  folder: string;
  stateDir: string;
  /** File to which each run of paced-agent.sh adds a line. */
  runs: string;
  client(): JobsClient;
  /** Ends clients and supervisor and removes the folder. */
  remove(): Promise<void>;
}

export function jobsHouse(): JobsHouse {
  const folder = mkdtempSync(join(tmpdir(), 'baton-jobs-'));
  const stateDir = join(folder, 'state');
  const clients: JobsClient[] = [];
  return {
    folder,
    stateDir,
    runs: join(folder, 'runs'),
    client() {
      const client = createJobsClient({ stateDir });
      clients.push(client);
      return client;
    },
    async remove() {
      for (const client of clients) client.close();
      await endSupervisors(stateDir);
      rmSync(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 });
    },
  };
}

/** A submission that runs a program with arguments; its output is read as a stream. */
export function submission(
  house: JobsHouse,
  program: string,
  args: string[],
  changes: Partial<Submission> = {},
): Submission {
  return {
    id: newJobId(),
    kind: 'agy_run',
    prompt: 'a prompt',
    timeoutMs: 60_000,
    outputLimitBytes: 256 * 1024 * 1024,
    maxJobs: 4,
    depth: 0,
    environment: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
    ...changes,
    invocation: {
      backend: 'agy',
      program,
      args,
      cwd: house.folder,
      stdin: '',
      environment: {},
      outputFormat: 'stream-json',
      expectsStructuredOutput: false,
      notices: [],
      ...changes.invocation,
    },
  };
}

/** A run of paced-agent.sh. */
export function pacedRun(
  house: JobsHouse,
  steps: number,
  pauseSeconds: number,
  changes: Partial<Submission> = {},
): Submission {
  return submission(
    house,
    join(programs, 'paced-agent.sh'),
    [house.runs, String(steps), String(pauseSeconds)],
    changes,
  );
}

export function lines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').trimEnd().split('\n');
  } catch {
    return [];
  }
}
