import { BackendError, type Environment } from '../backends/types.ts';

const DEFAULT_MAX_JOBS = 4;

/**
 * How many runs may go at once on this machine, `BATON_MAX_JOBS`; unset = 4.
 * @throws {BackendError} for anything that is no whole number from 1 on
 */
export function maxJobs(environment: Environment): number {
  const value = environment.BATON_MAX_JOBS;
  if (!value) return DEFAULT_MAX_JOBS;
  const count = Number(value);
  if (Number.isInteger(count) && count >= 1) return count;
  throw new BackendError(
    `BATON_MAX_JOBS is ${JSON.stringify(value)}: want a whole number from 1 on; correct it where the server is configured`,
  );
}

const DEFAULT_OUTPUT_LIMIT_BYTES = 256 * 1024 * 1024;

/**
 * Bytes of output that a run may write before it is stopped, `BATON_OUTPUT_LIMIT`; unset = 256 MiB.
 * @throws {BackendError} for anything that is no whole number from 1 on
 */
export function outputLimitBytes(environment: Environment): number {
  const value = environment.BATON_OUTPUT_LIMIT;
  if (!value) return DEFAULT_OUTPUT_LIMIT_BYTES;
  const bytes = Number(value);
  if (Number.isInteger(bytes) && bytes >= 1) return bytes;
  throw new BackendError(
    `BATON_OUTPUT_LIMIT is ${JSON.stringify(value)}: want a whole number of bytes; correct it where the server is configured`,
  );
}
