import { formatElapsed } from '../contract/duration.ts';
import type { JobState } from '../contract/outcome.ts';
import type { JobStatus } from '../jobs/types.ts';
import { recoveryAdvice } from '../server/recovery.ts';
import { createPaint, type Paint, printable } from './paint.ts';

/** A status as one line of JSON. */
export function statusJson(status: JobStatus): string {
  return `${JSON.stringify(status)}\n`;
}

export function paintState(paint: Paint, state: JobState): string {
  switch (state) {
    case 'done':
      return paint.green(state);
    case 'failed':
      return paint.red(state);
    case 'cancelled':
      return paint.yellow(state);
    case 'queued':
    case 'running':
      return paint.cyan(state);
    default:
      return state;
  }
}

/** `12 in + 34 out tokens`, or '' where the agent reported none. */
export function usageText(status: JobStatus): string {
  const { usage } = status;
  if (!usage) return '';
  const cached = usage.cache_read_tokens > 0 ? ` (+${usage.cache_read_tokens} cached)` : '';
  return `${usage.input_tokens}${cached} in + ${usage.output_tokens} out tokens`;
}

/**
 * Prints how a run ended: the answer on stdout, everything else on stderr.
 * @param options.quiet nothing at all (the caller prints JSON)
 * @param options.shown text that the reader has seen already, piece by piece
 */
export function printEnding(status: JobStatus, options: { quiet: boolean; shown: string }): void {
  if (options.quiet) return;
  const paint = createPaint(process.stderr);
  const answer = status.result ?? '';
  if (answer !== '' && options.shown.trimEnd() !== answer.trimEnd()) {
    process.stdout.write(process.stdout.isTTY ? `${printable(answer)}\n` : `${answer}\n`);
  }
  const say = (line: string): void => {
    process.stderr.write(`${line}\n`);
  };
  const facts = [formatElapsed(status.elapsed_ms), usageText(status), status.model].filter(Boolean);
  say(`${paintState(paint, status.state)} ${paint.dim(facts.join(' · '))}`);
  if (status.partial) say(paint.yellow('The text is what the run left, not a finished answer.'));
  if (status.error) say(`${paint.red('error')} ${printable(status.error)}`);
  for (const notice of status.notices) say(`${paint.yellow('notice')} ${printable(notice)}`);
  const advice = recoveryAdvice(status);
  if (advice) say(advice);
  if (status.conversation_id) say(paint.dim(`go on with: baton continue ${status.conversation_id} "…"`));
}
