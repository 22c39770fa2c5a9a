/** A small generator of numbers in [0, 1) with a seed, so that a run of kills can be repeated. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    return state / 2 ** 32;
  };
}
