import type { Invocation } from '../backends/types.ts';
import type { DeniedAction, Usage } from '../contract/events.ts';
import type { FailureReason, JobState } from '../contract/outcome.ts';

/** What a client hands to the supervisor. The id is made by the client, so that a lost reply can be asked again. */
export interface Submission {
  id: string;
  /** The tool or command that made it (`agy_run`, `gemini-ask`, `baton run`, …): decides the form of its answer. */
  kind: string;
  /** The caller's arguments, kept for the relay's form of the answer. */
  arguments?: Record<string, unknown>;
  invocation: Invocation;
  /** The prompt as the caller wrote it, for lists and for people. */
  prompt: string;
  /** Hard limit in milliseconds from the spawn. */
  timeoutMs: number;
  /** Bound of events.ndjson in bytes. */
  outputLimitBytes: number;
  /** The caller's own key: the same key finds the same job instead of starting another. */
  requestId?: string;
  /** Absent: wait in the queue at the cap, but refuse a conversation in use. True: wait for the conversation too.
   * False: refuse in both cases. */
  queue?: boolean;
  /** How many runs may go at once (`BATON_MAX_JOBS` of the caller). */
  maxJobs: number;
  /** The job that this one was started from, and how deep (0 = by a person's client). */
  parentJobId?: string;
  depth: number;
  client?: { name: string; version: string; pid: number };
  /** The caller's environment for the child: over the socket only, never on disk. */
  environment: Record<string, string>;
}

/** `job.json`: the accepted submission without its environment and its stdin. */
export interface JobRecord {
  format: 1;
  id: string;
  kind: string;
  arguments?: Record<string, unknown>;
  prompt: string;
  invocation: Omit<Invocation, 'stdin' | 'environment' | 'files'>;
  input_bytes: number;
  input_sha256: string;
  timeout_ms: number;
  output_limit_bytes: number;
  request_id?: string;
  queue?: boolean;
  max_jobs: number;
  parent_job_id?: string;
  depth: number;
  client?: { name: string; version: string; pid: number };
  /** RFC 3339, UTC. */
  accepted_at: string;
  boot_id: string;
}

/** `process.json`: written after the spawn; a convenience for readers, not the proof that the run was begun. */
export interface ProcessRecord {
  pid: number;
  /** Clock ticks since boot on Linux; what the platform has elsewhere. */
  start_time: string;
  boot_id: string;
  /** RFC 3339, UTC: where the time limit counts from. */
  spawned_at: string;
  /** The same moment on the clock of running time (sleep does not count), in milliseconds: the time limit counts from it. */
  spawned_running_ms: number;
}

/** How the child ended, as far as anybody saw it. `unknown` = an adopted child whose code nobody could collect. */
export type ChildExit = { code: number } | { signal: string } | 'unknown' | 'not_started';

/** Why the supervisor ended a run; `exit` = the agent ended by itself. */
export type EndCause =
  | 'exit'
  | 'timeout'
  | 'cancel'
  | 'lingering'
  | 'spawn_failed'
  | 'output_limit'
  | 'conversation_changed'
  | 'interrupted'
  | 'never_started';

/** `result.json`: written once, last, atomically. Its existence is what makes a job terminal. */
export interface JobResult {
  format: 1;
  cause: EndCause;
  exit: ChildExit;
  /** The signal that had to be used, when the agent did not leave by itself. */
  forced?: boolean;
  /** The real cause of a failed spawn. */
  spawn_error?: string;
  /** Length of events.ndjson at the end; nothing behind it is read. */
  events_bytes: number;
  started_at?: string;
  ended_at: string;
  status: JobStatus;
}

/** How a job stands, for tools, commands and pages. Absent = not known or not applicable. */
export interface JobStatus {
  job_id: string;
  kind: string;
  state: JobState;
  /** Place in the queue, from 1; only while queued. */
  queue_position?: number;
  /** Milliseconds since acceptance, frozen at the end. */
  elapsed_ms: number;
  /** The answer, or whatever text the run left. */
  result?: string;
  /** True when `result` may not be trusted as the final answer. */
  partial?: boolean;
  structured_output?: unknown;
  error?: string;
  failure_reason?: FailureReason;
  conversation_id?: string;
  model?: string;
  num_turns?: number;
  usage?: Usage;
  denied_actions?: DeniedAction[];
  /** Last step seen: its type, and the tool when it was one. */
  step_type?: string;
  tool_name?: string;
  /** Exit as seen; absent while it runs. */
  exit?: ChildExit;
  /** What the caller should read besides the answer. */
  notices: string[];
}
