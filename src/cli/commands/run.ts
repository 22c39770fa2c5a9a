import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { selectBackend } from '../../backends/select.ts';
import type { Fields } from '../../contract/fields.ts';
import { createJobsClient, type JobsClient } from '../../jobs/client.ts';
import { jobFiles } from '../../jobs/job-folder.ts';
import { startRun } from '../../jobs/start-run.ts';
import type { JobStatus } from '../../jobs/types.ts';
import { stateDir } from '../../platform/paths.ts';
import { VERSION } from '../../platform/version.ts';
import { readRunArguments } from '../../server/run-arguments.ts';
import { ToolError } from '../../server/tool.ts';
import { currentFolder } from '../current-folder.ts';
import { followEvents } from '../event-follower.ts';
import { type FlagTable, type ParsedFlags, parseFlags, UsageError } from '../flags.ts';
import { createLiveView } from '../live-view.ts';
import { createPaint } from '../paint.ts';
import { printEnding, statusJson } from '../status-text.ts';

const RUN_FLAGS: FlagTable = {
  model: { kind: 'string', short: 'm' },
  backend: { kind: 'string' },
  effort: { kind: 'string' },
  mode: { kind: 'string' },
  agent: { kind: 'string' },
  sandbox: { kind: 'boolean' },
  'max-turns': { kind: 'integer' },
  'max-tokens': { kind: 'integer' },
  'max-cost': { kind: 'string' },
  dir: { kind: 'strings' },
  cwd: { kind: 'string' },
  timeout: { kind: 'string' },
  'json-schema': { kind: 'string' },
  'request-id': { kind: 'string' },
  queue: { kind: 'boolean' },
  'no-queue': { kind: 'boolean' },
  detach: { kind: 'boolean', short: 'd' },
  json: { kind: 'boolean' },
};

const EXIT_CODES = { done: 0, failed: 1, cancelled: 130 } as const;

function dollars(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const amount = Number(given);
  if (given !== '' && Number.isFinite(amount) && amount > 0) return amount;
  throw new UsageError(
    `invalid value ${JSON.stringify(given)} for --max-cost: want US dollars above 0, such as 0.50`,
  );
}

/** The flags as the arguments of `agy_run`, whose rules and refusals hold here too. */
function toolArguments(flags: ParsedFlags, prompt: string, conversation: Fields): Fields {
  return {
    prompt,
    model: flags.text('model'),
    effort: flags.text('effort'),
    mode: flags.text('mode'),
    agent: flags.text('agent'),
    sandbox: flags.has('sandbox'),
    max_turns: flags.number('max-turns'),
    max_tokens: flags.number('max-tokens'),
    max_cost: dollars(flags.text('max-cost')),
    dirs: flags.texts('dir'),
    cwd: flags.text('cwd'),
    timeout: flags.text('timeout'),
    json_schema: flags.text('json-schema'),
    ...conversation,
  };
}

function promptOf(given: string | undefined, rest: readonly string[], command: string): string {
  if (rest.length > 0) {
    throw new UsageError(
      `${command} takes one prompt, got ${rest.length + 1}: put it in quotes; see baton ${command} --help`,
    );
  }
  if (given === undefined) {
    throw new UsageError(
      `${command} needs a prompt, such as: baton ${command === 'run' ? 'run' : 'continue ID'} "…"`,
    );
  }
  const prompt = given === '-' ? readFileSync(0, 'utf8') : given;
  if (prompt.trim() === '') throw new UsageError('the prompt is empty');
  return prompt;
}

/** Shows the job until it is over. The first Ctrl-C cancels it, the second leaves it to itself. */
async function attend(jobs: JobsClient, folder: string, job: JobStatus, quiet: boolean): Promise<JobStatus> {
  const paint = createPaint(process.stderr);
  const view = createLiveView({
    paint,
    write: (text) => process.stderr.write(text),
    // On a terminal the text is read as it comes; in a pipe the answer is printed once, at the end.
    ...(!quiet && process.stdout.isTTY && { writeText: (text: string) => process.stdout.write(text) }),
  });
  const follower = followEvents(jobFiles(folder, job.job_id).events, (event) => {
    if (!quiet) view.show(event);
  });
  let interrupts = 0;
  const leave = new AbortController();
  const onInterrupt = (): void => {
    interrupts++;
    if (interrupts > 1) {
      leave.abort();
      return;
    }
    process.stderr.write(paint.yellow('\ncancelling; press Ctrl-C again to leave the job running\n'));
    jobs.cancel(job.job_id).catch((error: unknown) => process.stderr.write(`cancel: ${String(error)}\n`));
  };
  process.on('SIGINT', onInterrupt);
  try {
    const status = await jobs.wait(job.job_id, {
      timeoutMs: Number.MAX_SAFE_INTEGER,
      signal: leave.signal,
    });
    follower.stop();
    view.end();
    printEnding(status, { quiet, shown: process.stdout.isTTY ? view.text : '' });
    return status;
  } finally {
    follower.stop();
    process.off('SIGINT', onInterrupt);
  }
}

async function runWith(flags: ParsedFlags, prompt: string, conversation: Fields): Promise<number> {
  const environment = process.env;
  const folder = stateDir(environment);
  const request = readRequest(flags, prompt, conversation);
  const { backend } = selectBackend(environment, { requested: flags.text('backend') });
  const jobs = createJobsClient({ stateDir: folder });
  try {
    const queue = flags.has('no-queue') ? false : flags.has('queue') ? true : undefined;
    const { job, repeated } = await startRun(jobs, {
      kind: conversation.conversation_id || conversation.continue_latest ? 'baton continue' : 'baton run',
      request,
      backend,
      environment,
      stateDir: folder,
      client: { name: 'baton', version: VERSION },
      requestId: flags.text('request-id'),
      queue,
    });
    const json = flags.has('json');
    if (flags.has('detach')) {
      process.stdout.write(json ? statusJson(job) : `${job.job_id}\n`);
      return 0;
    }
    process.stderr.write(`job ${job.job_id}${repeated ? ' (already known by its request id)' : ''}\n`);
    const status = await attend(jobs, folder, job, json);
    if (json) process.stdout.write(statusJson(status));
    return status.state === 'queued' || status.state === 'running' ? 1 : EXIT_CODES[status.state];
  } finally {
    jobs.close();
  }
}

function readRequest(
  flags: ParsedFlags,
  prompt: string,
  conversation: Fields,
): ReturnType<typeof readRunArguments> {
  try {
    return readRunArguments(
      toolArguments(flags, prompt, conversation),
      // An absolute --cwd needs no folder to start from.
      isAbsolute(flags.text('cwd') ?? '') ? '/' : currentFolder(),
    );
  } catch (error) {
    if (error instanceof ToolError) throw new UsageError(error.message);
    throw error;
  }
}

/** `baton run "prompt"`. */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv, RUN_FLAGS, { interspersed: true, command: 'baton run' });
  const [prompt, ...rest] = flags.rest;
  return runWith(flags, promptOf(prompt, rest, 'run'), {});
}

/** `baton continue <conversation id> "prompt"`, or `--latest "prompt"`. */
export async function continueRun(argv: readonly string[]): Promise<number> {
  const table: FlagTable = { ...RUN_FLAGS, latest: { kind: 'boolean' } };
  const flags = parseFlags(argv, table, { interspersed: true, command: 'baton continue' });
  if (flags.has('latest')) {
    const [prompt, ...rest] = flags.rest;
    return runWith(flags, promptOf(prompt, rest, 'continue'), { continue_latest: true });
  }
  const [id, prompt, ...rest] = flags.rest;
  if (id === undefined) {
    throw new UsageError(
      'continue needs a conversation id, or --latest for the newest one of the folder; baton jobs list shows ids',
    );
  }
  return runWith(flags, promptOf(prompt, rest, 'continue'), { conversation_id: id });
}
