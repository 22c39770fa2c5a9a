import { rmSync, statSync } from 'node:fs';
import { isTerminal } from '../contract/outcome.ts';
import {
  findRecord,
  isSafeJobId,
  JobReadError,
  jobFiles,
  liveJobIds,
  readRecord,
  unmarkLive,
} from './job-folder.ts';
import { readStatus } from './read-status.ts';
import { forgetRequest, jobOfRequest } from './supervisor/accept-job.ts';

/**
 * Removes an ended job with everything it left. A folder without a readable record (the rest of a crash, or damage) is
 * removed as well when it is asked for by name.
 * @throws {JobReadError} for an id that is none, an unknown job, or one that is not over
 */
export function removeJob(stateDir: string, id: string): void {
  const { folder } = jobFiles(stateDir, id);
  const record = findRecord(stateDir, id);
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

/** Conversations that jobs which are not over are on. */
export function busyConversations(stateDir: string): Set<string> {
  const busy = new Set<string>();
  for (const id of liveJobIds(stateDir)) {
    if (!findRecord(stateDir, id)) continue;
    const status = readStatus(stateDir, id);
    if (!isTerminal(status.state) && status.conversation_id) busy.add(status.conversation_id);
  }
  return busy;
}
