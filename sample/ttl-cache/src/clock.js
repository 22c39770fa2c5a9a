/** Milliseconds that only ever grow: a change of the system's clock must not expire anything. */
export function now() {
  return performance.now();
}
