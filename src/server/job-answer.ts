import type { Environment } from '../backends/types.ts';
import { isTerminal } from '../contract/outcome.ts';
import type { JobStatus } from '../jobs/types.ts';
import type { ServerCore } from './core.ts';
import { relayJobView } from './relay/relay-view.ts';
import { statusView } from './status-view.ts';
import type { ToolAnswer } from './tool.ts';

const OVERRUN_NOTE =
  'The wait is over before the job is. This is no failure: the job goes on. Call agy_wait with this job_id to wait on (or agy_status for one look); do not send the prompt again.';

/**
 * The answer of a waiting tool: the job's id, its status, and a note when it has not ended; for an ended relay job the
 * form of its own tool.
 */
export async function jobAnswer(
  core: ServerCore,
  environment: Environment,
  status: JobStatus,
): Promise<ToolAnswer> {
  const relay = await relayJobView(core, environment, status, { extra: { job_id: status.job_id } });
  if (relay) return relay;
  const view = statusView(status, { stateDir: core.stateDir, environment });
  const jobId = status.job_id;
  return {
    structured: { job_id: jobId, ...view, ...(!isTerminal(status.state) && { note: OVERRUN_NOTE }) },
    ...(view.next_offset !== undefined && { link: { jobId, part: 'text', title: 'The whole answer' } }),
  };
}
