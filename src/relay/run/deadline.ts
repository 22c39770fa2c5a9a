import type { Environment } from '../../backends/types.ts';

const MINUTE_MS = 60_000;
export const DEFAULT_RELAY_MINUTES = 45;
/** A longer run than this is a slip of the pen. */
const MOST_MINUTES = 7 * 24 * 60;
const LEAST_MS = 1000;

export interface RelayDeadline {
  /** The hard limit of a relay run in milliseconds, from its start. */
  ms: number;
  /** What is wrong with the value that was given, and what is used instead. */
  problem?: string;
}

/**
 * The deadline of relay runs, from `GEMINI_MCP_TIMEOUT`: minutes, fractions allowed, 45 when unset. What is no positive
 * number counts as unset; what is longer than a week or shorter than a second is brought within.
 */
export function relayDeadline(environment: Environment): RelayDeadline {
  const value = environment.GEMINI_MCP_TIMEOUT?.trim();
  if (!value) return { ms: DEFAULT_RELAY_MINUTES * MINUTE_MS };
  const minutes = Number(value);
  const shown = `GEMINI_MCP_TIMEOUT=${JSON.stringify(value)}`;
  if (!Number.isFinite(minutes) || minutes <= 0) {
    return {
      ms: DEFAULT_RELAY_MINUTES * MINUTE_MS,
      problem: `${shown} is no positive number of minutes; ${DEFAULT_RELAY_MINUTES} minutes are used`,
    };
  }
  if (minutes > MOST_MINUTES) {
    return {
      ms: MOST_MINUTES * MINUTE_MS,
      problem: `${shown} is more than a week; ${MOST_MINUTES} minutes are used`,
    };
  }
  const ms = Math.round(minutes * MINUTE_MS);
  if (ms < LEAST_MS) return { ms: LEAST_MS, problem: `${shown} is less than a second; one second is used` };
  return { ms };
}
