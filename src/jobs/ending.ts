import type { FailureReason, JobState } from '../contract/outcome.ts';
import type { JobFacts } from './job-facts.ts';
import type { ChildExit } from './types.ts';

/** How a run ended, judged by its worst signal. */
export interface Ending {
  state: JobState;
  reason?: FailureReason;
  error?: string;
  text: string;
  /** The text may not be trusted as the final answer. Meaningless without text. */
  partial: boolean;
  notices: string[];
}

export type EndedFacts = JobFacts & { end: NonNullable<JobFacts['end']> };

/** State, reason and message of an ending. */
export type Verdict = Pick<Ending, 'state' | 'reason' | 'error'>;

/** Bytes of stderr that an error message shows. */
const STDERR_SHOWN_BYTES = 2000;

export const fail = (reason: FailureReason, error: string): Verdict => ({
  state: 'failed',
  reason,
  error,
});

/** The end of a text, at most so many bytes, beginning at a whole character. */
function lastBytes(text: string, bytes: number): string {
  const buffer = Buffer.from(text);
  if (buffer.length <= bytes) return text;
  return buffer
    .subarray(buffer.length - bytes)
    .toString('utf8')
    .replace(/^\uFFFD+/, '');
}

/** The end of stderr as the tail of a message, or nothing. */
export function withStderr(message: string, stderrTail: string): string {
  const tail = lastBytes(stderrTail, STDERR_SHOWN_BYTES).trim();
  return tail ? `${message}: ${tail}` : message;
}

/** The text to show: the agent's own answer when it gave one, else what it streamed. Trailing newlines are dropped. */
export function answerText(facts: EndedFacts): { text: string; partial: boolean } {
  const { result, text } = facts.summary;
  if (result?.response) return { text: trimEnd(result.response), partial: result.status !== 'SUCCESS' };
  if (result?.status === 'SUCCESS' && result.structured_output !== undefined) {
    return { text: JSON.stringify(result.structured_output), partial: false };
  }
  return { text: trimEnd(text), partial: true };
}

const trimEnd = (text: string): string => text.replace(/[\r\n]+$/, '');

export function exitCode(exit: ChildExit): number | undefined {
  return typeof exit === 'object' && 'code' in exit ? exit.code : undefined;
}

export function describeExit(exit: ChildExit): string {
  if (typeof exit !== 'object') return exit === 'unknown' ? 'ended unseen' : 'was not started';
  return 'code' in exit ? `exit ${exit.code}` : `killed by ${exit.signal}`;
}

export function isSignal(exit: ChildExit): boolean {
  return typeof exit === 'object' && 'signal' in exit;
}
