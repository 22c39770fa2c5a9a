import { classifyErrorText } from '../contract/outcome.ts';
import {
  answerText,
  describeExit,
  type EndedFacts,
  type Ending,
  exitCode,
  fail,
  isSignal,
  type Verdict,
  withStderr,
} from './ending.ts';
import { judgeResult } from './judge-result.ts';
import type { EndCause } from './types.ts';

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
    if (text !== '') {
      // A build that knows no event stream prints its answer and nothing else.
      const isWhole = facts.record.invocation.outputFormat === 'text' && code === 0;
      return { state: 'done', partial: !isWhole };
    }
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
function judgeBadExit(facts: EndedFacts): Verdict {
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

const STOPPED: Partial<Record<EndCause, (facts: EndedFacts) => Verdict>> = {
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

const ENDED_BY_ITSELF: ReadonlySet<EndCause> = new Set(['exit', 'lingering', 'interrupted']);

/** Judges how a run ended. `facts.end` is set. */
export function deriveEnding(facts: EndedFacts): Ending {
  const { text, partial } = answerText(facts);
  const asked = facts.record.invocation.conversationId;
  const opened = facts.summary.conversationId;
  const cause =
    asked && opened && opened !== asked && ENDED_BY_ITSELF.has(facts.end.cause)
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
