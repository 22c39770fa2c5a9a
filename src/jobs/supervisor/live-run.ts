import type { ChildProcess } from 'node:child_process';
import { statSync } from 'node:fs';
import { isSameProcessAlive, runningTimeMs } from '../../platform/process-identity.ts';
import { jobFiles } from '../job-folder.ts';
import { glanceAtEvents } from '../read-events.ts';
import type { ChildExit, EndCause, JobRecord, JobStatus, ProcessRecord } from '../types.ts';
import { endRun, lastSignOfLife } from './end-run.ts';
import { faultPoint } from './faults.ts';
import { log } from './log.ts';
import { stopTree, sweepOrphans } from './stop-run.ts';
import { createStreamWatch } from './stream-watch.ts';

/** An agent that lives on this long after its last event, having given its result, is ended. */
const LINGER_MS = 5000;
/** `setTimeout` takes no longer delay than this. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** One run that lives: spawned by this supervisor, or adopted from an earlier one. */
export interface LiveRun {
  readonly record: JobRecord;
  readonly process: ProcessRecord;
  readonly adopted: boolean;
  /** The conversation it was asked to continue, or was given. Looked up in the stream when it is not known yet. */
  conversationId(): string | undefined;
  /** Ends it with everything that belongs to it. A second call changes nothing: the first cause counts. */
  stop(cause: EndCause): void;
  /** Looks at its files: once a second, more often while `needsCloseWatch`. */
  look(): void;
  readonly needsCloseWatch: boolean;
}

export interface RunEvents {
  /** The ending has been written. */
  onEnded(status: Pick<JobStatus, 'job_id' | 'state'>): void;
  /** What was left of the run after its ending is gone. */
  onSwept(): void;
}

/**
 * Watches a living run to its end and writes that end.
 * @param child absent for an adopted run: nobody can collect its exit code then (`unknown`).
 */
export function watchRun(
  stateDir: string,
  record: JobRecord,
  process: ProcessRecord,
  child: ChildProcess | undefined,
  events: RunEvents,
): LiveRun {
  const files = jobFiles(stateDir, record.id);
  const asked = record.invocation.conversationId;
  const target = { id: record.id, stateDir, pid: process.pid, start: process.start_time };
  const lookAtStream = createStreamWatch(files.events);
  let cause: EndCause | undefined;
  let known = asked;
  let checkedConversation = asked === undefined || record.invocation.outputFormat !== 'stream-json';
  let over = false;
  let timer: NodeJS.Timeout | undefined;
  let reportExit: (exit: ChildExit) => void = () => {};
  const exited = new Promise<ChildExit>((resolve) => {
    reportExit = resolve;
  });

  const finish = (exit: ChildExit, forced: boolean | undefined): void => {
    if (over) return;
    over = true;
    clearTimeout(timer);
    faultPoint('exit-seen');
    const endedAt =
      child || cause
        ? Date.now()
        : Math.max(lastSignOfLife(stateDir, record), Date.parse(record.accepted_at));
    let status: JobStatus;
    try {
      status = endRun(stateDir, record, { cause: cause ?? 'exit', exit, forced }, endedAt);
    } catch (error) {
      if (!statSync(files.folder, { throwIfNoEntry: false })) {
        log('the folder of a job was removed while it ran', { job: record.id });
        events.onEnded({ job_id: record.id, state: 'failed' });
        events.onSwept();
        return;
      }
      // The ending could not be written (a full disk): it is tried again, the job stays as it is meanwhile.
      log('the ending of a job could not be written, trying again', { job: record.id, error: String(error) });
      over = false;
      setTimeout(() => finish(exit, forced), 1000);
      return;
    }
    events.onEnded(status);
    sweepOrphans(target)
      .catch((error: unknown) => log('sweep failed', { job: record.id, error: String(error) }))
      .finally(() => events.onSwept());
  };

  const stop = (why: EndCause): void => {
    if (cause || over) return;
    cause = why;
    log('stopping', { job: record.id, cause: why });
    stopTree(target).then(
      async ({ forced }) => finish(await exited, forced || undefined),
      (error: unknown) => log('stop failed', { job: record.id, error: String(error) }),
    );
  };

  const armTimeLimit = (): void => {
    const left = process.spawned_running_ms + record.timeout_ms - runningTimeMs();
    if (left <= 0) stop('timeout');
    else timer = setTimeout(armTimeLimit, Math.min(left, LONGEST_TIMER_MS));
  };

  const conversationId = (): string | undefined => {
    known ??= glanceAtEvents(files.events, record.invocation.outputFormat).conversationId;
    return known;
  };

  const checkConversation = (): void => {
    const summary = glanceAtEvents(files.events, record.invocation.outputFormat);
    if (!summary.sawInit) return;
    checkedConversation = true;
    if (summary.conversationId && summary.conversationId !== asked) stop('conversation_changed');
  };

  const look = (): void => {
    if (over || cause) return;
    if (!child && !isSameProcessAlive(process)) {
      reportExit('unknown');
      finish('unknown', undefined);
      return;
    }
    if (statSync(files.cancel, { throwIfNoEntry: false })) return stop('cancel');
    if (!checkedConversation) checkConversation();
    const seen = lookAtStream(runningTimeMs());
    if (seen.size > record.output_limit_bytes) stop('output_limit');
    else if (seen.sawResult && seen.quietMs >= LINGER_MS) stop('lingering');
  };

  if (child) {
    child.on('exit', (code, signal) => {
      const exit: ChildExit = code !== null ? { code } : { signal: signal ?? 'unknown' };
      reportExit(exit);
      if (!cause) finish(exit, undefined);
    });
  } else {
    // Its exit code is collected by process 1; after a stop nothing but that it is gone can be said.
    reportExit('unknown');
  }
  armTimeLimit();

  return {
    record,
    process,
    adopted: child === undefined,
    conversationId,
    stop,
    look,
    get needsCloseWatch() {
      return !child || !checkedConversation;
    },
  };
}
