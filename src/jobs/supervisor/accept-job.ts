import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  makePrivateFolder,
  PRIVATE_FOLDER,
  syncFolder,
  writeFileAtomic,
  writeFileSynced,
} from '../../platform/atomic-file.ts';
import { errorCode } from '../../platform/errors.ts';
import { bootId } from '../../platform/process-identity.ts';
import { isSafeJobId, jobFiles, markLive } from '../job-folder.ts';
import type { JobRecord, Submission } from '../types.ts';
import { faultPoint } from './faults.ts';
import { placeFiles } from './place-files.ts';

/** A job is not accepted with less free space than this: its ending could not be written. */
const MIN_FREE_BYTES = 64 * 1024 * 1024;

function requestFile(stateDir: string, requestId: string): string {
  return join(stateDir, 'requests', createHash('sha256').update(requestId).digest('hex'));
}

/** The job that was accepted for a request id, if it is still kept. */
export function jobOfRequest(stateDir: string, requestId: string): string | undefined {
  let id: string;
  try {
    id = readFileSync(requestFile(stateDir, requestId), 'utf8').trim();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  return isSafeJobId(id) && statSync(jobFiles(stateDir, id).record, { throwIfNoEntry: false })
    ? id
    : undefined;
}

export function forgetRequest(stateDir: string, requestId: string): void {
  rmSync(requestFile(stateDir, requestId), { force: true });
}

/** Free bytes for this user where the jobs are kept, when they are too few for another job. */
export function shortOfSpace(stateDir: string): number | undefined {
  const { bavail, bsize } = statfsSync(stateDir);
  const free = bavail * bsize;
  return free < MIN_FREE_BYTES ? free : undefined;
}

function writeInput(path: string, content: string): { bytes: number; sha256: string } {
  const data = Buffer.from(content);
  writeFileSynced(path, data);
  return { bytes: data.length, sha256: createHash('sha256').update(data).digest('hex') };
}

/**
 * Makes a submission durable: when this returns, the job survives a crash of any of our processes and of the machine.
 * The environment is no part of it.
 */
export function acceptJob(stateDir: string, submission: Submission): JobRecord {
  const { id } = submission;
  const files = jobFiles(stateDir, id);
  makePrivateFolder(join(stateDir, 'jobs'));
  markLive(stateDir, id);
  if (submission.requestId !== undefined) {
    makePrivateFolder(join(stateDir, 'requests'));
    writeFileAtomic(requestFile(stateDir, submission.requestId), `${id}\n`);
  }
  mkdirSync(files.folder, { recursive: true, mode: PRIVATE_FOLDER });
  faultPoint('folder-made');
  const { stdin, environment: _changes, files: extra = [], ...invocation } = submission.invocation;
  const args = placeFiles(files.folder, invocation.args, extra);
  const input = writeInput(files.input, stdin);
  faultPoint('input-written');
  const record: JobRecord = {
    format: 1,
    id,
    kind: submission.kind,
    arguments: submission.arguments,
    prompt: submission.prompt,
    invocation: { ...invocation, args },
    input_bytes: input.bytes,
    input_sha256: input.sha256,
    timeout_ms: submission.timeoutMs,
    output_limit_bytes: submission.outputLimitBytes,
    request_id: submission.requestId,
    queue: submission.queue,
    max_jobs: submission.maxJobs,
    parent_job_id: submission.parentJobId,
    depth: submission.depth,
    client: submission.client,
    accepted_at: new Date().toISOString(),
    boot_id: bootId(),
  };
  writeFileAtomic(files.record, `${JSON.stringify(record)}\n`);
  faultPoint('record-written');
  syncFolder(join(stateDir, 'jobs'));
  return record;
}
