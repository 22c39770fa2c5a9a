import { closeSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isFields, parseJson } from '../contract/fields.ts';
import { makePrivateFolder, PRIVATE_FILE } from '../platform/atomic-file.ts';
import { errorCode, errorMessage } from '../platform/errors.ts';
import { randomBytes } from '../platform/random.ts';
import { readGoRecord } from './go-jobs/go-job.ts';
import type { JobRecord, JobResult, ProcessRecord } from './types.ts';

/** The files of one job (docs/architecture.md has the table of who writes which, when and how durably). */
export interface JobFiles {
  folder: string;
  record: string;
  input: string;
  runLock: string;
  started: string;
  process: string;
  events: string;
  stderr: string;
  cancel: string;
  result: string;
}

export function jobFiles(stateDir: string, id: string): JobFiles {
  const folder = join(stateDir, 'jobs', id);
  return {
    folder,
    record: join(folder, 'job.json'),
    input: join(folder, 'input'),
    runLock: join(folder, 'run.lock'),
    started: join(folder, 'started'),
    process: join(folder, 'process.json'),
    events: join(folder, 'events.ndjson'),
    stderr: join(folder, 'stderr.log'),
    cancel: join(folder, 'cancel'),
    result: join(folder, 'result.json'),
  };
}

/** A new job id: one safe path segment that sorts by time (milliseconds in base 36, then 80 random bits). */
export function newJobId(now: number = Date.now()): string {
  return `${now.toString(36).padStart(9, '0')}-${randomBytes(10).toString('hex')}`;
}

const RESERVED_NAME = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** Whether an id from outside is one safe path segment on every platform. */
export function isSafeJobId(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/.test(id) && !id.endsWith('.') && !RESERVED_NAME.test(id);
}

/** A job that cannot be read: it does not exist, or a file of it is damaged. The message is for the caller. */
export class JobReadError extends Error {
  override name = 'JobReadError';
}

/** Held by the one living supervisor of a state folder. */
export const supervisorLock = (stateDir: string): string => join(stateDir, 'supervisor.lock');

export function liveFolder(stateDir: string): string {
  return join(stateDir, 'live');
}

/** Marks a job as not ended, so that a starting supervisor need not look at all the finished ones. */
export function markLive(stateDir: string, id: string): void {
  makePrivateFolder(liveFolder(stateDir));
  // An empty file is made in one step: nothing half-made can be left under a name of its own.
  closeSync(openSync(join(liveFolder(stateDir), id), 'a', PRIVATE_FILE));
}

export function unmarkLive(stateDir: string, id: string): void {
  rmSync(join(liveFolder(stateDir), id), { force: true });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter(isSafeJobId).sort();
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return [];
    if (code !== 'ENOTDIR' && code !== 'EACCES') throw error;
    const cause = code === 'ENOTDIR' ? 'a part of that path is no folder' : 'you may not read it';
    throw new JobReadError(
      `jobs cannot be read from ${folder}: ${cause}; set BATON_STATE_DIR to a folder of your own`,
    );
  }
}

/** Ids of the jobs that have not ended (some may have, in the last moment before a crash). */
export const liveJobIds = (stateDir: string): string[] => namesIn(liveFolder(stateDir));

/** Ids of all jobs in the folder, oldest first. */
export const allJobIds = (stateDir: string): string[] => namesIn(join(stateDir, 'jobs'));

function readJson(path: string): unknown {
  try {
    return parseJson(readFileSync(path, 'utf8'));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function isRecord(value: unknown): value is JobRecord {
  return (
    isFields(value) &&
    value.format === 1 &&
    typeof value.id === 'string' &&
    typeof value.kind === 'string' &&
    typeof value.prompt === 'string' &&
    typeof value.accepted_at === 'string' &&
    typeof value.boot_id === 'string' &&
    typeof value.timeout_ms === 'number' &&
    typeof value.output_limit_bytes === 'number' &&
    isFields(value.invocation) &&
    typeof value.invocation.program === 'string' &&
    Array.isArray(value.invocation.args) &&
    Array.isArray(value.invocation.notices)
  );
}

function isProcessRecord(value: unknown): value is ProcessRecord {
  return (
    isFields(value) &&
    typeof value.pid === 'number' &&
    typeof value.start_time === 'string' &&
    typeof value.boot_id === 'string' &&
    typeof value.spawned_at === 'string' &&
    typeof value.spawned_running_ms === 'number'
  );
}

function isResult(value: unknown): value is JobResult {
  return (
    isFields(value) &&
    value.format === 1 &&
    typeof value.cause === 'string' &&
    typeof value.ended_at === 'string' &&
    isFields(value.status) &&
    typeof value.status.job_id === 'string' &&
    typeof value.status.state === 'string' &&
    Array.isArray(value.status.notices)
  );
}

/** What was accepted. @throws {JobReadError} for an id that is none, an unknown job, or a damaged `job.json`. */
export function readRecord(stateDir: string, id: string): JobRecord {
  if (!isSafeJobId(id)) {
    throw new JobReadError(
      `invalid job id ${JSON.stringify(id)}: a job id is what agy_run returned as job_id`,
    );
  }
  const { record, folder } = jobFiles(stateDir, id);
  let value: unknown;
  try {
    value = parseJson(readFileSync(record, 'utf8'));
  } catch (error) {
    if (errorCode(error) !== 'ENOENT')
      throw new JobReadError(`job ${id} cannot be read: ${errorMessage(error)}`);
    const goRecord = readGoRecord(folder);
    if (goRecord) return goRecord;
    throw new JobReadError(
      `no job ${id} in ${join(stateDir, 'jobs')}: it was never accepted there, or its time of keeping is over. agy_jobs (or: baton jobs list) shows the jobs there are.`,
    );
  }
  if (!isRecord(value)) {
    throw new JobReadError(
      `job ${id} is damaged: ${record} is not a job record. Its output, if any, is in ${folder}; remove it with: baton jobs rm ${id}`,
    );
  }
  return value;
}

/** The same, or undefined where {@link readRecord} would say why there is none. */
export function findRecord(stateDir: string, id: string): JobRecord | undefined {
  try {
    return readRecord(stateDir, id);
  } catch (error) {
    if (error instanceof JobReadError) return undefined;
    throw error;
  }
}

/** The ending, or undefined while there is none; a damaged file counts as none (it is derived again). */
export function readResult(stateDir: string, id: string): JobResult | undefined {
  const value = readJson(jobFiles(stateDir, id).result);
  return isResult(value) ? value : undefined;
}

export function readProcess(stateDir: string, id: string): ProcessRecord | undefined {
  const value = readJson(jobFiles(stateDir, id).process);
  return isProcessRecord(value) ? value : undefined;
}

/** The pid that the exec shim wrote before the agent began; undefined = the run was never begun. */
export function readStartedPid(stateDir: string, id: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(jobFiles(stateDir, id).started, 'utf8'), 10);
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
