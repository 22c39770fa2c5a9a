import { type FSWatcher, watch } from 'node:fs';
import { isTerminal } from '../contract/outcome.ts';
import { jobFiles } from '../jobs/job-folder.ts';
import { readStatus } from '../jobs/read-status.ts';
import type { JobStatus } from '../jobs/types.ts';
import { waitForJob } from '../jobs/wait.ts';
import { announceReady } from './ready-file.ts';

/** Where the folder cannot be watched it is looked at this often. */
const POLL_MS = 250;

/** Calls back whenever something in the job's folder changes, or now and then where it cannot be watched. */
function watchFolder(folder: string, listener: () => void): () => void {
  let watcher: FSWatcher | undefined;
  let timer: NodeJS.Timeout | undefined;
  const poll = (): void => {
    timer ??= setInterval(listener, POLL_MS);
  };
  try {
    watcher = watch(folder, (_event, name) => {
      // The stream of a running job is written all the time; only its ending is waited for.
      if (name === null || name.startsWith('result.json')) listener();
    });
    watcher.on('error', poll);
  } catch {
    poll();
  }
  return () => {
    watcher?.close();
    clearInterval(timer);
  };
}

async function doesSupervisorHang(stateDir: string): Promise<boolean> {
  const { probeSupervisor } = await import('../jobs/start-supervisor.ts');
  return (await probeSupervisor(stateDir)) === 'hangs';
}

export type FolderWait =
  | { kind: 'ended'; status: JobStatus }
  | { kind: 'timeout'; status: JobStatus }
  | { kind: 'interrupted' };

/**
 * Waits for the end of a job by its folder alone: no supervisor, no agent and no server is needed or asked, and the job
 * is never signalled. SIGINT and SIGTERM end the wait; a parent learns from the ready file that they will.
 * @throws {JobReadError} for an unknown or unreadable job
 */
export async function waitByFolder(
  stateDir: string,
  jobId: string,
  timeoutMs: number,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<FolderWait> {
  const interrupt = new AbortController();
  const onSignal = (): void => interrupt.abort();
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  announceReady(environment);
  try {
    const { folder } = jobFiles(stateDir, jobId);
    let supervisorHangs = false;
    let asked = 0;
    const status = await waitForJob(
      stateDir,
      jobId,
      {
        timeoutMs,
        signal: interrupt.signal,
        read: () => readStatus(stateDir, jobId, Date.now(), { supervisorHangs }),
      },
      async () => {
        // The first look needs nobody; a wait that lasts asks now and then whether the supervisor still answers.
        if (asked++ > 0) supervisorHangs = await doesSupervisorHang(stateDir);
      },
      (listener) => watchFolder(folder, listener),
    );
    return { kind: isTerminal(status.state) ? 'ended' : 'timeout', status };
  } catch (error) {
    if (interrupt.signal.aborted) return { kind: 'interrupted' };
    throw error;
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  }
}
