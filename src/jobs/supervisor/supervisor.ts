import { statSync } from 'node:fs';
import { writeFileAtomic } from '../../platform/atomic-file.ts';
import { errorMessage } from '../../platform/errors.ts';
import { jobFiles, readRecord } from '../job-folder.ts';
import type { ReplyValue } from '../protocol.ts';
import { readStatus } from '../read-status.ts';
import type { JobRecord, JobStatus, ProcessRecord, Submission } from '../types.ts';
import { acceptJob, forgetRequest, jobOfRequest, shortOfSpace } from './accept-job.ts';
import { endRun, lastSignOfLife, type RunEnd } from './end-run.ts';
import { faultPoint } from './faults.ts';
import { decideAdmission, type GateEntry, nextToStart } from './gate.ts';
import { type LiveRun, watchRun } from './live-run.ts';
import { log } from './log.ts';
import { Refusal } from './refusal.ts';
import { planJob, planRestart, type RestartPlan } from './restart-plan.ts';
import { spawnRun } from './spawn-run.ts';
import { isCancelAsked, unseenEnd } from './unseen-end.ts';

/** How long a job that lost its environment with an earlier supervisor waits for its client to bring it again. */
const RESUBMIT_MS = 15_000;
const LOOK_MS = 1000;
const CLOSE_LOOK_MS = 100;

interface Waiting {
  record: JobRecord;
  usesSlot: boolean;
  /** Absent after a restart, until the client repeats its submission. */
  environment?: Record<string, string>;
}

/** The one owner of all runs of a state folder: admits, starts, watches, stops and ends them. */
export interface Supervisor {
  submit(submission: Submission): ReplyValue;
  cancel(id: string): ReplyValue;
  queue(): string[];
  /** Takes up what earlier supervisors left; to be called once, before the door opens. */
  restart(): void;
  /** Whether a living job is in this conversation. */
  usesConversation(id: string): boolean;
  /** Nothing runs, waits, or is being swept. */
  readonly idle: boolean;
  /** Stops watching; the children go on. */
  close(): void;
}

/** @param onChanged called after each change of a job's state has become visible in its folder. */
export function createSupervisor(
  stateDir: string,
  onChanged: (status: Pick<JobStatus, 'job_id' | 'state'>) => void,
): Supervisor {
  const runs = new Map<string, LiveRun & { usesSlot: boolean }>();
  const waiting = new Map<string, Waiting>();
  let unclear: JobRecord[] = [];
  let sweeping = 0;
  let ticker: NodeJS.Timeout | undefined;
  let closed = false;

  const gateEntry = (
    record: JobRecord,
    usesSlot: boolean,
    conversationId: string | undefined,
  ): GateEntry => ({
    id: record.id,
    conversationId,
    parentJobId: record.parent_job_id,
    lane: record.invocation.lane,
    usesSlot,
    clientPid: record.client?.pid,
    maxJobs: record.max_jobs,
  });
  const runningEntries = (): GateEntry[] =>
    [...runs.values()].map((run) => gateEntry(run.record, run.usesSlot, run.conversationId()));
  const waitingEntries = (startable = false): GateEntry[] =>
    [...waiting.values()]
      .filter((entry) => !startable || entry.environment !== undefined)
      .map((entry) => gateEntry(entry.record, entry.usesSlot, entry.record.invocation.conversationId));

  const endWithoutRun = (record: JobRecord, end: RunEnd, at = Date.now()): void => {
    waiting.delete(record.id);
    if (end.cause === 'never_started' && record.request_id !== undefined)
      forgetRequest(stateDir, record.request_id);
    onChanged(endRun(stateDir, record, end, at));
  };

  const watch = (
    record: JobRecord,
    process: ProcessRecord,
    child: Parameters<typeof watchRun>[3],
    usesSlot: boolean,
  ): void => {
    const run = watchRun(stateDir, record, process, child, {
      onEnded(status) {
        runs.delete(record.id);
        sweeping++;
        onChanged(status);
        faultPoint('told');
        setImmediate(pump);
      },
      onSwept() {
        sweeping--;
      },
    });
    runs.set(record.id, Object.assign(run, { usesSlot }));
    schedule();
  };

  /** Starts at most one waiting job a turn of the loop: a spawn blocks it, and pings must be answered between. */
  const pump = (): void => {
    if (closed) return;
    const next = nextToStart(runningEntries(), waitingEntries(true));
    const entry = next && waiting.get(next.id);
    if (!entry?.environment) return;
    const { record } = entry;
    if (isCancelAsked(stateDir, record.id)) {
      endWithoutRun(record, { cause: 'cancel', exit: 'not_started' });
    } else {
      start(record, entry.environment, entry.usesSlot);
    }
    setImmediate(pump);
  };

  const start = (record: JobRecord, environment: Record<string, string>, usesSlot: boolean): void => {
    const outcome = spawnRun(stateDir, record, environment);
    waiting.delete(record.id);
    if (outcome.kind === 'running') {
      watch(record, outcome.process, outcome.child, usesSlot);
      onChanged({ job_id: record.id, state: 'running' });
    } else if (outcome.kind === 'held') unclear.push(record);
    else endWithoutRun(record, { cause: 'spawn_failed', exit: 'not_started', spawnError: outcome.message });
  };

  const applyPlan = (plan: RestartPlan): void => {
    for (const { record, begun } of plan.finish) {
      const end = unseenEnd(stateDir, record, begun);
      log('a run ended unseen', { job: record.id, cause: end.cause });
      endWithoutRun(record, end, lastSignOfLife(stateDir, record));
    }
    for (const { record, process } of plan.adopt) {
      log('adopted', { job: record.id, child: process.pid });
      watch(record, process, undefined, true);
    }
    for (const record of plan.queue) {
      if (waiting.has(record.id)) continue;
      waiting.set(record.id, { record, usesSlot: true });
      setTimeout(() => {
        if (waiting.get(record.id)?.environment === undefined && waiting.has(record.id)) {
          endWithoutRun(record, { cause: 'never_started', exit: 'not_started' });
        }
      }, RESUBMIT_MS);
    }
    unclear = plan.unclear;
    schedule();
  };

  const look = (): void => {
    ticker = undefined;
    for (const run of runs.values()) {
      try {
        run.look();
      } catch (error) {
        log('a run could not be looked at', { job: run.record.id, error: errorMessage(error) });
      }
    }
    for (const { record } of waiting.values()) {
      if (isCancelAsked(stateDir, record.id)) {
        endWithoutRun(record, { cause: 'cancel', exit: 'not_started' });
      }
    }
    if (unclear.length > 0) {
      const plan: RestartPlan = { adopt: [], queue: [], finish: [], unclear: [] };
      for (const record of unclear) planJob(stateDir, record, plan);
      applyPlan(plan);
    }
    schedule();
  };

  const schedule = (): void => {
    if (ticker || closed || (runs.size === 0 && waiting.size === 0 && unclear.length === 0)) return;
    const close = unclear.length > 0 || [...runs.values()].some((run) => run.needsCloseWatch);
    ticker = setTimeout(look, close ? CLOSE_LOOK_MS : LOOK_MS);
  };

  const stateOf = (id: string): JobStatus['state'] =>
    runs.has(id) ? 'running' : waiting.has(id) ? 'queued' : readStatus(stateDir, id).state;

  /** The depth of a nested job, by what it says and by what its parent's folder says. */
  const depthOf = (submission: Submission): number => {
    if (submission.parentJobId === undefined) return submission.depth;
    try {
      return Math.max(submission.depth, readRecord(stateDir, submission.parentJobId).depth + 1);
    } catch {
      return submission.depth;
    }
  };

  return {
    submit(submission) {
      const { id } = submission;
      const earlier =
        submission.requestId !== undefined ? jobOfRequest(stateDir, submission.requestId) : undefined;
      if (earlier && earlier !== id) return { job_id: earlier, repeated: true, state: stateOf(earlier) };
      const held = waiting.get(id);
      if (held) {
        held.environment ??= submission.environment;
        setImmediate(pump);
        return { job_id: id, repeated: true, state: 'queued' };
      }
      if (
        runs.has(id) ||
        unclear.some((record) => record.id === id) ||
        statSync(jobFiles(stateDir, id).record, { throwIfNoEntry: false })
      ) {
        return { job_id: id, repeated: true, state: stateOf(id) };
      }
      const depth = depthOf(submission);
      const admission = decideAdmission(submission, depth, runningEntries(), waitingEntries());
      if (!admission.admit) throw new Refusal(admission.code, admission.message);
      const free = shortOfSpace(stateDir);
      if (free !== undefined) {
        throw new Refusal(
          'no_space',
          `only ${Math.floor(free / 2 ** 20)} MB are free where jobs are kept (${stateDir}); free some space, or set BATON_STATE_DIR to a folder on another disk`,
        );
      }
      const record = acceptJob(stateDir, { ...submission, depth });
      waiting.set(id, { record, usesSlot: admission.usesSlot, environment: submission.environment });
      faultPoint('accepted');
      setImmediate(pump);
      schedule();
      return { job_id: id, repeated: false, state: 'queued' };
    },

    cancel(id) {
      const run = runs.get(id);
      if (run) {
        // Written down first: whoever replaces this supervisor in the middle of the stop goes on with it.
        writeFileAtomic(jobFiles(stateDir, id).cancel, '', { durable: false });
        run.stop('cancel');
        return { job_id: id, state: 'running' };
      }
      const entry = waiting.get(id);
      if (entry) endWithoutRun(entry.record, { cause: 'cancel', exit: 'not_started' });
      return { job_id: id, state: readStatus(stateDir, id).state };
    },

    queue: () => [...waiting.keys()],

    restart() {
      applyPlan(planRestart(stateDir));
    },

    usesConversation: (id) =>
      [...runningEntries(), ...waitingEntries()].some((entry) => entry.conversationId === id),

    get idle() {
      return runs.size === 0 && waiting.size === 0 && unclear.length === 0 && sweeping === 0;
    },

    close() {
      closed = true;
      clearTimeout(ticker);
    },
  };
}
