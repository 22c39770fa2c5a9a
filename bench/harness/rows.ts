import { type Summary, summarise } from './samples.ts';

export type Unit = 'ms' | 'MB' | 's CPU' | 'MB/s' | 'calls/s' | 'tokens' | 'bytes' | 'count';

export interface Target {
  /** The value itself, or its ratio to what it is held against, is at most or at least this. */
  of: 'value' | 'ratio';
  atMost?: number;
  atLeast?: number;
}

/** One line of the results. */
export interface Row {
  what: string;
  unit: Unit;
  values: Summary;
  against?: { what: string; median: number };
  /** Ratio of the medians, and of the smallest values: the second moves less on a busy machine. */
  ratio?: number;
  ratioOfMinima?: number;
  target?: Target;
  isMet?: boolean;
}

/** A measure that could not be made here, with the reason. */
export interface Skipped {
  what: string;
  skipped: string;
}

export type Result = Row | Skipped;

function isMet(target: Target, value: number, ratio: number | undefined): boolean | undefined {
  const held = target.of === 'value' ? value : ratio;
  if (held === undefined) return undefined;
  return held <= (target.atMost ?? Infinity) && held >= (target.atLeast ?? -Infinity);
}

/**
 * Makes a line of the results.
 * @param against what it is compared with, from the same rounds
 */
export function row(
  what: string,
  unit: Unit,
  measured: readonly number[] | number,
  options: { against?: { what: string; values: readonly number[] | number }; target?: Target } = {},
): Row {
  const list = (values: readonly number[] | number): readonly number[] =>
    typeof values === 'number' ? [values] : values;
  const values = summarise(list(measured));
  const { against, target } = options;
  const base = against && summarise(list(against.values));
  const ratio = base && values.median / base.median;
  const met = target && isMet(target, values.median, ratio);
  return {
    what,
    unit,
    values,
    ...(against && base && { against: { what: against.what, median: base.median } }),
    ...(base && { ratio: values.median / base.median, ratioOfMinima: values.min / base.min }),
    ...(target && { target }),
    ...(met !== undefined && { isMet: met }),
  };
}

export const atMostTimes = (atMost: number): Target => ({ of: 'ratio', atMost });
export const atLeastTimes = (atLeast: number): Target => ({ of: 'ratio', atLeast });
export const atMost = (value: number): Target => ({ of: 'value', atMost: value });
