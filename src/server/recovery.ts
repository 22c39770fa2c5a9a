import type { FailureReason } from '../contract/outcome.ts';
import type { JobStatus } from '../jobs/types.ts';

/** What to do about a failure that has a way out of its own, whatever text it left. */
const ADVICE_BY_REASON: Partial<Record<FailureReason, (status: JobStatus) => string>> = {
  quota_exhausted: (status) =>
    `The usage limit is a passing wall: error says when it resets. Wait until then, then send ${
      status.conversation_id ? 'the next run with this conversation_id' : 'the run again'
    }.`,
  never_started: () => 'The agent was never begun, so nothing was done: it is safe to send the run again.',
  not_signed_in: () =>
    'The agent is not signed in. A person has to sign in once (error says how); then send the run again.',
  conversation_not_found: () =>
    'No such conversation is known to the agent. list_sessions shows the ones there are; without conversation_id a fresh one is begun.',
};

/**
 * Advice for a failed or cancelled job that left no text: what there is to do next. Undefined when there is text to
 * read instead, when the job is not over, or when nothing is known to help.
 */
export function recoveryAdvice(status: JobStatus): string | undefined {
  if (status.result || (status.state !== 'failed' && status.state !== 'cancelled')) return undefined;
  const special = status.failure_reason && ADVICE_BY_REASON[status.failure_reason];
  if (special) return special(status);
  if (status.failure_reason === 'background_aborted' || !status.conversation_id) return undefined;
  return 'No text could be recovered. Start a fresh agy_run with this conversation_id to ask the agent where it stood.';
}
