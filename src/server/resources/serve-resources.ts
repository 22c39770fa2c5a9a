import { ResourceNotFoundError, type Server } from '@modelcontextprotocol/server';
import { JobReadError } from '../../jobs/job-folder.ts';
import type { ServerCore } from '../core.ts';
import { firstLine, jobRow } from '../job-rows.ts';
import { readResource } from './read-resource.ts';
import { JOBS_URI, type JobPart, jobUri, parseUri } from './uri.ts';
import { createResourceWatch } from './watch.ts';

/** Jobs that are listed by themselves; all others are reached by the templates. */
const LISTED = 10;
const NAME_CHARS = 80;

const TEMPLATES: readonly {
  part: JobPart;
  query?: string;
  title: string;
  mimeType: string;
  description: string;
}[] = [
  {
    part: 'status',
    title: 'Status of a job',
    mimeType: 'application/json',
    description: 'State, answer, usage and notices of a job, as agy_status gives them.',
  },
  {
    part: 'text',
    title: 'Answer of a job',
    mimeType: 'text/plain',
    description: 'The whole answer of a job, or what a running one has said so far.',
  },
  {
    part: 'events',
    query: '{?cursor}',
    title: 'Events of a job',
    mimeType: 'application/json',
    description: 'The event stream of a job in pages; next_cursor is where the next page begins.',
  },
  {
    part: 'stderr',
    title: 'Diagnostics of a job',
    mimeType: 'text/plain',
    description: 'The end of what the agent wrote on its error output.',
  },
];

const JOBS_RESOURCE = {
  uri: JOBS_URI,
  name: 'jobs',
  title: 'Jobs',
  mimeType: 'application/json',
  description:
    'The newest agent jobs of all clients, with state, age, folder and the first line of the task.',
};

/** The variable of the templates: what completion is asked for. */
export const JOB_ID_VARIABLE = 'job_id';

/**
 * Serves jobs as resources, on both eras. On the older one a client subscribes to single addresses here; on the newer one
 * `subscriptions/listen` is handled by what serves the connection.
 */
export function serveResources(server: Server, core: ServerCore, era: 'legacy' | 'modern'): void {
  server.setRequestHandler('resources/list', async () => {
    const now = Date.now();
    const jobs = await (await core.jobs()).list({ limit: LISTED });
    const listed = jobs.map((job) => {
      const { job_id, state, age, cwd } = jobRow(job, now);
      return {
        uri: jobUri(job_id, 'text'),
        name: `job ${job_id}`,
        title: firstLine(job.record.prompt, NAME_CHARS) || job_id,
        mimeType: 'text/plain',
        description: `Answer of a job that is ${state}, ${age} old, in ${cwd}`,
      };
    });
    return { resources: [JOBS_RESOURCE, ...listed] };
  });
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: TEMPLATES.map(({ part, query = '', ...about }) => ({
      uriTemplate: `${jobUri(`{${JOB_ID_VARIABLE}}`, part)}${query}`,
      name: `job-${part}`,
      ...about,
    })),
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const resource = parseUri(uri);
    if (!resource) throw new ResourceNotFoundError(uri);
    try {
      return { contents: [{ uri, ...(await readResource(core, resource)) }] };
    } catch (error) {
      if (error instanceof JobReadError) throw new ResourceNotFoundError(uri);
      throw error;
    }
  });
  if (era === 'modern') return;
  const watch = createResourceWatch(core.stateDir, (uri) => {
    // It fails when the client is gone, and then nobody is told any more.
    server.sendResourceUpdated({ uri }).catch(() => watch.close());
  });
  server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
    if (!parseUri(uri)) throw new ResourceNotFoundError(uri);
    watch.add(uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    watch.remove(uri);
    return {};
  });
}
