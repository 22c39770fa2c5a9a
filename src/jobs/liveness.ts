import { isLocked } from '../platform/kernel-lock.ts';
import { bootId, isSameProcessAlive, processStartTime } from '../platform/process-identity.ts';
import { findProcesses } from '../platform/process-tree.ts';
import { jobFiles, readProcess, readStartedPid } from './job-folder.ts';
import type { JobRecord } from './types.ts';

/**
 * Whether somebody of a run lives.
 * - `alive`: the run's lock is held, or its process lives with the recorded start time in this boot.
 * - `dead`: it was begun and nobody of it lives.
 * - `never_begun`: no agent was ever executed for it; it may be started.
 * - `other_boot`: it was accepted before the machine's last start; it is never run again.
 */
export type Liveness = 'alive' | 'dead' | 'never_begun' | 'other_boot';

/** A held lock proves life. A free one does not prove death: a child may have closed the descriptor. */
export function runLiveness(stateDir: string, record: JobRecord): Liveness {
  if (record.boot_id !== bootId()) return 'other_boot';
  const files = jobFiles(stateDir, record.id);
  if (isLocked(files.runLock)) return 'alive';
  const recorded = readProcess(stateDir, record.id);
  if (recorded) return isSameProcessAlive(recorded) ? 'alive' : 'dead';
  const pid = readStartedPid(stateDir, record.id);
  if (pid === undefined) return 'never_begun';
  return carriesMarker(record.id, pid) ? 'alive' : 'dead';
}

/** Without `process.json` the start time is not known; that the process carries the run's marker tells it from a stranger. */
function carriesMarker(id: string, pid: number): boolean {
  if (processStartTime(pid) === undefined) return false;
  return findProcesses({ marker: jobMarker(id) }).some((found) => found.pid === pid);
}

/** The variable that every process of a run inherits. */
export const JOB_VARIABLE = 'BATON_JOB';
export const jobMarker = (id: string): string => `${JOB_VARIABLE}=${id}`;
