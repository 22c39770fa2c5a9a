import type { Measure } from '../harness/bench.ts';
import { agentHttps } from './agent-https.ts';
import { agentStart } from './agent-start.ts';
import { decoding } from './decoding.ts';
import { followUp } from './follow-up.ts';
import { growth } from './growth.ts';
import { httpCalls } from './http-calls.ts';
import { inlining } from './inlining.ts';
import { installSize } from './install-size.ts';
import { jobCost } from './job-cost.ts';
import { jobLatency } from './job-latency.ts';
import { listTokens } from './list-tokens.ts';
import { manyEvents } from './many-events.ts';
import { peers } from './peers.ts';
import { serveStart } from './serve-start.ts';
import { waitingStart } from './waiting-start.ts';

/** All measures, in the order in which they are made. */
export const MEASURES: readonly Measure[] = [
  serveStart,
  agentStart,
  agentHttps,
  peers,
  waitingStart,
  jobLatency,
  manyEvents,
  httpCalls,
  decoding,
  inlining,
  followUp,
  jobCost,
  growth,
  listTokens,
  installSize,
];
