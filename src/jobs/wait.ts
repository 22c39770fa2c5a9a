import { isTerminal } from '../contract/outcome.ts';
import { deriveStatus } from './derive-status.ts';
import { jobFiles, readRecord } from './job-folder.ts';
import { type FollowedEvents, followEvents } from './read-events.ts';
import { hasEnded, readStatus } from './read-status.ts';
import type { JobStatus } from './types.ts';

export interface WaitOptions {
  timeoutMs: number;
  signal?: AbortSignal;
  /** Also ends the wait when it says yes to a running job's status (asked each 50 ms). */
  until?: (status: JobStatus) => boolean;
  /** How the status is read; default: from the folder, leaving an ending to a living supervisor. */
  read?: () => JobStatus;
  /** Told what the running job does, at most each 250 ms and only when something new was written. */
  onProgress?: (progress: Progress) => void;
}

/** What a running job has said so far. */
export interface Progress {
  status: JobStatus;
  /** The end of the newest text, one line. */
  newestText: string;
  /** Steps seen. */
  events: number;
}

const FOLLOW_MS = 250;
const UNTIL_MS = 50;
/** Under every push there is a slow look: results never hang on a wake. */
const NET_MS = 1000;
/** The supervisor is asked again this often: one that hangs is noticed, and replaced by who can. */
const ASK_MS = 5000;

/**
 * Resolves with the status of a job at its end, or at `until`, or when the time is over (then it still runs).
 * @param watch asks the supervisor for pushes, again each 5 s; when none can be had, the net alone serves.
 * @param subscribe registers for pushes and returns how to end that.
 * @throws the signal's reason when it is aborted.
 */
export async function waitForJob(
  stateDir: string,
  id: string,
  options: WaitOptions,
  watch: () => Promise<void>,
  subscribe: (listener: () => void) => () => void,
): Promise<JobStatus> {
  const { signal, until, onProgress } = options;
  const record = readRecord(stateDir, id);
  const deadline = performance.now() + options.timeoutMs;
  let wake: () => void = () => {};
  let woken = false;
  const notice = (): void => {
    woken = true;
    wake();
  };
  const unsubscribe = subscribe(notice);
  signal?.addEventListener('abort', notice);
  let followed: FollowedEvents | undefined;
  let reported = 0;
  let nextFullLook = 0;
  let nextAsk = 0;
  const read = options.read ?? (() => readStatus(stateDir, id));

  const report = (): void => {
    if (!onProgress) return;
    followed ??= followEvents(jobFiles(stateDir, id).events, record.invocation.outputFormat);
    if (!followed.readMore() || followed.summary.events === reported) return;
    reported = followed.summary.events;
    const { summary } = followed;
    const status = deriveStatus({
      record,
      summary,
      skippedLines: 0,
      stderrTail: '',
      begun: true,
      now: Date.now(),
    });
    onProgress({ status, newestText: lastLine(summary.text), events: summary.events });
  };

  try {
    for (;;) {
      signal?.throwIfAborted();
      const now = performance.now();
      if (now >= nextAsk && !hasEnded(stateDir, id)) {
        nextAsk = now + ASK_MS;
        // Not waited for: a supervisor that hangs must not hold this wait. Once the subscription stands the state is
        // read again, so no change falls between.
        void watch().then(notice, () => {});
      }
      const ended = hasEnded(stateDir, id);
      if (ended || until || woken || now >= nextFullLook || now >= deadline) {
        woken = false;
        nextFullLook = now + NET_MS;
        const status = read();
        if (isTerminal(status.state) || until?.(status) || now >= deadline) return status;
      }
      report();
      const pace = until ? UNTIL_MS : onProgress ? FOLLOW_MS : NET_MS;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.max(1, Math.min(pace, deadline - now)));
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
        if (woken) wake();
      });
    }
  } finally {
    unsubscribe();
    signal?.removeEventListener('abort', notice);
  }
}

const SHOWN_CHARS = 160;

function lastLine(text: string): string {
  const line =
    text
      .slice(-4 * SHOWN_CHARS)
      .trimEnd()
      .split('\n')
      .at(-1) ?? '';
  return line.length > SHOWN_CHARS ? `…${line.slice(-SHOWN_CHARS)}` : line;
}
