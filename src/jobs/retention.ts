import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseDuration } from '../contract/duration.ts';
import { isTerminal } from '../contract/outcome.ts';
import { errorCode } from '../platform/errors.ts';
import {
  isSafeJobId,
  JobReadError,
  jobFiles,
  liveJobIds,
  readRecord,
  readResult,
  unmarkLive,
} from './job-folder.ts';
import { readStatus } from './read-status.ts';
import { forgetRequest, jobOfRequest } from './supervisor/accept-job.ts';
import type { JobRecord } from './types.ts';

/** How long an ended job is kept, counted from its end. */
export const DEFAULT_RETENTION_MS = 24 * 3_600_000;

/** `BATON_RETENTION` in milliseconds; unset = 24 h. @throws {DurationError} */
export function retentionMs(environment: Readonly<Record<string, string | undefined>>): number {
  const value = environment.BATON_RETENTION;
  return value ? parseDuration(value) : DEFAULT_RETENTION_MS;
}

function recordOf(stateDir: string, id: string): JobRecord | undefined {
  try {
    return readRecord(stateDir, id);
  } catch (error) {
    if (error instanceof JobReadError) return undefined;
    throw error;
  }
}

/**
 * Removes an ended job with everything it left. A folder without a readable record (the rest of a crash, or damage) is
 * removed as well when it is asked for by name.
 * @throws {JobReadError} for an id that is none, an unknown job, or one that is not over
 */
export function removeJob(stateDir: string, id: string): void {
  const { folder } = jobFiles(stateDir, id);
  const record = recordOf(stateDir, id);
  if (!record) {
    // Says what is wrong with the id, or that there is no such job; a damaged one falls through.
    if (!isSafeJobId(id) || !statSync(folder, { throwIfNoEntry: false })) readRecord(stateDir, id);
  } else if (!isTerminal(readStatus(stateDir, id).state)) {
    throw new JobReadError(
      `job ${id} is not over: cancel it first (agy_cancel, or: baton jobs cancel ${id})`,
    );
  }
  if (record?.request_id !== undefined && jobOfRequest(stateDir, record.request_id) === id)
    forgetRequest(stateDir, record.request_id);
  rmSync(folder, { recursive: true, force: true });
  unmarkLive(stateDir, id);
}

/** When a job ended, in milliseconds since 1970; undefined = it has not, or nobody can tell. */
function endOf(stateDir: string, id: string, record: JobRecord | undefined): number | undefined {
  const files = jobFiles(stateDir, id);
  const result = readResult(stateDir, id);
  if (result) return Date.parse(result.ended_at);
  if (record) {
    // Its supervisor died with it: the last byte it wrote is the best that is known of its end.
    if (!isTerminal(readStatus(stateDir, id).state)) return undefined;
    return Math.max(
      ...[files.events, files.stderr, files.record].map(
        (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0,
      ),
    );
  }
  // Without any record it is the rest of an acceptance that never was; a damaged record is for a person to look at.
  if (statSync(files.record, { throwIfNoEntry: false })) return undefined;
  return statSync(files.folder, { throwIfNoEntry: false })?.mtimeMs;
}

/** Conversations that jobs which are not over are on. */
function busyConversations(stateDir: string): Set<string> {
  const busy = new Set<string>();
  for (const id of liveJobIds(stateDir)) {
    const record = recordOf(stateDir, id);
    if (!record) continue;
    const status = readStatus(stateDir, id);
    if (!isTerminal(status.state) && status.conversation_id) busy.add(status.conversation_id);
  }
  return busy;
}

function allFolders(stateDir: string): string[] {
  try {
    return readdirSync(join(stateDir, 'jobs')).filter(isSafeJobId).sort();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/**
 * Removes the jobs that ended longer ago than `keepMs`. Never a job that is not over, never one of a conversation that
 * a live job is on, never one whose record is damaged.
 * @returns the ids that were removed, oldest first
 */
export function collectJobs(stateDir: string, keepMs: number, now: number = Date.now()): string[] {
  const busy = busyConversations(stateDir);
  const removed: string[] = [];
  for (const id of allFolders(stateDir)) {
    const record = recordOf(stateDir, id);
    const end = endOf(stateDir, id, record);
    if (end === undefined || now - end <= keepMs) continue;
    const conversation = record && readStatus(stateDir, id).conversation_id;
    if (conversation && busy.has(conversation)) continue;
    removeJob(stateDir, id);
    removed.push(id);
  }
  return removed;
}
