import type { JobStatus } from '../../jobs/types.ts';
import { bareReply, errorReply, mergeNotices, type Reply, textReply } from './reply.ts';
import { usageLine } from './usage-line.ts';

/** The arguments of gemini-ask that decide the form of its reply. */
export interface AskForm {
  jsonSchema?: unknown;
  includeUsage?: boolean;
}

/**
 * The reply of gemini-ask for a finished run, without change mode: the text under its heading, with the usage line when
 * asked for and the id to go on with; under a schema the JSON and nothing else.
 * @param notices those of the relay (inlining, backend); the job's own are added.
 */
export function askReply(status: JobStatus, form: AskForm, notices: readonly string[] = []): Reply {
  if (status.state !== 'done') return failedReply('gemini-ask', status, notices);
  const all = mergeNotices(notices, status.notices, partialNotice(status));
  if (form.jsonSchema !== undefined) return jsonReply(status, all);
  const thread = status.conversation_id
    ? `\n\n🧵 conversationId: ${status.conversation_id} (pass it back to continue this thread)`
    : '';
  return textReply(
    `Gemini response:\n${textOf(status)}${usagePart(status, form.includeUsage ?? false)}${thread}`,
    all,
  );
}

/** The reply of gemini-plan: the text, and the usage line unless it was turned off. */
export function planReply(
  status: JobStatus,
  form: { includeUsage?: boolean },
  notices: readonly string[] = [],
): Reply {
  if (status.state !== 'done') return failedReply('gemini-plan', status, notices);
  const body = textOf(status) + usagePart(status, form.includeUsage ?? true);
  return textReply(body, mergeNotices(notices, status.notices, partialNotice(status)));
}

/** The reply of gemini-brainstorm: the text alone. */
export function brainstormReply(status: JobStatus, notices: readonly string[] = []): Reply {
  if (status.state !== 'done') return failedReply('gemini-brainstorm', status, notices);
  return textReply(textOf(status), mergeNotices(notices, status.notices, partialNotice(status)));
}

/**
 * The reply for a run that failed or was cancelled: an error in the agent's own words, with whatever text the run left.
 */
export function failedReply(tool: string, status: JobStatus, notices: readonly string[] = []): Reply {
  const cause =
    status.state === 'cancelled'
      ? (status.error ?? `the run was cancelled (job ${status.job_id})`)
      : (status.error ?? `the run failed (${status.failure_reason ?? 'unknown'}, job ${status.job_id})`);
  const kept = status.result?.trim()
    ? `\n\n${status.partial ? 'What the run had said until then (not its final answer):' : 'The run had given its whole answer before:'}\n${status.result}`
    : '';
  return errorReply(tool, `${cause}${kept}`, mergeNotices(notices, status.notices));
}

function jsonReply(status: JobStatus, notices: string[]): Reply {
  if (status.structured_output !== undefined)
    return bareReply(JSON.stringify(status.structured_output, null, 2), notices);
  return bareReply(
    status.result ?? '',
    mergeNotices(notices, [
      'The backend returned no structured output: this is its text, not checked against the schema.',
    ]),
  );
}

function textOf(status: JobStatus): string {
  if (status.result?.trim()) return status.result;
  // A resumed conversation may carry a schema's result without any text.
  if (status.structured_output !== undefined) return JSON.stringify(status.structured_output, null, 2);
  return '(The run ended without any text.)';
}

function usagePart(status: JobStatus, wanted: boolean): string {
  return wanted && status.usage ? `\n\n${usageLine(status.usage, status.elapsed_ms)}` : '';
}

export function partialNotice(status: JobStatus): string[] {
  return status.partial
    ? [
        'The run reported no final answer: this text was put together from what it said on the way and may be incomplete.',
      ]
    : [];
}
