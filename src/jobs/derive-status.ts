import type { FailureReason, JobState } from '../contract/outcome.ts';
import { deriveEnding } from './derive-ending.ts';
import type { Ending } from './ending.ts';
import type { EventSummary } from './event-summary.ts';
import type { JobFacts } from './job-facts.ts';
import type { EndCause, JobStatus } from './types.ts';

function common(facts: JobFacts): Pick<JobStatus, 'job_id' | 'kind' | 'elapsed_ms'> & Partial<JobStatus> {
  const { record, summary } = facts;
  return {
    job_id: record.id,
    kind: record.kind,
    elapsed_ms: Math.max(0, Math.round(facts.now - Date.parse(record.accepted_at))),
    conversation_id:
      summary.conversationId ?? summary.result?.conversation_id ?? record.invocation.conversationId,
    model: record.invocation.model ?? summary.model,
    step_type: summary.lastStepType,
    tool_name: summary.lastToolName,
  };
}

function liveStatus(facts: JobFacts): JobStatus {
  const state: JobState = facts.begun ? 'running' : 'queued';
  return { ...common(facts), state, queue_position: facts.queuePosition, notices: [] };
}

function endNotices(facts: JobFacts, ending: Ending): string[] {
  const notices = [...facts.record.invocation.notices, ...ending.notices];
  const denied = facts.summary.result?.denied_actions ?? [];
  if (denied.length > 0) {
    const names = denied.map((d) => d.display_name || d.action).join(', ');
    notices.push(`The agent was not permitted to use: ${names}. What needed it was not done.`);
  }
  if (facts.skippedLines > 0) {
    notices.push(
      `${facts.skippedLines} unreadable line(s) in the agent's output were skipped; the raw output is kept.`,
    );
  }
  const { leftConversation, conversationId } = facts.summary;
  if (leftConversation !== undefined)
    notices.push(
      `The agent went on in conversation ${conversationId} after it had named ${leftConversation}.`,
    );
  if (facts.summary.textCut)
    notices.push('The streamed text was longer than is kept; the raw output has all of it.');
  if (facts.end?.forced) notices.push('The agent did not end when asked and was killed.');
  return notices;
}

/** An agent that we stopped after it had given its answer may report the interruption: the answer stays. */
function countedSummary(summary: EventSummary, cause: EndCause): EventSummary {
  const stoppedByUs = cause !== 'exit' && cause !== 'interrupted';
  return stoppedByUs && summary.lastSuccess ? { ...summary, result: summary.lastSuccess } : summary;
}

/**
 * The status of a job as a pure function of its facts (no I/O, no clock): the one place where an ending is judged.
 * Fields that are not known are absent.
 */
export function deriveStatus(facts: JobFacts): JobStatus {
  if (!facts.end) return dropUndefined(liveStatus(facts));
  const counted = { ...facts, end: facts.end, summary: countedSummary(facts.summary, facts.end.cause) };
  const ending = deriveEnding(counted);
  const { result } = counted.summary;
  const status: JobStatus = {
    ...common(counted),
    state: ending.state,
    result: ending.text || undefined,
    partial: ending.partial && ending.text !== '' ? true : undefined,
    structured_output: result?.structured_output,
    error: ending.error,
    failure_reason:
      ending.state === 'failed' ? (ending.reason satisfies FailureReason | undefined) : undefined,
    num_turns: result?.num_turns,
    usage: result?.usage,
    denied_actions: result?.denied_actions?.length ? result.denied_actions : undefined,
    exit: facts.end.exit,
    notices: endNotices(counted, ending),
  };
  return dropUndefined(status);
}

function dropUndefined(status: JobStatus): JobStatus {
  for (const [key, value] of Object.entries(status))
    if (value === undefined) Reflect.deleteProperty(status, key);
  return status;
}
