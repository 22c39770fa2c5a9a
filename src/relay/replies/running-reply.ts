import type { JobStatus } from '../../jobs/types.ts';
import { type Reply, textReply } from './reply.ts';

/**
 * The reply when the client's patience ends before the run does: no failure, but the id and how to go on. The job lives.
 */
export function runningReply(tool: string, status: JobStatus): Reply {
  const seconds = Math.round(status.elapsed_ms / 1000);
  const where =
    status.state === 'queued'
      ? `is waiting in the queue${status.queue_position === undefined ? '' : ` at place ${status.queue_position}`}`
      : 'is still running';
  const step = status.tool_name ?? status.step_type;
  const body = `Job: ${status.job_id}
State: ${status.state}, ${seconds} s so far${step ? `, last step: ${step}` : ''}

Nothing is lost. Call agy_wait with job_id "${status.job_id}" to wait for the answer, in the form that ${tool} gives it; agy_status looks without waiting, gemini-cancel stops it.`;
  return textReply(body, [
    `${tool} ${where}, and the time that your client gives a call is nearly over. This is not the answer yet.`,
  ]);
}
