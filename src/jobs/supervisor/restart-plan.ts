import { rmSync, statSync } from 'node:fs';
import { errorMessage } from '../../platform/errors.ts';
import { identifyProcess, runningTimeMs } from '../../platform/process-identity.ts';
import { findProcesses } from '../../platform/process-tree.ts';
import { jobFiles, liveJobIds, readProcess, readRecord, readStartedPid, unmarkLive } from '../job-folder.ts';
import { jobMarker, runLiveness } from '../liveness.ts';
import type { JobRecord, ProcessRecord } from '../types.ts';
import { log } from './log.ts';

export interface RestartPlan {
  /** Somebody of the run lives: watch it to its end. */
  adopt: { record: JobRecord; process: ProcessRecord }[];
  /** Never begun: start it once its client brings the environment again. */
  queue: JobRecord[];
  /** Over, without an ending written. */
  finish: { record: JobRecord; begun: boolean }[];
  /** A run that lives but whose leader is not known yet: look again in a moment. */
  unclear: JobRecord[];
}

/**
 * The leader of a living run: from `process.json`, else the pid that the shim wrote, else whoever carries the run's
 * marker. Undefined when nothing is found: the run ended meanwhile, or its shim has not come that far.
 */
export function findLeader(stateDir: string, record: JobRecord): ProcessRecord | undefined {
  const recorded = readProcess(stateDir, record.id);
  if (recorded) return recorded;
  const files = jobFiles(stateDir, record.id);
  const started = readStartedPid(stateDir, record.id);
  const carriers = findProcesses({ marker: jobMarker(record.id), heldFile: files.runLock });
  const pid = carriers.find((found) => found.pid === started)?.pid ?? carriers[0]?.pid;
  const identity = pid === undefined ? undefined : identifyProcess(pid);
  if (!identity) return undefined;
  const startedAt = statSync(files.started, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  const age = Math.max(0, Date.now() - startedAt);
  return {
    ...identity,
    spawned_at: new Date(startedAt).toISOString(),
    spawned_running_ms: Math.round(runningTimeMs() - age),
  };
}

/** What a starting supervisor has to do with each job that has not ended (the table in docs/architecture.md). */
export function planRestart(stateDir: string): RestartPlan {
  const plan: RestartPlan = { adopt: [], queue: [], finish: [], unclear: [] };
  for (const id of liveJobIds(stateDir)) {
    const files = jobFiles(stateDir, id);
    if (statSync(files.result, { throwIfNoEntry: false })) {
      rmSync(files.input, { force: true });
      unmarkLive(stateDir, id);
      continue;
    }
    if (!statSync(files.record, { throwIfNoEntry: false })) {
      // Never acknowledged: its client will send it again, or has been told nothing.
      rmSync(files.folder, { recursive: true, force: true });
      unmarkLive(stateDir, id);
      continue;
    }
    try {
      planJob(stateDir, readRecord(stateDir, id), plan);
    } catch (error) {
      // A damaged job stays on disk for its owner to look at; it must not keep the others from being served.
      log('a job cannot be read', { job: id, error: errorMessage(error) });
      unmarkLive(stateDir, id);
    }
  }
  return plan;
}

/** Sorts one job into the plan; also used for those that were unclear. */
export function planJob(stateDir: string, record: JobRecord, plan: RestartPlan): void {
  switch (runLiveness(stateDir, record)) {
    case 'never_begun':
      plan.queue.push(record);
      return;
    case 'other_boot':
    case 'dead':
      plan.finish.push({ record, begun: readStartedPid(stateDir, record.id) !== undefined });
      return;
    case 'alive': {
      const process = findLeader(stateDir, record);
      if (process) plan.adopt.push({ record, process });
      else plan.unclear.push(record);
    }
  }
}
