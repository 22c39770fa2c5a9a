import { closeSync, fsyncSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { writeFileAtomic } from '../../platform/atomic-file.ts';
import { errorCode } from '../../platform/errors.ts';
import { deriveStatus } from '../derive-status.ts';
import { jobFiles, readProcess, readResult, unmarkLive } from '../job-folder.ts';
import { readEndedFacts } from '../read-status.ts';
import type { ChildExit, EndCause, JobRecord, JobResult, JobStatus } from '../types.ts';
import { faultPoint } from './faults.ts';

export interface RunEnd {
  cause: EndCause;
  exit: ChildExit;
  spawnError?: string;
  forced?: boolean;
}

function syncFile(path: string): void {
  let fd: number;
  try {
    fd = openSync(path, 'r+');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Writes how a job ended, once: the events are made durable first, then `result.json`, so that a terminal job's output is
 * whole. The prompt's file is removed. An ending that was written already is kept and returned.
 * @param endedAt when the run ended (milliseconds since 1970); a run found dead ended at its last write.
 */
export function endRun(stateDir: string, record: JobRecord, end: RunEnd, endedAt: number): JobStatus {
  const files = jobFiles(stateDir, record.id);
  const written = readResult(stateDir, record.id);
  if (written) {
    unmarkLive(stateDir, record.id);
    return written.status;
  }
  // An empty file keeps the meaning of "no output" apart from "output lost".
  if (!statSync(files.events, { throwIfNoEntry: false })) writeFileSync(files.events, '', { mode: 0o600 });
  syncFile(files.events);
  const facts = readEndedFacts(stateDir, record, end, endedAt);
  const result: JobResult = {
    format: 1,
    cause: end.cause,
    exit: end.exit,
    forced: end.forced,
    spawn_error: end.spawnError,
    events_bytes: facts.eventsBytes,
    started_at: readProcess(stateDir, record.id)?.spawned_at,
    ended_at: new Date(endedAt).toISOString(),
    status: deriveStatus(facts),
  };
  writeFileAtomic(files.result, `${JSON.stringify(result)}\n`);
  faultPoint('result-written');
  rmSync(files.input, { force: true });
  unmarkLive(stateDir, record.id);
  return result.status;
}

/** When a run that nobody watched wrote its last byte. */
export function lastSignOfLife(stateDir: string, record: JobRecord): number {
  const files = jobFiles(stateDir, record.id);
  const times = [files.events, files.stderr, files.started, files.record].map(
    (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  return Math.max(...times);
}
