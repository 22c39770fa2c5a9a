import { describe, expect, it } from 'vitest';
import { familyOf } from '../../../src/agent/models/families.ts';
import { normalName, splitEffort } from '../../../src/agent/models/names.ts';
import { costOf, priceOf } from '../../../src/agent/models/prices.ts';
import { nextPause, RETRY_POLICY } from '../../../src/agent/models/retry.ts';
import { ModelError } from '../../../src/agent/models/types.ts';
import { toUsage } from '../../../src/agent/models/wire/usage.ts';

describe('a trailing effort', () => {
  it.each([
    ['gemini-3.8-flash-high', 'gemini-3.8-flash', 'high'],
    ['Gemini 3.8 Flash (High)', 'Gemini 3.8 Flash', 'high'],
    ['Gemini 3.8 Flash(LOW)', 'Gemini 3.8 Flash', 'low'],
    ['openai/gpt-6-sol-medium', 'openai/gpt-6-sol', 'medium'],
    ['gemini-3.8-flash', 'gemini-3.8-flash', undefined],
    ['highland', 'highland', undefined],
    ['-high', '-high', undefined],
  ])('of %s', (name, base, effort) => {
    expect(splitEffort(name)).toEqual({ base, effort });
  });

  it('leaves names comparable', () => {
    expect(normalName('Claude Sonnet 4.6')).toBe(normalName('claude-sonnet-4-6'));
  });
});

describe('a family', () => {
  it.each([
    ['gpt-6.1-sol', 'openai', 'words'],
    ['gpt-5-mini-2025-08-07', 'openai', 'words'],
    ['gpt-5.1-chat-latest', 'openai', 'none'],
    ['gpt-4o', 'openai', 'none'],
    ['o4-mini', 'openai', 'words'],
    ['claude-opus-5-5', 'anthropic', 'adaptive'],
    ['claude-sonnet-4-6', 'anthropic', 'adaptive'],
    ['claude-sonnet-4-5-20250929', 'anthropic', 'budget'],
    ['claude-opus-4-1', 'anthropic', 'budget'],
    ['claude-3-haiku-20240307', 'anthropic', 'none'],
    ['gemini-3.8-flash', 'google', 'level'],
    ['gemini-2.5-pro', 'google', 'budget'],
    ['gemini-2.0-flash', 'google', 'none'],
    ['anthropic/claude-opus-5-5', 'anthropic', 'adaptive'],
    ['openai/gpt-oss-120b', undefined, 'words'],
  ])('%s', (slug, provider, effort) => {
    expect(familyOf(slug)?.provider).toBe(provider);
    expect(familyOf(slug)?.effort).toBe(effort);
  });

  it('is none for a stranger', () => {
    expect(familyOf('qwen3:8b')).toBeUndefined();
  });
});

describe('a price', () => {
  const usage = {
    input_tokens: 1_000_000,
    output_tokens: 100_000,
    thinking_tokens: 50_000,
    cache_read_tokens: 0,
    total_tokens: 1_100_000,
  };

  it('counts input, output with its thinking, and cache reads', () => {
    const price = { input: 2, output: 10, cacheRead: 0.5 };
    expect(costOf(price, usage)).toBeCloseTo(3);
    expect(costOf(price, { ...usage, cache_read_tokens: 1_000_000 })).toBeCloseTo(3.5);
    expect(costOf({ input: 2, output: 10 }, { ...usage, cache_read_tokens: 1_000_000 })).toBeCloseTo(5);
  });

  it('rises with a long prompt where the provider says so', () => {
    const price = { input: 2, output: 10, long: { above: 272_000, input: 2, output: 1.5 } };
    expect(costOf(price, usage)).toBeCloseTo(5.5);
    expect(costOf(price, { ...usage, input_tokens: 200_000 })).toBeCloseTo(1.4);
  });

  it('is unknown, not zero, where it is not known', () => {
    expect(priceOf('openai/my-own')).toBeUndefined();
    expect(priceOf('ollama/qwen3:8b')).toBeUndefined();
    expect(costOf(undefined, usage)).toBeUndefined();
  });

  it('belongs to the model and its dated versions, and ends with its day', () => {
    expect(priceOf('openai/gpt-5-mini-2025-08-07')?.input).toBe(0.25);
    expect(priceOf('anthropic/claude-haiku-4-5-20251001')?.input).toBe(1);
    expect(priceOf('openai/gpt-5.5-pro')).toBeUndefined();
    expect(priceOf('google/gemini-3.8-flash', new Date('2026-12-31T12:00:00Z'))?.input).toBe(0.75);
    expect(priceOf('google/gemini-3.8-flash', new Date('2027-01-01T12:00:00Z'))?.input).toBe(1.5);
  });
});

describe('the pause before the next try', () => {
  const failure = (retryable: boolean, retryAfterMs?: number) =>
    new ModelError('unavailable', 'x', {
      retryable,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  const pause = (error: ModelError, attempt: number, waited = 0, random = 0) =>
    nextPause(error, attempt, waited, RETRY_POLICY, () => random);

  it('doubles, half of it random, up to a limit', () => {
    expect([1, 2, 3, 4].map((attempt) => pause(failure(true), attempt, 0, 1))).toEqual([
      500, 1000, 2000, 4000,
    ]);
    expect(pause(failure(true), 1, 0, 0)).toBe(250);
    const patient = { ...RETRY_POLICY, retries: 20 };
    expect(nextPause(failure(true), 12, 0, patient, () => 1)).toBe(RETRY_POLICY.maxPauseMs);
  });

  it('is none when trying again is of no use, or was tried often enough, or long enough', () => {
    expect(pause(failure(false), 1)).toBeUndefined();
    expect(pause(failure(true), RETRY_POLICY.retries + 1)).toBeUndefined();
    expect(pause(failure(true), 1, RETRY_POLICY.maxTotalMs)).toBeUndefined();
  });

  it('is what the provider asks for, unless that is too long', () => {
    expect(pause(failure(true, 7000), 1)).toBe(7000);
    expect(pause(failure(true, 0), 1)).toBe(0);
    expect(pause(failure(true, RETRY_POLICY.maxRetryAfterMs + 1), 1)).toBeUndefined();
  });
});

describe('usage', () => {
  it('keeps tokens written into a cache as input', () => {
    const usage = toUsage({
      inputTokens: { total: 160, noCache: 40, cacheRead: 100, cacheWrite: 20 },
      outputTokens: { total: 30, text: 10, reasoning: 20 },
    });
    expect(usage).toEqual({
      input_tokens: 60,
      output_tokens: 30,
      thinking_tokens: 20,
      cache_read_tokens: 100,
      total_tokens: 90,
    });
  });

  it('is put together from its parts when a total is missing, and zero when nothing was said', () => {
    const nothing = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
    expect(
      toUsage({
        inputTokens: { ...nothing, noCache: 40, cacheWrite: 20 },
        outputTokens: { total: undefined, text: 10, reasoning: 20 },
      }),
    ).toMatchObject({ input_tokens: 60, output_tokens: 30, total_tokens: 90 });
    expect(
      toUsage({
        inputTokens: nothing,
        outputTokens: { total: undefined, text: undefined, reasoning: undefined },
      }),
    ).toMatchObject({ input_tokens: 0, output_tokens: 0, total_tokens: 0 });
  });
});
