/** What is told of a row of measured values. */
export interface Summary {
  median: number;
  /** The quarter and the three quarters point: half of all values lie between them. */
  low: number;
  high: number;
  min: number;
  max: number;
  count: number;
}

/** The value below which a share of the values lies, between neighbours by proportion. */
export function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new RangeError('no values were measured');
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? 0;
  const above = sorted[Math.ceil(place)] ?? below;
  return below + (above - below) * (place - Math.floor(place));
}

export function summarise(values: readonly number[]): Summary {
  return {
    median: quantile(values, 0.5),
    low: quantile(values, 0.25),
    high: quantile(values, 0.75),
    min: quantile(values, 0),
    max: quantile(values, 1),
    count: values.length,
  };
}

/**
 * Measures several things in turns, so that a busy moment of the machine meets all of them: in each round each of them
 * once, and another one first. One round before the counted ones warms caches.
 * @returns gives the values of one of them, in the order of the rounds
 */
export async function interleave(
  rounds: number,
  variants: Readonly<Record<string, () => Promise<number>>>,
): Promise<(name: string) => number[]> {
  const entries = Object.entries(variants).map(([name, measure]) => ({
    name,
    measure,
    values: [] as number[],
  }));
  for (let round = -1; round < rounds; round++) {
    for (let turn = 0; turn < entries.length; turn++) {
      const entry = entries[(turn + round + 1) % entries.length];
      const value = await entry?.measure();
      if (round >= 0 && value !== undefined) entry?.values.push(value);
    }
  }
  return (name) => entries.find((entry) => entry.name === name)?.values ?? [];
}
