import type { RefusalCode } from '../protocol.ts';
import type { Submission } from '../types.ts';

/** Jobs may start jobs that start jobs, and no further. */
export const MAX_DEPTH = 3;
const MAX_QUEUED = 1000;

/** What the gate needs to know of a job that runs or waits. */
export interface GateEntry {
  id: string;
  /** The conversation it continues, or the one its fresh run was given. */
  conversationId?: string;
  parentJobId?: string;
  /** Jobs of one lane go one after another. */
  lane?: string;
  /** False for a nested job that runs on its parent's slot. */
  usesSlot: boolean;
  clientPid?: number;
  maxJobs: number;
}

export type Admission =
  | { admit: true; usesSlot: boolean }
  | { admit: false; code: RefusalCode; message: string };

const refuse = (code: RefusalCode, message: string): Admission => ({ admit: false, code, message });

/** A nested job runs on the slot of its parent, which waits for it; a second one at the same time needs its own. */
function canShareParentSlot(parentJobId: string | undefined, running: readonly GateEntry[]): boolean {
  if (parentJobId === undefined || !running.some((job) => job.id === parentJobId)) return false;
  return !running.some((job) => job.parentJobId === parentJobId && !job.usesSlot);
}

/** A job that is ordered by the holder of its lane does not wait for it: the holder waits for the job. */
function laneIsTaken(job: GateEntry, running: readonly GateEntry[]): boolean {
  return (
    job.lane !== undefined && running.some((other) => other.lane === job.lane && other.id !== job.parentJobId)
  );
}

const slotsUsed = (running: readonly GateEntry[]): number => running.filter((job) => job.usesSlot).length;

/**
 * Whether a submission may be accepted now, to run or to wait. Pure: the whole gate (conversation, cap, depth) is here.
 * @param depth of the new job: 0 when a person's client started it.
 */
export function decideAdmission(
  submission: Pick<Submission, 'invocation' | 'queue' | 'maxJobs' | 'parentJobId'>,
  depth: number,
  running: readonly GateEntry[],
  queued: readonly GateEntry[],
): Admission {
  if (depth >= MAX_DEPTH) {
    return refuse(
      'too_deep',
      `this run would be ${depth} delegations deep (an agent started by an agent started by an agent …); Baton stops at ${MAX_DEPTH}. Do the work in the agent that asked for it.`,
    );
  }
  const { conversationId } = submission.invocation;
  const holder =
    conversationId && [...running, ...queued].find((job) => job.conversationId === conversationId);
  if (holder && submission.queue !== true) {
    return refuse(
      'conversation_busy',
      `another agy job is already running on conversation ${conversationId}; wait for it to finish or start a fresh run instead (job ${holder.id} holds it)`,
    );
  }
  if (canShareParentSlot(submission.parentJobId, running)) return { admit: true, usesSlot: false };
  const nested =
    submission.parentJobId !== undefined && running.some((job) => job.id === submission.parentJobId);
  const free = slotsUsed(running) + queued.filter((job) => job.usesSlot).length < submission.maxJobs;
  if (!free && (submission.queue === false || nested)) {
    return refuse(
      'at_cap',
      `agy-mcp is at its concurrency cap of ${submission.maxJobs} running job(s); retry once one finishes`,
    );
  }
  if (queued.length >= MAX_QUEUED) {
    return refuse(
      'at_cap',
      `${queued.length} jobs wait already; retry once some have finished, or cancel some`,
    );
  }
  return { admit: true, usesSlot: true };
}

/**
 * The waiting job that may be started next, or undefined. First come, first served between clients with as many runs;
 * a client with fewer runs goes first, so that one that sends fifty does not shut out one that sends one.
 */
export function nextToStart(
  running: readonly GateEntry[],
  waiting: readonly GateEntry[],
): GateEntry | undefined {
  const runsOf = (clientPid: number | undefined): number =>
    running.filter((job) => job.clientPid === clientPid).length;
  const startable = waiting.filter((job) => {
    if (job.conversationId && running.some((other) => other.conversationId === job.conversationId))
      return false;
    if (laneIsTaken(job, running)) return false;
    return !job.usesSlot || slotsUsed(running) < job.maxJobs;
  });
  return startable.reduce<GateEntry | undefined>(
    (best, job) => (best && runsOf(best.clientPid) <= runsOf(job.clientPid) ? best : job),
    undefined,
  );
}
