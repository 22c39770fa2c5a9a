import type { JobsClient } from '../../jobs/client.ts';
import { startRun } from '../../jobs/start-run.ts';
import type { JobStatus } from '../../jobs/types.ts';
import { withAttempts } from '../attempts/with-attempts.ts';
import { keepCall } from './kept.ts';
import type { PreparedRun, RelayCall } from './prepare.ts';

/**
 * Starts a prepared run as a job. It waits for a free place and for its conversation; what its answer needs is kept with
 * it.
 * @param notices told with the answer, before those of the preparation
 * @throws {BackendError} or {JobRefusedError}: nothing was started
 */
export async function startRelayRun(
  jobs: JobsClient,
  call: RelayCall,
  run: PreparedRun,
  order: { stateDir: string; client?: { name: string; version: string }; notices: readonly string[] },
): Promise<JobStatus> {
  const context = { ...run.context, notices: [...order.notices, ...run.context.notices] };
  const { job } = await startRun(jobs, {
    kind: call.tool,
    arguments: keepCall({ given: call.args, context }),
    request: run.request,
    backend: withAttempts(call.backend),
    environment: call.environment,
    stateDir: order.stateDir,
    client: order.client,
    queue: true,
  });
  return job;
}
