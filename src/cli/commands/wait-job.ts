import { formatDuration } from '../../contract/duration.ts';
import { errorMessage } from '../../platform/errors.ts';
import { stateDir } from '../../platform/paths.ts';
import { type FlagTable, type ParsedFlags, parseFlags, UsageError } from '../flags.ts';
import { waitByFolder } from '../folder-wait.ts';

const DEFAULT_TIMEOUT_MS = 3_600_000;
export const WAIT_FLAGS: FlagTable = { timeout: { kind: 'duration' } };

const EXIT_ENDED = 0;
const EXIT_ERROR = 1;
const EXIT_USAGE = 2;
const EXIT_TIMEOUT = 3;
const EXIT_INTERRUPTED = 130;

/**
 * `wait-job [-timeout 1h] <job_id>`: blocks until the job is over and prints its state word.
 * @returns 0 over, 1 error, 2 usage, 3 time over, 130 interrupted
 */
export async function waitJob(name: 'baton' | 'agy-mcp', argv: readonly string[]): Promise<number> {
  const complain = (text: string): void => {
    process.stderr.write(`${text}\n`);
  };
  let flags: ParsedFlags;
  try {
    flags = parseFlags(argv, WAIT_FLAGS, { interspersed: name === 'baton', command: 'wait-job' });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    complain(`wait-job: ${error.message}`);
    return EXIT_USAGE;
  }
  const [jobId, ...others] = flags.rest;
  if (jobId === undefined || others.length > 0) {
    complain(`usage: ${name} wait-job [-timeout 1h] <job_id>`);
    return EXIT_USAGE;
  }
  const timeoutMs = flags.number('timeout') ?? DEFAULT_TIMEOUT_MS;
  try {
    const ending = await waitByFolder(stateDir(process.env, name), jobId, timeoutMs, process.env);
    if (ending.kind === 'ended') {
      process.stdout.write(`${ending.status.state}\n`);
      return EXIT_ENDED;
    }
    if (ending.kind === 'interrupted') {
      complain('wait-job: interrupted');
      return EXIT_INTERRUPTED;
    }
    complain(`wait-job: job ${jobId} still running after ${formatDuration(timeoutMs)}`);
    return EXIT_TIMEOUT;
  } catch (error) {
    complain(`wait-job: ${errorMessage(error)}`);
    return EXIT_ERROR;
  }
}
