import type { Usage } from '../../contract/events.ts';

// One grouping for everybody: a reply must not depend on the server's language.
const counts = new Intl.NumberFormat('en-US');

/**
 * The line that tells what a run took: `📊 [Tokens: 1,234 in, 567 out (89 thinking) | 12.3s]`.
 * @param elapsedMs whole time of the job in milliseconds; absent = it is not told.
 */
export function usageLine(usage: Usage, elapsedMs?: number): string {
  const thinking = usage.thinking_tokens > 0 ? ` (${counts.format(usage.thinking_tokens)} thinking)` : '';
  const time = elapsedMs === undefined ? '' : ` | ${(elapsedMs / 1000).toFixed(1)}s`;
  return `📊 [Tokens: ${counts.format(usage.input_tokens)} in, ${counts.format(usage.output_tokens)} out${thinking}${time}]`;
}
