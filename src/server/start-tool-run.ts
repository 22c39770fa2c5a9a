import type { RunRequest } from '../backends/types.ts';
import type { Fields } from '../contract/fields.ts';
import type { JobsClient } from '../jobs/client.ts';
import { startRun } from '../jobs/start-run.ts';
import type { JobStatus } from '../jobs/types.ts';
import type { ServerCore } from './core.ts';
import type { ToolCall } from './tool-call.ts';

/** A free place is taken within this; who is still queued afterwards really waits. */
const START_MS = 200;

/** A queued job with its place, once it is clear that it has to wait. */
async function settle(jobs: JobsClient, job: JobStatus): Promise<JobStatus> {
  if (job.state !== 'queued') return job;
  const started = await jobs.wait(job.job_id, {
    timeoutMs: START_MS,
    until: (status) => status.state !== 'queued',
  });
  return started.state === 'queued' ? jobs.status(job.job_id) : started;
}

/**
 * Starts the run that a running tool was called for.
 * @param kind the tool's name
 * @returns the job as it stands after acceptance (or as it stands now, when its `request_id` was known)
 */
export async function startToolRun(
  core: ServerCore,
  call: ToolCall,
  kind: string,
  args: Fields,
  request: RunRequest,
): Promise<JobStatus> {
  const backend = await core.backend(typeof args.backend === 'string' ? args.backend : undefined);
  const jobs = await core.jobs();
  const { job, repeated } = await startRun(jobs, {
    kind,
    request,
    backend,
    environment: call.environment,
    stateDir: core.stateDir,
    client: call.client,
    requestId: typeof args.request_id === 'string' && args.request_id !== '' ? args.request_id : undefined,
    queue: typeof args.queue === 'boolean' ? args.queue : undefined,
    // A client that hangs up must not leave it open whether its run was begun: the start is finished either way.
  });
  core.log.info(repeated ? 'a known request was repeated' : 'job accepted', {
    job_id: job.job_id,
    kind,
    backend: backend.name,
    state: job.state,
  });
  return settle(jobs, job);
}
