import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { DurationError, parseDuration } from '../../contract/duration.ts';
import { goJobEndedAt, readGoRecord } from '../go-jobs/go-job.ts';
import { allJobIds, jobFiles, readRecord, readResult } from '../job-folder.ts';
import { log } from './log.ts';

const DEFAULT_RETENTION_MS = 24 * 3_600_000;
export const SWEEP_EVERY_MS = 3_600_000;

/** How long an ended job is kept: `BATON_RETENTION` (a Go duration), else 24 h. A value that is none is logged and not used. */
export function retentionMs(value: string | undefined): number {
  if (!value) return DEFAULT_RETENTION_MS;
  try {
    const ms = parseDuration(value);
    if (ms > 0) return ms;
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
  }
  log('BATON_RETENTION is not a positive duration like 24h, 24h is used', { value });
  return DEFAULT_RETENTION_MS;
}

/** When a job ended, or undefined while it has not. The clock of keeping starts here, not at its beginning. */
function endedAt(stateDir: string, id: string): number | undefined {
  return statSync(jobFiles(stateDir, id).result, { throwIfNoEntry: false })?.mtimeMs;
}

/** The newest change in a folder that holds no accepted job: the rest of a crash, or damage. */
function abandonedSince(stateDir: string, id: string): number | undefined {
  const files = jobFiles(stateDir, id);
  if (statSync(files.record, { throwIfNoEntry: false })) return undefined;
  return statSync(files.folder, { throwIfNoEntry: false })?.mtimeMs;
}

function forgetOldRequests(stateDir: string, before: number): void {
  const folder = join(stateDir, 'requests');
  if (!statSync(folder, { throwIfNoEntry: false })) return;
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    if ((statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) < before)
      rmSync(file, { force: true });
  }
}

/**
 * Removes the jobs that ended longer ago than they are kept. Never a job that lives, and never one whose conversation a
 * living job is in: its answer may be what that job goes on from. A damaged record is kept and named.
 * @returns how many were removed.
 */
export async function removeOldJobs(
  stateDir: string,
  keepMs: number,
  inUse: (conversationId: string) => boolean,
  now: number = Date.now(),
): Promise<number> {
  let removed = 0;
  for (const id of allJobIds(stateDir)) {
    await turn();
    const { folder, record } = jobFiles(stateDir, id);
    const isGoJob = !statSync(record, { throwIfNoEntry: false }) && readGoRecord(folder) !== undefined;
    const since = isGoJob ? goJobEndedAt(folder) : (endedAt(stateDir, id) ?? abandonedSince(stateDir, id));
    if (since === undefined || now - since < keepMs) continue;
    try {
      const conversation = readResult(stateDir, id)?.status.conversation_id;
      if (conversation !== undefined && inUse(conversation)) continue;
      if (endedAt(stateDir, id) !== undefined) readRecord(stateDir, id);
    } catch (error) {
      log('a damaged job is kept', { job: id, error: String(error) });
      continue;
    }
    rmSync(jobFiles(stateDir, id).folder, { recursive: true, force: true });
    removed++;
  }
  forgetOldRequests(stateDir, now - Math.max(keepMs, DEFAULT_RETENTION_MS) * 2);
  return removed;
}
