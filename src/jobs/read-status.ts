import { statSync } from 'node:fs';
import { isLocked } from '../platform/kernel-lock.ts';
import { deriveStatus } from './derive-status.ts';
import { readGoStatus } from './go-jobs/go-job.ts';
import type { JobFacts } from './job-facts.ts';
import { jobFiles, readRecord, readResult, readStartedPid, supervisorLock } from './job-folder.ts';
import { runLiveness } from './liveness.ts';
import { glanceAtEvents, readTail, summarizeEvents } from './read-events.ts';
import type { JobRecord, JobStatus } from './types.ts';

/** Bytes of stderr that an ending is judged by. */
const STDERR_JUDGED_BYTES = 64 * 1024;

/** The facts of a job whose run is over, read from its folder. */
export function readEndedFacts(
  stateDir: string,
  record: JobRecord,
  end: NonNullable<JobFacts['end']>,
  now: number,
): JobFacts & { eventsBytes: number } {
  const files = jobFiles(stateDir, record.id);
  const events = summarizeEvents(files.events, record.invocation.outputFormat);
  return {
    record,
    summary: events.summary,
    skippedLines: events.skippedLines,
    stderrTail: readTail(files.stderr, STDERR_JUDGED_BYTES),
    end,
    begun: readStartedPid(stateDir, record.id) !== undefined,
    now,
    eventsBytes: events.position,
  };
}

/** When the last byte of a run was written, for the age of a run whose end nobody saw. */
function lastWrite(stateDir: string, record: JobRecord): number {
  const files = jobFiles(stateDir, record.id);
  const times = [files.events, files.stderr, files.record].map(
    (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  return Math.max(...times);
}

/**
 * The status of a job, from its folder alone: no supervisor is asked or needed. A job whose run is over without anybody
 * having written its ending is derived as it would be written.
 * @param options.supervisorHangs a supervisor lives but does not answer: its word is not waited for
 * @throws {JobReadError} for an unknown or damaged job.
 */
export function readStatus(
  stateDir: string,
  id: string,
  now: number = Date.now(),
  options: { supervisorHangs?: boolean } = {},
): JobStatus {
  const record = readRecord(stateDir, id);
  const written = readResult(stateDir, id);
  if (written) return written.status;
  const { folder, record: recordFile } = jobFiles(stateDir, id);
  const goStatus = statSync(recordFile, { throwIfNoEntry: false }) ? undefined : readGoStatus(folder, now);
  if (goStatus) return goStatus;
  const liveness = runLiveness(stateDir, record);
  // The ending may have been written between the two looks.
  const late = liveness === 'alive' ? undefined : readResult(stateDir, id);
  if (late) return late.status;
  const over = liveness === 'dead' || liveness === 'other_boot';
  if (!over) return liveStatus(stateDir, record, liveness !== 'never_begun', now);
  if (hasEnded(stateDir, id)) {
    // Written in this moment, or damaged: then the output says what can still be said.
    return readResult(stateDir, id)?.status ?? derivedEnding(stateDir, record, true);
  }
  // A living supervisor knows why the run ended (a cancel, a time limit, its exit code) and is about to write it.
  if (!options.supervisorHangs && isLocked(supervisorLock(stateDir)))
    return liveStatus(stateDir, record, true, now);
  return derivedEnding(stateDir, record, false);
}

/** An ending that nobody wrote down, or whose record is damaged, as it would be written. */
function derivedEnding(stateDir: string, record: JobRecord, damaged: boolean): JobStatus {
  const begun = readStartedPid(stateDir, record.id) !== undefined;
  const end = begun
    ? ({ cause: 'interrupted', exit: 'unknown' } as const)
    : ({ cause: 'never_started', exit: 'not_started' } as const);
  const status = deriveStatus(readEndedFacts(stateDir, record, end, lastWrite(stateDir, record)));
  if (damaged) {
    const { result } = jobFiles(stateDir, record.id);
    status.notices.push(`The record of its ending is damaged (${result}); this is what its output says.`);
  }
  return status;
}

function liveStatus(stateDir: string, record: JobRecord, begun: boolean, now: number): JobStatus {
  const { events } = jobFiles(stateDir, record.id);
  return deriveStatus({
    record,
    summary: glanceAtEvents(events, record.invocation.outputFormat),
    skippedLines: 0,
    stderrTail: '',
    begun,
    now,
  });
}

/** Whether an ending has been written; the cheapest look there is. */
export function hasEnded(stateDir: string, id: string): boolean {
  // The Go server's `result.json` is written before the end, but whoever is woken reads the status then.
  return statSync(jobFiles(stateDir, id).result, { throwIfNoEntry: false }) !== undefined;
}
