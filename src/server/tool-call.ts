import type { Environment } from '../backends/types.ts';
import type { ProgressReporter } from './progress.ts';

/** Who calls and how: everything a tool knows of its caller besides the arguments. */
export interface ToolCall {
  /** Aborted when the client cancels the call or goes away; the job of the call lives on. */
  signal: AbortSignal;
  /** `clientInfo` of the connection (or of the request, from protocol revision 2026-07-28 on). */
  client?: { name: string; version: string };
  /** The same for all calls of one client of this process, and another for every other client. */
  clientKey: string;
  /** Sends progress; absent when the caller sent no progress token. */
  progress?: ProgressReporter;
  /** When the call arrived, in milliseconds of `performance.now()`: a client's patience counts from here. */
  arrivedAt: number;
  /** The environment that a job of this call is started in. */
  environment: Environment;
}
