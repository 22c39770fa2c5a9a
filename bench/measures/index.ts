import type { Measure } from '../harness/bench.ts';
import { agentStart } from './agent-start.ts';
import { serveStart } from './serve-start.ts';

/** All measures, in the order in which they are made. */
export const MEASURES: readonly Measure[] = [serveStart, agentStart];
