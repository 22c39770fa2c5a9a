import type { Usage } from '../../contract/events.ts';
import type { TokenPrice } from './types.ts';

/**
 * Prices in US dollars for a million tokens, by `provider/model`, standard tier, as published by the providers in
 * 2026-10. A price that is not known for sure is left out and then unknown, never zero.
 */
interface Row extends TokenPrice {
  /** The model, without the date that may follow it. */
  readonly model: string;
  /** This price ends on that day (UTC). */
  readonly until?: string;
}

/** OpenAI from 272,000 tokens of input on: twice the input price, one and a half times the output price. */
const OPENAI_LONG = { above: 272_000, input: 2, output: 1.5 };
const GOOGLE_LONG = { above: 200_000, input: 2, output: 1.5 };

const ROWS: readonly Row[] = [
  { model: 'openai/gpt-6-astra', input: 10, output: 50, cacheRead: 1, long: OPENAI_LONG },
  { model: 'openai/gpt-6.1-sol', input: 2, output: 10, cacheRead: 0.1, long: OPENAI_LONG },
  { model: 'openai/gpt-6-sol', input: 2, output: 10, cacheRead: 0.2, long: OPENAI_LONG },
  { model: 'openai/gpt-6-luna', input: 0.1, output: 0.5, cacheRead: 0.01, long: OPENAI_LONG },
  { model: 'openai/gpt-5.6-sol', input: 4, output: 20, cacheRead: 0.4 },
  { model: 'openai/gpt-5.6-terra', input: 2, output: 12, cacheRead: 0.2 },
  { model: 'openai/gpt-5.6-luna', input: 0.2, output: 1.2, cacheRead: 0.02 },
  { model: 'openai/gpt-5.5', input: 5, output: 30, cacheRead: 0.5 },
  { model: 'openai/gpt-5.4', input: 2.5, output: 15, cacheRead: 0.25 },
  { model: 'openai/gpt-5.4-mini', input: 0.75, output: 4.5, cacheRead: 0.075 },
  { model: 'openai/gpt-5.2', input: 1.75, output: 14, cacheRead: 0.175 },
  { model: 'openai/gpt-5.1', input: 1.25, output: 10, cacheRead: 0.125 },
  { model: 'openai/gpt-5', input: 1.25, output: 10, cacheRead: 0.125 },
  { model: 'openai/gpt-5-mini', input: 0.25, output: 2, cacheRead: 0.025 },
  { model: 'openai/gpt-5-nano', input: 0.05, output: 0.4, cacheRead: 0.005 },
  { model: 'openai/gpt-4.1', input: 2, output: 8, cacheRead: 0.5 },
  { model: 'openai/gpt-4.1-mini', input: 0.4, output: 1.6, cacheRead: 0.1 },
  { model: 'openai/gpt-4.1-nano', input: 0.1, output: 0.4, cacheRead: 0.025 },
  { model: 'openai/gpt-4o-mini', input: 0.15, output: 0.6, cacheRead: 0.075 },
  { model: 'anthropic/claude-fable-5-1', input: 10, output: 50 },
  { model: 'anthropic/claude-opus-5-5', input: 4, output: 20, cacheRead: 0.2 },
  { model: 'anthropic/claude-opus-5', input: 5, output: 25, cacheRead: 0.5 },
  { model: 'anthropic/claude-sonnet-5-5', input: 2, output: 10, cacheRead: 0.2 },
  { model: 'anthropic/claude-sonnet-5', input: 2, output: 10 },
  { model: 'anthropic/claude-opus-4-6', input: 5, output: 25, cacheRead: 0.5 },
  { model: 'anthropic/claude-opus-4-5', input: 5, output: 25, cacheRead: 0.5 },
  { model: 'anthropic/claude-sonnet-4-6', input: 3, output: 15, cacheRead: 0.3 },
  { model: 'anthropic/claude-sonnet-4-5', input: 3, output: 15, cacheRead: 0.3 },
  { model: 'anthropic/claude-haiku-4-5', input: 1, output: 5, cacheRead: 0.1 },
  { model: 'google/gemini-3.8-flash', input: 0.75, output: 3.75, cacheRead: 0.075, until: '2026-12-31' },
  { model: 'google/gemini-3.8-flash', input: 1.5, output: 7.5 },
  { model: 'google/gemini-3.5-flash', input: 1.5, output: 9, cacheRead: 0.15 },
  { model: 'google/gemini-3.1-pro-preview', input: 2, output: 12, cacheRead: 0.2, long: GOOGLE_LONG },
  { model: 'google/gemini-3-flash-preview', input: 0.5, output: 3 },
  { model: 'google/gemini-2.5-pro', input: 1.25, output: 10, long: GOOGLE_LONG },
  { model: 'google/gemini-2.5-flash', input: 0.3, output: 2.5 },
  { model: 'google/gemini-2.5-flash-lite', input: 0.1, output: 0.4 },
  { model: 'xai/grok-4.5', input: 2, output: 6, cacheRead: 0.5 },
];

/** The price of a model asked at its provider's own address, or undefined when it is not known. */
export function priceOf(id: string, now = new Date()): TokenPrice | undefined {
  const name = id.replace(/-(\d{8}|\d{4}-\d\d-\d\d)$/, '');
  const today = now.toISOString().slice(0, 10);
  return ROWS.find((row) => row.model === name && (row.until === undefined || today <= row.until));
}

/**
 * What a reply cost in US dollars, or undefined when the price is not known. Tokens written into a cache count as
 * ordinary input, so the true price of a long first request can be up to a quarter higher.
 */
export function costOf(price: TokenPrice | undefined, usage: Usage): number | undefined {
  if (!price) return undefined;
  const isLong = price.long !== undefined && usage.input_tokens + usage.cache_read_tokens > price.long.above;
  const inputFactor = isLong ? (price.long?.input ?? 1) : 1;
  const outputFactor = isLong ? (price.long?.output ?? 1) : 1;
  // Where the price of a cache read is not known, the full one is an upper bound.
  const cacheRead = price.cacheRead ?? price.input;
  const input = usage.input_tokens * price.input + usage.cache_read_tokens * cacheRead;
  return (input * inputFactor + usage.output_tokens * price.output * outputFactor) / 1_000_000;
}
