import type { Usage } from '../../../contract/events.ts';
import type { SdkUsage } from './sdk.ts';

const whole = (value: number | undefined): number => Math.max(0, Math.round(value ?? 0));

/**
 * The provider packages' usage in our shape: thinking is a part of the output, cache reads are none of the input,
 * total = input + output. Tokens written into a cache were read as input and stay in it.
 */
export function toUsage(usage: SdkUsage): Usage {
  const { inputTokens, outputTokens } = usage;
  const cacheRead = whole(inputTokens.cacheRead);
  const input =
    inputTokens.total === undefined
      ? whole(inputTokens.noCache) + whole(inputTokens.cacheWrite)
      : Math.max(0, whole(inputTokens.total) - cacheRead);
  const thinking = whole(outputTokens.reasoning);
  const output =
    outputTokens.total === undefined ? whole(outputTokens.text) + thinking : whole(outputTokens.total);
  return {
    input_tokens: input,
    output_tokens: output,
    thinking_tokens: thinking,
    cache_read_tokens: cacheRead,
    total_tokens: input + output,
  };
}
