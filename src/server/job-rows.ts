import { formatElapsed } from '../contract/duration.ts';
import { isTerminal } from '../contract/outcome.ts';
import type { JobsClient, ListedJob } from '../jobs/client.ts';
import { normalizeFolder } from '../jobs/start-run.ts';

/** A job as lists show it. */
export interface JobRow {
  job_id: string;
  kind: string;
  state: string;
  age: string;
  elapsed: string;
  cwd: string;
  prompt: string;
  backend: string;
  conversation_id?: string;
  model?: string;
  failure_reason?: string;
}

export interface RowFilter {
  /** A state, or `live` for queued and running. */
  state?: string;
  cwd?: string;
  conversationId?: string;
  /** Part of the task, whatever the case. */
  contains?: string;
}

const PROMPT_CHARS = 120;

/** The first line of a task that has words in it, shortened. */
export function firstLine(text: string, chars: number = PROMPT_CHARS): string {
  const line =
    text
      .split(/[\r\n]+/)
      .map((piece) => piece.trim())
      .find((piece) => piece !== '') ?? '';
  return line.length > chars ? `${line.slice(0, chars - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : line;
}

export function jobRow({ record, status }: ListedJob, now: number): JobRow {
  return {
    job_id: record.id,
    kind: record.kind,
    state: status.state,
    age: formatElapsed(now - Date.parse(record.accepted_at)),
    elapsed: formatElapsed(status.elapsed_ms),
    cwd: record.invocation.cwd,
    prompt: firstLine(record.prompt),
    backend: record.invocation.backend,
    ...(status.conversation_id && { conversation_id: status.conversation_id }),
    ...(status.model && { model: status.model }),
    ...(status.failure_reason && { failure_reason: status.failure_reason }),
  };
}

function matches({ record, status }: ListedJob, filter: RowFilter): boolean {
  if (filter.state === 'live') {
    if (isTerminal(status.state)) return false;
  } else if (filter.state !== undefined && status.state !== filter.state) return false;
  if (filter.cwd !== undefined && record.invocation.cwd !== filter.cwd) return false;
  if (filter.conversationId && status.conversation_id !== filter.conversationId) return false;
  return !filter.contains || record.prompt.toLowerCase().includes(filter.contains.toLowerCase());
}

/** The jobs that match, newest first. @param base where a relative `cwd` is resolved */
export async function listRows(
  jobs: JobsClient,
  filter: RowFilter,
  limit: number,
  base: string,
): Promise<{ rows: JobRow[]; total: number }> {
  const cwd = filter.cwd === undefined ? undefined : normalizeFolder(filter.cwd, base);
  const matching = (await jobs.list()).filter((job) => matches(job, { ...filter, cwd }));
  const now = Date.now();
  return { rows: matching.slice(0, limit).map((job) => jobRow(job, now)), total: matching.length };
}
