/**
 * A chunk index as callers give it: a whole number from 1, also as text.
 * @returns undefined for anything else.
 */
export function chunkIndexOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\s*\d{1,9}\s*$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 1 ? number : undefined;
}

/** The chunk of an earlier answer that a call of gemini-ask wants: both parameters given, whatever their worth; undefined = a run. */
export function replayOf(
  args: Readonly<Record<string, unknown>>,
): { key: unknown; index: unknown } | undefined {
  const { chunkCacheKey: key, chunkIndex: index } = args;
  return key === undefined || index === undefined ? undefined : { key, index };
}

/** Which parameter names the key: the tools differ in it. */
export type KeyParameter = 'cacheKey' | 'chunkCacheKey';

export function invalidKeyText(parameter: KeyParameter, value: unknown): string {
  return `❌ Invalid ${parameter} format. Expected 8 lowercase hex characters (got ${shown(value)}).`;
}

export function cacheMissText(key: string): string {
  return `❌ Cache miss: No chunks found for cache key "${key}".

Possible reasons:
1. The key is wrong, or gemini-ask with changeMode was never run with it
2. The chunks have expired (they are kept for 10 minutes)
3. They were dropped to make room for newer ones (the last 50 answers are kept)

Please re-run the original changeMode request to regenerate the chunks.`;
}

export function invalidIndexText(value: unknown, count: number): string {
  const asked = typeof value === 'string' ? value : shown(value);
  return `❌ Invalid chunk index: ${asked}

Available chunks: 1 to ${count}
You requested: ${asked}

Please use a valid chunk index.`;
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
