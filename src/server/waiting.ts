import { formatElapsed } from '../contract/duration.ts';
import { isTerminal } from '../contract/outcome.ts';
import type { JobStatus } from '../jobs/types.ts';
import { errorMessage } from '../platform/errors.ts';
import type { ServerCore } from './core.ts';
import { ToolError } from './tool.ts';
import type { ToolCall } from './tool-call.ts';
import { waitBudgetMs } from './wait-budget.ts';

/** What is known of a job while it is waited for. */
export interface Seen {
  status: JobStatus;
  newestText: string;
}

/** How often a waiting call sends progress, and in which words. A call that is over before the first time sends none. */
export interface ProgressForm {
  intervalMs: number;
  /** A queued job is told of at once: its place is news. */
  tellsQueueAtOnce: boolean;
  /** @param tick counts the notifications of this call, from 0. */
  message(seen: Seen, tick: number): string;
}

const JOB_PROGRESS: ProgressForm = { intervalMs: 1000, tellsQueueAtOnce: true, message: progressMessage };

/** What a person reads while a job goes on: its step, the tool of it, a line of the newest text. */
export function progressMessage({ status, newestText }: Seen): string {
  const age = formatElapsed(status.elapsed_ms);
  if (status.state === 'queued') {
    const place = status.queue_position === undefined ? '' : `, place ${status.queue_position}`;
    return `job ${status.job_id} queued (${age}${place})`;
  }
  const step = [status.step_type, status.tool_name].filter(Boolean).join(' ');
  const text = newestText.trim();
  return `job ${status.job_id} ${status.state} (${age})${step ? `: ${step}` : ''}${text ? ` | ${text}` : ''}`;
}

/** Sends progress about a job until it is stopped. */
export function startProgress(
  core: Pick<ServerCore, 'jobs'>,
  call: ToolCall,
  jobId: string,
  known: JobStatus | undefined,
  form: ProgressForm,
): { seen: (seen: Seen) => void; stop: () => void } {
  const { progress } = call;
  if (!progress) return { seen: () => {}, stop: () => {} };
  const startedAt = performance.now();
  const ageAtStart = known?.elapsed_ms ?? 0;
  let latest: Seen | undefined = known && { status: known, newestText: '' };
  let ticks = 0;
  const tell = (): void => {
    if (!latest || isTerminal(latest.status.state)) return;
    // The age that a status carries is as old as the status itself.
    const age = Math.max(latest.status.elapsed_ms, ageAtStart + performance.now() - startedAt);
    const status = { ...latest.status, elapsed_ms: age };
    const message = form.message({ ...latest, status }, ticks);
    ticks += 1;
    progress.report({ progress: Math.round(age) / 1000, message });
  };
  const refresh = async (): Promise<void> => {
    // A job that has begun is followed by its events; before that only a look tells.
    if (latest === undefined || latest.status.state === 'queued') {
      const jobs = await core.jobs();
      const status = await jobs.status(jobId);
      if (latest === undefined || latest.status.state === 'queued') latest = { status, newestText: '' };
    }
    tell();
  };
  const tick = (): void => {
    refresh().catch(() => {});
  };
  const timer = setInterval(tick, form.intervalMs);
  if (form.tellsQueueAtOnce && known?.state === 'queued' && known.queue_position !== undefined) tell();
  return {
    seen: (seen) => {
      latest = seen;
    },
    stop: () => clearInterval(timer),
  };
}

/**
 * Waits for a job to end, as long as was asked for and the calling client tolerates, with progress on the way.
 * @param wantedMs from {@link parseWait}
 * @param known a status that is known already, when the job was just started
 * @param form of the progress
 * @returns its last status; not terminal = the time was over first
 * @throws {ToolError} when the job cannot be read, or the client cancelled the call (the job goes on)
 */
export async function waitForJob(
  core: ServerCore,
  call: ToolCall,
  jobId: string,
  wantedMs: number,
  known?: JobStatus,
  form: ProgressForm = JOB_PROGRESS,
): Promise<JobStatus> {
  const jobs = await core.jobs();
  const timeoutMs = waitBudgetMs(wantedMs, call, performance.now());
  const progress = startProgress(core, call, jobId, known, form);
  try {
    return await jobs.wait(jobId, {
      timeoutMs,
      signal: call.signal,
      // Following the events costs something, so it is done only for somebody who asked to see them.
      ...(call.progress && { onProgress: progress.seen }),
    });
  } catch (error) {
    if (call.signal.aborted) throw detached(core, jobId);
    throw new ToolError(`job ${jobId} status read failed: ${errorMessage(error)}`);
  } finally {
    progress.stop();
  }
}

/** One look at a job. @throws {ToolError} when it cannot be read */
export async function readJob(core: ServerCore, jobId: string): Promise<JobStatus> {
  try {
    return await (await core.jobs()).status(jobId);
  } catch (error) {
    throw new ToolError(`job ${jobId} status read failed: ${errorMessage(error)}`);
  }
}

/** The client gave up on the call. The job lives; who reads the log or gets the error learns its name. */
function detached(core: ServerCore, jobId: string): ToolError {
  core.log.info('a waiting call was cancelled by its client; its job goes on', { job_id: jobId });
  return new ToolError(
    `wait cancelled; job ${jobId} is still running, wait for it with agy_wait or check it with agy_status: context canceled`,
  );
}
