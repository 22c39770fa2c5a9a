/**
 * Fault injection for tests: `BATON_FAULTS=<point>:<probability>,…` makes the supervisor die by SIGKILL when it passes
 * that point. The points name the steps of the write order, so that a crash at each of them can be tried.
 */
export type FaultPoint =
  | 'folder-made'
  | 'input-written'
  | 'record-written'
  | 'accepted'
  | 'lock-taken'
  | 'spawned'
  | 'process-written'
  | 'exit-seen'
  | 'result-written'
  | 'told';

let faults: Map<string, number> | undefined;

function parse(): Map<string, number> {
  const parsed = new Map<string, number>();
  for (const part of (process.env.BATON_FAULTS ?? '').split(',')) {
    const [point, probability] = part.split(':');
    if (point) parsed.set(point, Number(probability ?? 1));
  }
  return parsed;
}

/** Dies here when a test asked for it; costs one map look-up otherwise. */
export function faultPoint(point: FaultPoint): void {
  faults ??= parse();
  const probability = faults.get(point);
  if (probability !== undefined && Math.random() < probability) process.kill(process.pid, 'SIGKILL');
}
