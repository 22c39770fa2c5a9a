import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isTerminal, type JobState } from '../contract/outcome.ts';
import { type Connection, ConnectionLostError, JobRefusedError } from './connection.ts';
import { cancelGoJob } from './go-jobs/go-job.ts';
import { allJobIds, isSafeJobId, JobReadError, jobFiles, readRecord, readStartedPid } from './job-folder.ts';
import { readStatus } from './read-status.ts';
import { reachSupervisor } from './start-supervisor.ts';
import type { JobRecord, JobStatus, Submission } from './types.ts';
import { type WaitOptions, waitForJob } from './wait.ts';

export { JobRefusedError } from './connection.ts';

export interface ListFilter {
  states?: readonly JobState[];
  /** At most so many, newest first. */
  limit?: number;
}

export interface ListedJob {
  status: JobStatus;
  record: JobRecord;
}

/** What servers and commands see of the jobs of one state folder. */
export interface JobsClient {
  /**
   * Hands a job over. Resolves once it is durable; the same id or request id sent again finds the same job.
   * @throws {JobRefusedError} when it was refused: nothing was started.
   */
  submit(submission: Submission): Promise<{ job: JobStatus; repeated: boolean }>;
  /** @throws {JobReadError} */
  status(id: string): Promise<JobStatus>;
  /** Waits for the end of a job, or for `until`, or for the time; see {@link WaitOptions}. Ending the wait leaves the job alone. */
  wait(id: string, options: WaitOptions): Promise<JobStatus>;
  /** Asks for a job to be stopped; it is `cancelled` a moment later. @throws {JobReadError} */
  cancel(id: string): Promise<JobStatus>;
  list(filter?: ListFilter): Promise<ListedJob[]>;
  close(): void;
}

/** Attempts for one request: the supervisor may be killed again while it is being asked. */
const ATTEMPTS = 40;

export function createJobsClient(options: { stateDir: string }): JobsClient {
  const { stateDir } = options;
  const listeners = new Set<(id: string, state: JobState) => void>();
  /** Submissions whose run has not begun: their environment is nowhere else, so they are sent again to a new supervisor. */
  const unbegun = new Map<string, Submission>();
  /** Jobs of this client that have not ended. */
  const unfinished = new Set<string>();
  let connection: Promise<Connection> | undefined;
  let closed = false;
  let reconnectPause = 50;

  const onChanged = (id: string, state: JobState): void => {
    if (state !== 'queued') unbegun.delete(id);
    if (isTerminal(state)) unfinished.delete(id);
    for (const listener of listeners) listener(id, state);
  };

  const tellAll = (): void => {
    for (const id of unfinished) for (const listener of listeners) listener(id, 'running');
  };

  /** A supervisor that is gone while this client's jobs live is replaced, so that their limits go on being kept. */
  const recover = async (): Promise<void> => {
    await sleep(reconnectPause, undefined, { ref: false });
    reconnectPause = Math.min(1000, reconnectPause * 2);
    if (closed) return;
    try {
      await connected();
      reconnectPause = 50;
    } catch {
      if (!closed && unfinished.size > 0 && !connection) void recover();
    }
  };

  /**
   * A new connection first brings what only this client has, whoever asked for the connection: the environments of its
   * jobs that have not begun, and the wish to hear of those that have not ended.
   */
  const open = async (onClosed: () => void): Promise<Connection> => {
    const fresh = await reachSupervisor(stateDir, { onChanged, onClosed });
    for (const submission of unbegun.values()) {
      // A refusal is none of this connection's: the job stands in its folder, and its status says what became of it.
      await fresh.request({ op: 'submit', submission }).catch((error: unknown) => {
        if (!(error instanceof JobRefusedError)) throw error;
      });
    }
    if (unfinished.size > 0) await fresh.request({ op: 'watch', job_ids: [...unfinished] });
    tellAll();
    return fresh;
  };

  const connected = (): Promise<Connection> => {
    if (closed) return Promise.reject(new ConnectionLostError('this client was closed'));
    if (connection) return connection;
    const forget = (): void => {
      if (connection === opening) connection = undefined;
    };
    const opening: Promise<Connection> = open(() => {
      forget();
      tellAll();
      if (!closed && unfinished.size > 0) void recover();
    }).catch((error: unknown) => {
      forget();
      throw error;
    });
    connection = opening;
    return opening;
  };

  /** Asks, again and again while supervisors go away: every request may be repeated safely. */
  const ask = async (body: Parameters<Connection['request']>[0]): ReturnType<Connection['request']> => {
    for (let attempt = 1; ; attempt++) {
      let current: Connection | undefined;
      try {
        current = await connected();
        return await current.request(body);
      } catch (error) {
        const lost =
          error instanceof ConnectionLostError ||
          (error instanceof JobRefusedError && error.code === 'leaving');
        if (!lost || closed || attempt === ATTEMPTS) throw error;
        if (current && !current.closed) current.close();
        await sleep(Math.min(1000, 20 * attempt));
      }
    }
  };

  const known = (id: string): void => {
    readRecord(stateDir, id);
  };

  return {
    async submit(submission) {
      if (!isSafeJobId(submission.id))
        throw new JobReadError(`invalid job id ${JSON.stringify(submission.id)}`);
      const reply = await ask({ op: 'submit', submission });
      const id = reply.job_id ?? submission.id;
      const repeated = id !== submission.id || reply.repeated === true;
      unfinished.add(id);
      // Not by its state: a run counts as running from the moment its lock is taken, a breath before it is begun.
      if (id === submission.id && readStartedPid(stateDir, id) === undefined) unbegun.set(id, submission);
      const job = readStatus(stateDir, id);
      if (isTerminal(job.state)) {
        unfinished.delete(id);
        unbegun.delete(id);
      }
      return { job, repeated };
    },

    async status(id) {
      const status = readStatus(stateDir, id);
      if (status.state !== 'queued' || !connection) return status;
      const { queue } = await ask({ op: 'queue' });
      const place = queue?.indexOf(id) ?? -1;
      return place === -1 ? readStatus(stateDir, id) : { ...status, queue_position: place + 1 };
    },

    wait(id, waitOptions) {
      known(id);
      const watch = async (): Promise<void> => {
        await ask({ op: 'watch', job_ids: [id] });
      };
      return waitForJob(stateDir, id, waitOptions, watch, (listener) => {
        const mine = (changed: string): void => {
          if (changed === id) listener();
        };
        listeners.add(mine);
        return () => listeners.delete(mine);
      });
    },

    async cancel(id) {
      const before = readStatus(stateDir, id);
      if (isTerminal(before.state)) return before;
      const { folder, record } = jobFiles(stateDir, id);
      if (!existsSync(record)) {
        cancelGoJob(folder);
        return before;
      }
      await ask({ op: 'cancel', job_id: id });
      return readStatus(stateDir, id);
    },

    async list(filter = {}) {
      const listed: ListedJob[] = [];
      for (const id of allJobIds(stateDir).reverse()) {
        if (listed.length >= (filter.limit ?? Infinity)) break;
        try {
          const record = readRecord(stateDir, id);
          const status = readStatus(stateDir, id);
          if (!filter.states || filter.states.includes(status.state)) listed.push({ status, record });
        } catch (error) {
          if (!(error instanceof JobReadError)) throw error;
        }
      }
      return Promise.resolve(listed);
    },

    close() {
      closed = true;
      void connection?.then((open) => open.close()).catch(() => {});
    },
  };
}
