import { statSync } from 'node:fs';
import { jobFiles, readProcess } from '../job-folder.ts';
import type { JobRecord } from '../types.ts';
import { lastSignOfLife, type RunEnd } from './end-run.ts';

/** Why a run ended that nobody watched: what had been asked of it, or what its clock says, comes before "unseen". */
export function unseenEnd(stateDir: string, record: JobRecord, begun: boolean): RunEnd {
  if (!begun) return { cause: 'never_started', exit: 'not_started' };
  const lastSign = lastSignOfLife(stateDir, record);
  if (isCancelAsked(stateDir, record.id)) return { cause: 'cancel', exit: 'unknown' };
  const spawned = readProcess(stateDir, record.id);
  const timedOut = spawned !== undefined && lastSign - Date.parse(spawned.spawned_at) >= record.timeout_ms;
  return { cause: timedOut ? 'timeout' : 'interrupted', exit: 'unknown' };
}

/** Whether a client left word in the job's folder that it is to be stopped. */
export const isCancelAsked = (stateDir: string, id: string): boolean =>
  statSync(jobFiles(stateDir, id).cancel, { throwIfNoEntry: false }) !== undefined;
