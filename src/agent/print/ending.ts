import { EXIT, type ExitCode } from '../../contract/outcome.ts';
import type { TurnEnd } from '../loop/types.ts';
import type { StructuredOutput } from '../structured/structured-output.ts';
import { type Failure, failureOf, RunError, TurnAborted } from './failures.ts';

/** How a turn ended: with an answer, or with a failure and the text so far. */
export interface Ending {
  response: string;
  structuredOutput?: unknown;
  failure?: Failure;
}

function structuredEnding(structured: StructuredOutput, partial: string): Ending {
  const answer = structured.answer();
  if (answer) return { response: `${JSON.stringify(answer.value)}\n`, structuredOutput: answer.value };
  const error = `the answer does not match the schema of --json-schema: ${structured.fault() ?? 'there is none'}`;
  return { response: partial, failure: { status: 'ERROR', error, exit: EXIT.error } };
}

/**
 * The ending of a turn that the model ended. An answer that was cut off or is empty is no success, whatever the provider
 * calls it.
 * @param partial the last text of the turn
 */
export function endingOf(end: TurnEnd, partial: string, structured: StructuredOutput | undefined): Ending {
  if (structured?.answer()) return structuredEnding(structured, partial);
  const response = end.text || partial;
  const fail = (error: string, exit: ExitCode): Ending => ({
    response,
    failure: { status: 'ERROR', error, exit },
  });
  if (end.reason === 'length') {
    return fail('the answer was cut off: the model reached its output limit', EXIT.error);
  }
  if (end.reason === 'content_filter') {
    return fail("the answer was withheld or cut off by the provider's content filter", EXIT.api);
  }
  if (structured) return structuredEnding(structured, response);
  if (end.text.trim() === '') return fail('the model ended its turn without an answer', EXIT.error);
  return { response: end.text };
}

/** The ending behind whatever a turn threw; an abort's own reason counts before what it broke. */
export function brokenEnding(error: unknown, partial: string, signal: AbortSignal): Ending {
  const reason: unknown = signal.aborted ? signal.reason : undefined;
  if (!(reason instanceof TurnAborted)) return { response: partial, failure: failureOf(error) };
  const message =
    reason.kind === 'timeout' ? `timeout waiting for response: ${reason.message}` : reason.message;
  return { response: partial, failure: failureOf(new RunError(message)) };
}
