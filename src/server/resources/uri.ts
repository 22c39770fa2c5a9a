import { isSafeJobId } from '../../jobs/job-folder.ts';

/** What of a job can be read as a resource. */
export const JOB_PARTS = ['status', 'text', 'events', 'stderr'] as const;
export type JobPart = (typeof JOB_PARTS)[number];

export const JOBS_URI = 'baton://jobs';

/** What a resource's address names. `cursor` is a byte offset into the events. */
export type JobResource = { kind: 'jobs' } | { kind: JobPart; jobId: string; cursor?: number };

/** The address of a part of a job: `baton://jobs/ID` is its status. */
export function jobUri(jobId: string, part: JobPart = 'status'): string {
  return part === 'status' ? `${JOBS_URI}/${jobId}` : `${JOBS_URI}/${jobId}/${part}`;
}

/** Reads an address of ours; undefined for any other. */
export function parseUri(uri: string): JobResource | undefined {
  if (uri === JOBS_URI) return { kind: 'jobs' };
  const match = /^baton:\/\/jobs\/([^/?#]+)(?:\/([a-z]+))?(?:\?cursor=(\d{1,15}))?$/.exec(uri);
  const [, jobId, word = 'status', cursor] = match ?? [];
  const kind = JOB_PARTS.find((part) => part === word);
  if (jobId === undefined || kind === undefined || !isSafeJobId(jobId)) return undefined;
  if (cursor !== undefined && kind !== 'events') return undefined;
  return { kind, jobId, ...(cursor !== undefined && { cursor: Number(cursor) }) };
}
