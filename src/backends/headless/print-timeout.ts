import { formatDuration } from '../../contract/duration.ts';

/**
 * The agent's own time limit under our hard one, so that it ends by itself and says so before it is killed: one minute
 * less, or half of it for runs of two minutes or shorter. Milliseconds in, milliseconds out.
 */
export function derivePrintTimeout(timeoutMs: number): number {
  if (timeoutMs > 120_000) return timeoutMs - 60_000;
  const half = timeoutMs / 2;
  // Whole seconds where there are some: `15s` reads better than `15.25s`.
  return half >= 1000 ? Math.floor(half / 1000) * 1000 : Math.max(1, Math.floor(half));
}

/** The derived limit in Go's notation: `29m0s` for job tools, `2640s` in the form that the relay documents. */
export function printTimeoutArgument(timeoutMs: number, forRelay: boolean): string {
  const ms = derivePrintTimeout(timeoutMs);
  return forRelay && ms >= 1000 ? `${ms / 1000}s` : formatDuration(ms);
}
