import type { Environment } from './environment.ts';
import { ModelError } from './types.ts';

/** How often and how long a failed request is tried again. */
export interface RetryPolicy {
  /** Requests after the first one. */
  retries: number;
  /** The first pause, in milliseconds; each further one is twice as long, up to `maxPauseMs`. */
  firstPauseMs: number;
  maxPauseMs: number;
  /** A provider that asks for a longer pause than this is not waited for. */
  maxRetryAfterMs: number;
  /** All pauses of one request together. */
  maxTotalMs: number;
}

export const RETRY_POLICY: RetryPolicy = {
  retries: 4,
  firstPauseMs: 500,
  maxPauseMs: 8000,
  maxRetryAfterMs: 30_000,
  maxTotalMs: 60_000,
};

/** What `BATON_MODEL_RETRIES` asks for. @throws {ModelError} `invalid_request` */
export function retriesOf(environment: Environment): Partial<RetryPolicy> {
  const given = environment.BATON_MODEL_RETRIES;
  if (!given) return {};
  if (/^\d{1,2}$/.test(given)) return { retries: Number(given) };
  throw new ModelError(
    'invalid_request',
    `BATON_MODEL_RETRIES=${JSON.stringify(given)} is no number from 0 to 99`,
  );
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });
}

/**
 * The pause before the next try in milliseconds, or undefined when there is to be none. Half of a computed pause is
 * random, so that many runs that failed together do not come back together.
 */
export function nextPause(
  failure: ModelError,
  attempt: number,
  waitedMs: number,
  policy: RetryPolicy,
  random: () => number = Math.random,
): number | undefined {
  if (!failure.retryable || attempt > policy.retries) return undefined;
  const asked = failure.retryAfterMs;
  if (asked !== undefined && asked > policy.maxRetryAfterMs) return undefined;
  const computed = Math.min(policy.maxPauseMs, policy.firstPauseMs * 2 ** (attempt - 1));
  const ms = Math.max(asked ?? 0, asked === undefined ? computed * (0.5 + random() / 2) : 0);
  return waitedMs + ms > policy.maxTotalMs ? undefined : ms;
}

/**
 * Runs `start` and passes its parts on. A failure before the first part is tried again by the policy, each one
 * reported; after the first part nothing is.
 * @param onAttemptFailed is told of every failed attempt that is tried again; attempts count from 1.
 * @throws {ModelError} the last failure.
 */
export async function* withRetries<Part>(
  start: () => AsyncIterable<Part>,
  toError: (error: unknown) => ModelError,
  signal: AbortSignal,
  onAttemptFailed: ((failure: ModelError, attempt: number) => void) | undefined,
  policy: RetryPolicy,
): AsyncGenerator<Part> {
  let waitedMs = 0;
  for (let attempt = 1; ; attempt++) {
    let hasBegun = false;
    try {
      for await (const part of start()) {
        hasBegun = true;
        yield part;
      }
      return;
    } catch (error) {
      const failure = toError(error);
      if (failure.kind === 'aborted') throw failure;
      const ms = hasBegun ? undefined : nextPause(failure, attempt, waitedMs, policy);
      if (ms === undefined) throw failure;
      onAttemptFailed?.(failure, attempt);
      await pause(ms, signal);
      waitedMs += ms;
      if (signal.aborted) throw toError(signal.reason);
    }
  }
}
