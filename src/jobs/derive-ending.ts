import type { Envelope } from '../contract/events.ts';
import { classifyErrorText, type FailureReason, findAgyError, type JobState } from '../contract/outcome.ts';
import type { JobFacts } from './derive-status.ts';
import type { ChildExit, EndCause } from './types.ts';

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

type EndedFacts = JobFacts & { end: NonNullable<JobFacts['end']> };

/** Bytes of stderr that an error message shows. */
const STDERR_SHOWN_BYTES = 2000;

const NON_SUCCESS_STATUSES = new Set(['CANCELED', 'INTERRUPTED', 'INVALID', 'WAITING', 'RUNNING']);

const fail = (reason: FailureReason, error: string): Pick<Ending, 'state' | 'reason' | 'error'> => ({
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
function withStderr(message: string, stderrTail: string): string {
  const tail = lastBytes(stderrTail, STDERR_SHOWN_BYTES).trim();
  return tail ? `${message}: ${tail}` : message;
}

/** The text to show: the agent's own answer when it gave one, else what it streamed. Trailing newlines are dropped. */
function answerText(facts: EndedFacts): { text: string; partial: boolean } {
  const { result, text } = facts.summary;
  if (result?.response) return { text: trimEnd(result.response), partial: result.status !== 'SUCCESS' };
  if (result?.status === 'SUCCESS' && result.structured_output !== undefined) {
    return { text: JSON.stringify(result.structured_output), partial: false };
  }
  return { text: trimEnd(text), partial: true };
}

const trimEnd = (text: string): string => text.replace(/[\r\n]+$/, '');

/** Both lines mean that agy gave up on work it had started in the background. */
function abortedBackgroundWork(stderr: string): boolean {
  return (
    /root agent idle; waiting up to \S+ for \d+ background task/.test(stderr) &&
    /terminating \d+ background task/.test(stderr)
  );
}

const reportedPrintTimeout = (stderr: string): boolean =>
  /print timeout after \S+ with turn in progress/i.test(stderr);

function judgeSuccess(
  facts: EndedFacts,
  result: Envelope,
): Pick<Ending, 'state' | 'reason' | 'error'> & { partial?: true } {
  const { stderrTail, summary, record } = facts;
  if (reportedPrintTimeout(stderrTail)) {
    return {
      ...fail('timeout', 'the agent reached its own time limit and returned what it had'),
      partial: true,
    };
  }
  if (abortedBackgroundWork(stderrTail)) {
    return {
      ...fail(
        'background_aborted',
        'the agent ended while work it had started in the background was not finished, and stopped that work',
      ),
      partial: true,
    };
  }
  const hasAnswer = result.response.trim() !== '' || result.structured_output !== undefined;
  if (result.denied_actions?.length && !hasAnswer) {
    const names = result.denied_actions.map((d) => d.display_name || d.action).join(', ');
    return fail('denied', `the agent was not permitted to use ${names} and gave no answer`);
  }
  if (record.invocation.expectsStructuredOutput && result.structured_output === undefined) {
    return {
      ...fail('agy_error', 'agy reported SUCCESS for a json-schema run without structured_output'),
      partial: true,
    };
  }
  if (!hasAnswer && summary.text.trim() === '' && result.command === undefined) {
    if (result.usage.total_tokens > 0)
      return fail('empty', 'the agent reported success, spent tokens and gave an empty answer');
    if (result.num_turns === 0)
      return fail('empty', 'the agent reported success without having taken a turn');
  }
  return { state: 'done' };
}

/**
 * agy 1.2.15 repeats an old API failure in every later result of the conversation although the turn worked. It is taken
 * for that only where nothing else speaks of a failure: a continued conversation, exit code 0, an answer, no failure
 * step and no AGY_ERROR line in this run.
 */
function isStaleError(facts: EndedFacts, result: Envelope): boolean {
  return (
    facts.record.invocation.conversationId !== undefined &&
    exitCode(facts.end.exit) === 0 &&
    result.response.trim() !== '' &&
    facts.summary.text.trim() !== '' &&
    !facts.summary.sawErrorStep &&
    findAgyError(facts.stderrTail) === undefined
  );
}

function judgeError(facts: EndedFacts, result: Envelope): Pick<Ending, 'state' | 'reason' | 'error'> {
  const message =
    result.error?.trim() || facts.summary.lastErrorText || 'agy reported an error without a message';
  if (message.startsWith('timeout waiting for response')) return fail('timeout', message);
  if (/^conversation "?[^"]*"? (was )?not found/i.test(message))
    return fail('conversation_not_found', message);
  if (/invalid model selection/.test(message)) return fail('invalid_request', message);
  if (/^sandbox (is )?unavailable/i.test(message)) return fail('sandbox_unavailable', message);
  if (/^interrupted$/.test(message)) return fail('interrupted', message);
  const agyError = findAgyError(facts.stderrTail);
  const byStatus = agyError?.status === 'RESOURCE_EXHAUSTED' ? 'quota_exhausted' : undefined;
  const bySignIn = agyError?.status === 'UNAUTHENTICATED' ? 'not_signed_in' : undefined;
  return fail(byStatus ?? bySignIn ?? classifyErrorText(message) ?? 'agy_error', message);
}

function judgeResult(
  facts: EndedFacts,
  result: Envelope,
): Omit<Ending, 'text' | 'notices'> & { notice?: string } {
  const { partial } = answerText(facts);
  switch (result.status) {
    case 'SUCCESS': {
      const verdict = judgeSuccess(facts, result);
      return { ...verdict, partial: verdict.partial ?? partial };
    }
    case 'ERROR':
      if (
        facts.record.invocation.expectsStructuredOutput &&
        result.structured_output !== undefined &&
        /context canceled/.test(result.error ?? '')
      ) {
        return {
          state: 'done',
          partial: false,
          notice: 'agy reported "context canceled" after it had given its structured output.',
        };
      }
      if (isStaleError(facts, result)) {
        return {
          state: 'done',
          partial: false,
          notice: `agy repeated an earlier failure of this conversation (${result.error ?? 'no message'}); this turn gave an answer.`,
        };
      }
      return { ...judgeError(facts, result), partial: true };
    case '':
      if (result.response.trim() !== '') return { state: 'done', partial: true };
      return {
        ...fail('agy_error', "agy's result payload carried no status and no response"),
        partial: true,
      };
    default:
      if (result.denied_actions?.length && result.response.trim() === '') {
        return {
          ...fail('denied', `the agent was not permitted to act and ended with status ${result.status}`),
          partial: true,
        };
      }
      if (NON_SUCCESS_STATUSES.has(result.status)) {
        const message = result.error ? `: ${result.error}` : '';
        return { ...fail('agy_error', `agy ended with status ${result.status}${message}`), partial: true };
      }
      return {
        ...fail('agy_error', `agy reported an unrecognized result status "${result.status}"`),
        partial: true,
      };
  }
}

function exitCode(exit: ChildExit): number | undefined {
  return typeof exit === 'object' && 'code' in exit ? exit.code : undefined;
}

function describeExit(exit: ChildExit): string {
  if (typeof exit !== 'object') return exit === 'unknown' ? 'ended unseen' : 'was not started';
  return 'code' in exit ? `exit ${exit.code}` : `killed by ${exit.signal}`;
}

function judgeWithoutResult(facts: EndedFacts): Omit<Ending, 'text' | 'notices'> {
  const { exit } = facts.end;
  const { text } = answerText(facts);
  const code = exitCode(exit);
  if (exit === 'unknown' || code === 0) {
    if (facts.record.invocation.expectsStructuredOutput) {
      return {
        ...fail('agy_error', 'agy completed a json-schema run without a terminal structured_output'),
        partial: true,
      };
    }
    if (text !== '') return { state: 'done', partial: true };
    if (code === 0)
      return {
        ...fail('no_result', withStderr('agy exited 0 without a result', facts.stderrTail)),
        partial: true,
      };
    return {
      ...fail('interrupted', 'job process exited without writing a result (interrupted)'),
      partial: true,
    };
  }
  return { ...judgeBadExit(facts), partial: true };
}

/** A non-zero exit or a signal, where no result event explains it. */
function judgeBadExit(facts: EndedFacts): Pick<Ending, 'state' | 'reason' | 'error'> {
  const { exit } = facts.end;
  const code = exitCode(exit);
  const reason = classifyErrorText(facts.stderrTail);
  if (code === 127) {
    const nothingRan = facts.summary.events === 0 && facts.summary.text === '';
    const error = withStderr(
      'agy exited 127: the agent could not be executed (check the configured path), or it exited 127 itself',
      facts.stderrTail,
    );
    return fail(nothingRan ? 'spawn_failed' : 'agy_error', error);
  }
  if (code === 2 && facts.summary.events === 0)
    return fail(reason ?? 'invalid_request', withStderr('exit 2', facts.stderrTail));
  return fail(reason ?? 'agy_error', withStderr(describeExit(exit), facts.stderrTail));
}

const STOPPED: Partial<Record<EndCause, (facts: EndedFacts) => Pick<Ending, 'state' | 'reason' | 'error'>>> =
  {
    cancel: () => ({ state: 'cancelled' }),
    timeout: () => fail('timeout', 'job exceeded its timeout and was terminated'),
    output_limit: (f) =>
      fail(
        'output_limit',
        `the agent wrote more than ${f.record.output_limit_bytes} bytes of output and was stopped (BATON_OUTPUT_LIMIT)`,
      ),
    conversation_changed: (f) =>
      fail(
        'conversation_not_found',
        `the agent did not continue conversation ${f.record.invocation.conversationId ?? ''} but opened ${f.summary.conversationId ?? 'another one'}; it was stopped. list_sessions shows the conversations it has.`,
      ),
    spawn_failed: (f) => fail('spawn_failed', f.end.spawnError ?? 'the agent could not be started'),
    never_started: (f) =>
      fail(
        'never_started',
        f.end.spawnError ??
          'the run was never begun: the client that held its environment is gone. Nothing was done; it is safe to send it again.',
      ),
  };

/** Judges how a run ended. `facts.end` is set. */
export function deriveEnding(facts: EndedFacts): Ending {
  const { text, partial } = answerText(facts);
  const asked = facts.record.invocation.conversationId;
  const opened = facts.summary.conversationId;
  const cause =
    asked && opened && opened !== asked && facts.end.cause === 'exit'
      ? 'conversation_changed'
      : facts.end.cause;
  const stopped = STOPPED[cause]?.(facts);
  if (stopped) return { ...stopped, text, partial, notices: [] };
  const { result } = facts.summary;
  if (!result) return { ...judgeWithoutResult(facts), text, notices: [] };
  const code = exitCode(facts.end.exit);
  const badExit =
    facts.end.cause === 'exit' && ((code !== undefined && code !== 0) || isSignal(facts.end.exit));
  if (badExit && result.status === 'SUCCESS') {
    return { ...judgeBadExit(facts), text, partial, notices: [] };
  }
  const { notice, ...verdict } = judgeResult(facts, result);
  return { ...verdict, text, notices: notice ? [notice] : [] };
}

function isSignal(exit: ChildExit): boolean {
  return typeof exit === 'object' && 'signal' in exit;
}
