import type { JobState } from '../contract/outcome.ts';
import type { Submission } from './types.ts';

/** What passes over the supervisor's socket: one JSON value a line. Requests carry an `id` that the reply repeats. */
export type Request =
  | { id: number; op: 'hello'; version: string; namespace: string }
  | { id: number; op: 'submit'; submission: Submission }
  | { id: number; op: 'cancel'; job_id: string }
  /** From now on this connection is told when one of these jobs changes its state. */
  | { id: number; op: 'watch'; job_ids: string[] }
  | { id: number; op: 'queue' }
  | { id: number; op: 'ping' }
  /** Close the door and leave; living children stay and are adopted by the successor. */
  | { id: number; op: 'leave' };

export type Reply =
  | { id: number; ok: true; value: ReplyValue }
  | { id: number; ok: false; code: RefusalCode; message: string };

export interface ReplyValue {
  /** hello */
  version?: string;
  pid?: number;
  start_time?: string;
  namespace?: string;
  /** submit: the job that this submission is or was; another id than the one sent when its request id is known. */
  job_id?: string;
  repeated?: boolean;
  /** submit, cancel */
  state?: JobState;
  /** queue: ids in the order in which they will be started */
  queue?: string[];
}

export interface Push {
  push: 'changed';
  job_id: string;
  state: JobState;
}

/** Why a submission was refused. Nothing was started. */
export type RefusalCode =
  | 'conversation_busy'
  | 'at_cap'
  | 'too_deep'
  | 'no_space'
  | 'unknown_job'
  | 'leaving'
  | 'invalid'
  | 'fault';
