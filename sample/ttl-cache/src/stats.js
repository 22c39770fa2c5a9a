/** Counts what happens in a cache. */
export function createStats() {
  let hits = 0;
  let misses = 0;
  const evictions = { size: 0, expired: 0, deleted: 0 };
  return {
    hit: () => void hits++,
    missed: () => void misses++,
    evicted: (reason) => void evictions[reason]++,
    read: () => ({ hits, misses, evictions: { ...evictions } }),
  };
}
