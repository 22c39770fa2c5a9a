import type { Environment } from '../backends/types.ts';
import { parseDuration } from '../contract/duration.ts';
import { errorMessage } from '../platform/errors.ts';
import { callLimitMs } from './clients.ts';
import { ToolError } from './tool.ts';
import type { ToolCall } from './tool-call.ts';

export const DEFAULT_WAIT_MS = 120_000;
export const MAX_WAIT_MS = 600_000;

/** `wait` of a waiting tool in milliseconds; absent or empty = the default. @throws {ToolError} */
export function parseWait(value: unknown): number {
  if (typeof value !== 'string' || value === '') return DEFAULT_WAIT_MS;
  let ms: number;
  try {
    ms = parseDuration(value);
  } catch (error) {
    throw new ToolError(`invalid wait ${JSON.stringify(value)}: ${errorMessage(error)}`);
  }
  if (ms <= 0)
    throw new ToolError(`invalid wait ${JSON.stringify(value)}: want a positive Go duration like 90s`);
  return Math.min(ms, MAX_WAIT_MS);
}

/** The operator's limit, `AGY_MCP_SYNC_WAIT_CAP`; undefined when unset, unparsable or not positive. */
export function operatorWaitCapMs(environment: Environment): number | undefined {
  const value = environment.AGY_MCP_SYNC_WAIT_CAP;
  if (!value) return undefined;
  try {
    const ms = parseDuration(value);
    return ms > 0 ? ms : undefined;
  } catch {
    return undefined;
  }
}

/**
 * How long a call may wait from now on, in milliseconds: what was asked for, but never past the moment at which the
 * calling client would give up. The operator's limit takes the place of what is known of the client.
 * @param now milliseconds of `performance.now()`
 */
export function waitBudgetMs(wantedMs: number, call: ToolCall, now: number): number {
  const cap = operatorWaitCapMs(call.environment);
  if (cap !== undefined) return Math.min(wantedMs, cap);
  const limit = callLimitMs(call.client?.name, call.progress !== undefined);
  if (limit === undefined) return wantedMs;
  return Math.max(0, Math.min(wantedMs, limit - (now - call.arrivedAt)));
}
