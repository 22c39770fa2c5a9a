import { isTerminal } from '../../contract/outcome.ts';
import { jobFiles, readRecord } from '../../jobs/job-folder.ts';
import { followEvents, readTail } from '../../jobs/read-events.ts';
import type { JobStatus } from '../../jobs/types.ts';
import type { ServerCore } from '../core.ts';
import { listRows } from '../job-rows.ts';
import { statusView } from '../status-view.ts';
import { readEventsPage } from './events-page.ts';
import { type JobResource, jobUri } from './uri.ts';

export interface ResourceText {
  mimeType: string;
  text: string;
}

const LISTED_JOBS = 50;
const STDERR_BYTES = 64 * 1024;

const json = (value: unknown): ResourceText => ({
  mimeType: 'application/json',
  text: JSON.stringify(value),
});

async function readJobs(core: ServerCore): Promise<ResourceText> {
  const { rows, total } = await listRows(await core.jobs(), {}, LISTED_JOBS, core.cwd);
  return json({ jobs: rows.map((row) => ({ uri: jobUri(row.job_id), ...row })), total });
}

/** The whole answer of an ended job, or what a running one has said so far. */
function readText(core: ServerCore, status: JobStatus): ResourceText {
  if (isTerminal(status.state)) return { mimeType: 'text/plain', text: status.result ?? '' };
  const { invocation } = readRecord(core.stateDir, status.job_id);
  const followed = followEvents(jobFiles(core.stateDir, status.job_id).events, invocation.outputFormat);
  followed.readMore();
  return { mimeType: 'text/plain', text: followed.summary.text };
}

/** What stands at an address. @throws {JobReadError} when there is no such job */
export async function readResource(core: ServerCore, resource: JobResource): Promise<ResourceText> {
  if (resource.kind === 'jobs') return readJobs(core);
  const { jobId } = resource;
  const files = jobFiles(core.stateDir, jobId);
  const status = await (await core.jobs()).status(jobId);
  if (resource.kind === 'status') {
    const view = statusView(status, { stateDir: core.stateDir, environment: core.environment });
    return json({ job_id: jobId, ...view });
  }
  if (resource.kind === 'events') {
    const page = readEventsPage(files.events, resource.cursor ?? 0);
    const next = `${jobUri(jobId, 'events')}?cursor=${page.next_cursor}`;
    return json({ ...page, next_uri: next, state: status.state });
  }
  if (resource.kind === 'text') return readText(core, status);
  return { mimeType: 'text/plain', text: readTail(files.stderr, STDERR_BYTES) };
}
