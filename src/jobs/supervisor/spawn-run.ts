import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, closeSync, constants, openSync, statSync } from 'node:fs';
import { PRIVATE_FILE, writeFileAtomic } from '../../platform/atomic-file.ts';
import { errorCode, errorMessage } from '../../platform/errors.ts';
import { type HeldLock, tryAcquireLock } from '../../platform/kernel-lock.ts';
import { bootId, processStartTime, runningTimeMs } from '../../platform/process-identity.ts';
import { jobFiles } from '../job-folder.ts';
import { JOB_VARIABLE } from '../liveness.ts';
import type { JobRecord, ProcessRecord } from '../types.ts';
import { faultPoint } from './faults.ts';

const DEPTH_VARIABLE = 'BATON_DEPTH';

export type SpawnOutcome =
  | { kind: 'running'; child: ChildProcess; process: ProcessRecord }
  /** Somebody of this run lives already: it is not started again. */
  | { kind: 'held' }
  | { kind: 'failed'; message: string };

/**
 * The shim that stands between fork and agent: it writes its own pid, which `exec` keeps, into `started`, and only then
 * becomes the agent. So `started` exists if and only if the agent may have begun, however the supervisor dies.
 */
const SHIM = 'echo $$ >"$0" && exec "$@"';

/** Why this command line cannot be started, in words for the caller, or undefined. Found out before the spawn, because behind the shim every cause would look like exit code 127. */
function spawnObstacle(record: JobRecord): string | undefined {
  const { program, cwd } = record.invocation;
  const folder = statSync(cwd, { throwIfNoEntry: false });
  if (!folder) return `the working directory ${cwd} does not exist; create it, or pass another cwd`;
  if (!folder.isDirectory()) return `the working directory ${cwd} is not a folder; pass a folder as cwd`;
  try {
    accessSync(cwd, constants.X_OK);
  } catch (error) {
    return `the working directory ${cwd} cannot be entered (${errorCode(error) ?? ''}); change its permissions, or pass another cwd`;
  }
  try {
    if (!statSync(program).isFile())
      return `${program} is not a file; the path of the agent must name an executable file`;
    accessSync(program, constants.X_OK);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT')
      return `the agent's program ${program} does not exist any more; install it again, or set its path anew`;
    if (code === 'EACCES')
      return `the agent's program ${program} is not executable for this user; run: chmod +x ${program}`;
    return `the agent's program ${program} cannot be started: ${errorMessage(error)}`;
  }
  return undefined;
}

function failureText(error: unknown, record: JobRecord): string {
  const code = errorCode(error);
  if (code === 'E2BIG') {
    return `the command line of ${record.invocation.program} is longer than the system allows (E2BIG); shorten the prompt or the schema, or use an agent build that takes the prompt on stdin`;
  }
  return `the agent could not be started: ${errorMessage(error)}`;
}

/**
 * Starts the agent of an accepted job: its three streams are files of the job folder, it leads a session and process
 * group of its own, and it inherits the run's lock as descriptor 3.
 */
export function spawnRun(
  stateDir: string,
  record: JobRecord,
  environment: Record<string, string>,
): SpawnOutcome {
  const files = jobFiles(stateDir, record.id);
  const obstacle = spawnObstacle(record);
  if (obstacle) return { kind: 'failed', message: obstacle };
  let lock: HeldLock | undefined;
  const open: number[] = [];
  try {
    lock = tryAcquireLock(files.runLock);
    if (!lock) return { kind: 'held' };
    faultPoint('lock-taken');
    open.push(
      openSync(files.input, 'r'),
      openSync(files.events, 'a', PRIVATE_FILE),
      openSync(files.stderr, 'a', PRIVATE_FILE),
    );
    // Made here, empty, so that it is private whatever the umask; the shim fills it.
    closeSync(openSync(files.started, 'a', PRIVATE_FILE));
    const { program, args, cwd } = record.invocation;
    const child = spawn('/bin/sh', ['-c', SHIM, files.started, program, ...args], {
      cwd,
      detached: true,
      env: { ...environment, [JOB_VARIABLE]: record.id, [DEPTH_VARIABLE]: String(record.depth + 1) },
      stdio: [...open, lock.fd],
    });
    // A failed spawn is reported by an event too; the missing pid says the same at once.
    child.on('error', () => {});
    if (child.pid === undefined)
      return { kind: 'failed', message: 'the agent could not be started: the system gave no process' };
    faultPoint('spawned');
    const process: ProcessRecord = {
      pid: child.pid,
      start_time: processStartTime(child.pid) ?? '',
      boot_id: bootId(),
      spawned_at: new Date().toISOString(),
      spawned_running_ms: runningTimeMs(),
    };
    writeFileAtomic(files.process, `${JSON.stringify(process)}\n`, { durable: false });
    faultPoint('process-written');
    return { kind: 'running', child, process };
  } catch (error) {
    return { kind: 'failed', message: failureText(error, record) };
  } finally {
    for (const fd of open) closeSync(fd);
    lock?.release();
  }
}
