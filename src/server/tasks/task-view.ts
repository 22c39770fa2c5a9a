import type { Fields } from '../../contract/fields.ts';
import { isTerminal } from '../../contract/outcome.ts';
import type { JobStatus } from '../../jobs/types.ts';

/** What of a job a task is made of. */
export interface TaskSource {
  status: JobStatus;
  /** When the job was accepted, and when something of it last changed. */
  createdAt: Date;
  changedAt: Date;
  /** How long an ended job is kept. */
  retentionMs: number;
}

/** A client that polls faster learns nothing more. */
const POLL_MS = 1000;
const OLD_JOB_MS = 60_000;
const OLD_POLL_MS = 2000;

type TaskState = 'working' | 'completed' | 'cancelled';

/** A job that failed is a task that was completed with an error result: `failed` means that the protocol itself failed. */
function taskState({ state }: JobStatus): TaskState {
  if (!isTerminal(state)) return 'working';
  return state === 'cancelled' ? 'cancelled' : 'completed';
}

/** What a person reads while the task goes on, or about its end. */
function statusMessage(status: JobStatus): string | undefined {
  const { state, step_type, tool_name, queue_position } = status;
  if (state === 'queued')
    return queue_position === undefined ? 'waits for a free place' : `waits, place ${queue_position}`;
  if (state === 'running') return [step_type, tool_name].filter(Boolean).join(' ') || 'running';
  if (state === 'cancelled' && status.result)
    return `cancelled; what it left can be read with agy_status, job_id ${status.job_id}`;
  return status.error || undefined;
}

/**
 * A job as a task of the extension; its id is the job's. `ttlMs` counts from the beginning, while jobs are kept from
 * their end: it grows as long as the job lives.
 */
export function taskView({ status, createdAt, changedAt, retentionMs }: TaskSource): Fields {
  const message = statusMessage(status);
  return {
    taskId: status.job_id,
    status: taskState(status),
    ...(message !== undefined && { statusMessage: message }),
    createdAt: createdAt.toISOString(),
    lastUpdatedAt: changedAt.toISOString(),
    ttlMs: Math.round(status.elapsed_ms) + retentionMs,
    pollIntervalMs: status.elapsed_ms > OLD_JOB_MS ? OLD_POLL_MS : POLL_MS,
  };
}
