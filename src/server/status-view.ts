import type { Environment } from '../backends/types.ts';
import { formatElapsed } from '../contract/duration.ts';
import type { Fields } from '../contract/fields.ts';
import { isTerminal } from '../contract/outcome.ts';
import { jobFiles } from '../jobs/job-folder.ts';
import type { JobStatus } from '../jobs/types.ts';
import { type AnswerPart, resultLimit, sliceAnswer, wholeOrEnds } from './big-answer.ts';
import { recoveryAdvice } from './recovery.ts';

/** A caller that polls needs no finer steps than these: the older the job, the longer the pause. */
const POLL_STEPS: readonly { youngerThanMs: number; pollMs: number }[] = [
  { youngerThanMs: 30_000, pollMs: 5_000 },
  { youngerThanMs: 300_000, pollMs: 15_000 },
];
const SLOWEST_POLL_MS = 30_000;

function pollAfterMs(elapsedMs: number): number {
  return POLL_STEPS.find((step) => elapsedMs < step.youngerThanMs)?.pollMs ?? SLOWEST_POLL_MS;
}

export interface ViewOptions {
  stateDir: string;
  environment: Environment;
  /** A part of the answer that the caller asked for, instead of the whole. */
  part?: { offset: number; limit?: number };
}

function answerOf(status: JobStatus, options: ViewOptions): AnswerPart | undefined {
  // A running job's text is not the answer yet, and a check of it must stay cheap.
  if (!isTerminal(status.state) || !status.result) return undefined;
  const limit = resultLimit(options.environment);
  if (options.part) {
    const wanted = Math.min(options.part.limit ?? limit, limit);
    return sliceAnswer(status.result, options.part.offset, wanted);
  }
  return wholeOrEnds(status.result, limit, jobFiles(options.stateDir, status.job_id).folder);
}

/** A status as the job tools put it on the wire: snake case, nothing empty, false or unknown. */
export function statusView(status: JobStatus, options: ViewOptions): Fields {
  const live = !isTerminal(status.state);
  const view: Fields = {
    state: status.state,
    elapsed: formatElapsed(status.elapsed_ms),
    queue_position: status.queue_position,
    ...answerOf(status, options),
    structured_output: status.structured_output,
    error: status.error || undefined,
    failure_reason: status.failure_reason,
    recovery: recoveryAdvice(status),
    conversation_id: status.conversation_id || undefined,
    model: status.model || undefined,
    partial: status.partial || undefined,
    num_turns: status.num_turns || undefined,
    usage: status.usage,
    step_type: status.step_type || undefined,
    tool_name: live ? status.tool_name || undefined : undefined,
    denied_actions: status.denied_actions,
    notices: status.notices.length > 0 ? status.notices : undefined,
    poll_after_ms: live ? pollAfterMs(status.elapsed_ms) : undefined,
  };
  for (const [key, value] of Object.entries(view)) if (value === undefined) Reflect.deleteProperty(view, key);
  return view;
}
