import type { Envelope } from '../contract/events.ts';
import { classifyErrorText, findAgyError } from '../contract/outcome.ts';
import { answerText, type EndedFacts, type Ending, exitCode, fail, type Verdict } from './ending.ts';

const NON_SUCCESS_STATUSES = new Set(['CANCELED', 'INTERRUPTED', 'INVALID', 'WAITING', 'RUNNING']);

/** Both lines mean that agy gave up on work it had started in the background. */
function abortedBackgroundWork(stderr: string): boolean {
  return (
    /root agent idle; waiting up to \S+ for \d+ background task/.test(stderr) &&
    /terminating \d+ background task/.test(stderr)
  );
}

const reportedPrintTimeout = (stderr: string): boolean =>
  /print timeout after \S+ with turn in progress/i.test(stderr);

function judgeSuccess(facts: EndedFacts, result: Envelope): Verdict & { partial?: true } {
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
  if (stderrTail.includes('--mode plan has no effect')) {
    const error =
      'agy ran without plan mode although a read-only run was asked for ("--mode plan has no effect"): it may have changed files';
    return { ...fail('agy_error', error), partial: true };
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

function judgeError(facts: EndedFacts, result: Envelope): Verdict {
  const message =
    result.error?.trim() || facts.summary.lastErrorText || 'agy reported an error without a message';
  if (message.startsWith('timeout waiting for response')) return fail('timeout', message);
  if (/^conversation "?[^"]*"? (was )?not found/i.test(message))
    return fail('conversation_not_found', message);
  // What baton-agent says where agy reports an empty success.
  if (message.endsWith('ended its turn without an answer'))
    return fail(result.denied_actions?.length ? 'denied' : 'empty', message);
  if (/^(invalid model selection|unknown --agent|invalid --json-schema)/.test(message))
    return fail('invalid_request', message);
  if (/^sandbox (is )?unavailable/i.test(message)) return fail('sandbox_unavailable', message);
  if (/^interrupted$/.test(message)) return fail('interrupted', message);
  const agyError = findAgyError(facts.stderrTail);
  const byStatus = agyError?.status === 'RESOURCE_EXHAUSTED' ? 'quota_exhausted' : undefined;
  const bySignIn = agyError?.status === 'UNAUTHENTICATED' ? 'not_signed_in' : undefined;
  return fail(byStatus ?? bySignIn ?? classifyErrorText(message) ?? 'agy_error', message);
}

/** Judges a run by the result event that counts. */
export function judgeResult(
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
