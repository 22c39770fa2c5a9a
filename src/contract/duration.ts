/**
 * Go durations (`90s`, `1h30m`, `1.5h`, `250ms`), the notation of agy's flags and of the job tools. Values are
 * milliseconds in this code base.
 */

const UNIT_MS: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

export class DurationError extends Error {
  override name = 'DurationError';
}

/**
 * Milliseconds of a Go duration. `0`, signs and fractions are read as Go reads them.
 * @throws {DurationError} with Go's own wording (`time: missing unit in duration "10"`).
 */
export function parseDuration(value: string): number {
  const quoted = JSON.stringify(value);
  let rest = value;
  let sign = 1;
  if (rest.startsWith('-') || rest.startsWith('+')) {
    if (rest.startsWith('-')) sign = -1;
    rest = rest.slice(1);
  }
  if (rest === '0') return 0;
  if (rest === '') throw new DurationError(`time: invalid duration ${quoted}`);
  let total = 0;
  while (rest !== '') {
    const number = /^(\d+\.?\d*|\.\d+)/.exec(rest)?.[0];
    if (number === undefined) throw new DurationError(`time: invalid duration ${quoted}`);
    rest = rest.slice(number.length);
    const unit = /^[^\d.]+/.exec(rest)?.[0];
    if (unit === undefined) throw new DurationError(`time: missing unit in duration ${quoted}`);
    const factor = UNIT_MS[unit];
    if (factor === undefined) {
      throw new DurationError(`time: unknown unit ${JSON.stringify(unit)} in duration ${quoted}`);
    }
    rest = rest.slice(unit.length);
    total += Number(number) * factor;
  }
  return sign * total;
}

function trimFraction(seconds: number): string {
  return seconds.toFixed(9).replace(/\.?0+$/, '');
}

/** A duration in Go's notation: `5m0s`, `1h0m0s`, `1.5s`, `250ms`, `0s`. */
export function formatDuration(ms: number): string {
  if (ms === 0) return '0s';
  const sign = ms < 0 ? '-' : '';
  const absolute = Math.abs(ms);
  if (absolute < 1) return `${sign}${trimFraction(absolute * 1000)}µs`;
  if (absolute < 1000) return `${sign}${trimFraction(absolute)}ms`;
  const hours = Math.floor(absolute / 3_600_000);
  const minutes = Math.floor((absolute % 3_600_000) / 60_000);
  const seconds = trimFraction((absolute % 60_000) / 1000);
  if (hours > 0) return `${sign}${hours}h${minutes}m${seconds}s`;
  if (minutes > 0) return `${sign}${minutes}m${seconds}s`;
  return `${sign}${seconds}s`;
}

/** The same, rounded to whole seconds: how the job tools show an age. */
export function formatElapsed(ms: number): string {
  return formatDuration(Math.max(0, Math.round(ms / 1000)) * 1000);
}
