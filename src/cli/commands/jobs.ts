import { JOB_STATES } from '../../contract/outcome.ts';
import { createJobsClient, type JobsClient } from '../../jobs/client.ts';
import { stateDir } from '../../platform/paths.ts';
import { type FlagTable, type ParsedFlags, parseFlags, UsageError } from '../flags.ts';
import { statusJson } from '../status-text.ts';

/** What each part of `baton jobs` needs. */
export interface JobsContext {
  jobs: JobsClient;
  stateDir: string;
  flags: ParsedFlags;
  json: boolean;
}

const JSON_FLAG: FlagTable = { json: { kind: 'boolean' } };
const LIST_FLAGS: FlagTable = {
  ...JSON_FLAG,
  state: { kind: 'string' },
  cwd: { kind: 'string' },
  contains: { kind: 'string' },
  limit: { kind: 'integer', short: 'n' },
};
const PARTS: Readonly<Record<string, FlagTable>> = {
  list: LIST_FLAGS,
  show: JSON_FLAG,
  watch: JSON_FLAG,
  cancel: JSON_FLAG,
  rm: JSON_FLAG,
  gc: { ...JSON_FLAG, 'older-than': { kind: 'duration' } },
};

function oneId(flags: ParsedFlags, part: string): string {
  const [id, ...rest] = flags.rest;
  if (id === undefined || rest.length > 0) {
    throw new UsageError(
      `jobs ${part} needs one job id, got ${flags.rest.length}; baton jobs list shows them`,
    );
  }
  return id;
}

async function list(context: JobsContext): Promise<number> {
  const { flags } = context;
  const state = flags.text('state');
  if (state !== undefined && state !== 'live' && !JOB_STATES.some((known) => known === state)) {
    throw new UsageError(
      `unknown state ${JSON.stringify(state)}: want ${JOB_STATES.join(', ')}, or live for the ones that go on`,
    );
  }
  if (flags.rest.length > 0)
    throw new UsageError(`jobs list takes no arguments, got ${JSON.stringify(flags.rest[0])}`);
  const { printList } = await import('../job-list.ts');
  return printList(context, state);
}

async function cancel(context: JobsContext): Promise<number> {
  const status = await context.jobs.cancel(oneId(context.flags, 'cancel'));
  process.stdout.write(
    context.json
      ? statusJson(status)
      : `${status.job_id} ${status.state === 'running' || status.state === 'queued' ? 'is asked to stop' : status.state}\n`,
  );
  return 0;
}

async function remove({ flags, json, stateDir: folder }: JobsContext): Promise<number> {
  if (flags.rest.length === 0) throw new UsageError('jobs rm needs one or more job ids');
  const { removeJob } = await import('../../jobs/remove-job.ts');
  for (const id of flags.rest) {
    removeJob(folder, id);
    if (!json) process.stdout.write(`${id} removed\n`);
  }
  if (json) process.stdout.write(`${JSON.stringify({ removed: flags.rest })}\n`);
  return 0;
}

async function collect({ flags, json, stateDir: folder }: JobsContext): Promise<number> {
  const { removeOldJobs, retentionMs } = await import('../../jobs/supervisor/retention.ts');
  const { busyConversations } = await import('../../jobs/remove-job.ts');
  const keepMs = flags.number('older-than') ?? retentionMs(process.env.BATON_RETENTION);
  const busy = busyConversations(folder);
  const removed = await removeOldJobs(folder, keepMs, (conversation) => busy.has(conversation));
  process.stdout.write(json ? `${JSON.stringify({ removed })}\n` : `${removed} job(s) removed\n`);
  return 0;
}

/** `baton jobs list|show|watch|cancel|rm|gc`; without a part it lists. */
export async function jobs(argv: readonly string[]): Promise<number> {
  const named = argv[0] !== undefined && !argv[0].startsWith('-');
  const part = named ? (argv[0] ?? 'list') : 'list';
  const table = Object.hasOwn(PARTS, part) ? PARTS[part] : undefined;
  if (!table) {
    throw new UsageError(
      `unknown part ${JSON.stringify(part)} of jobs: known are ${Object.keys(PARTS).join(', ')}; see baton jobs --help`,
    );
  }
  const flags = parseFlags(named ? argv.slice(1) : argv, table, {
    interspersed: true,
    command: `baton jobs ${part}`,
  });
  const folder = stateDir(process.env);
  const client = createJobsClient({ stateDir: folder });
  const context: JobsContext = { jobs: client, stateDir: folder, flags, json: flags.has('json') };
  try {
    switch (part) {
      case 'show':
        return await (await import('../job-show.ts')).showJob(context, oneId(flags, 'show'));
      case 'watch':
        return await (await import('../job-watch.ts')).watchJob(context, flags.rest[0]);
      case 'cancel':
        return await cancel(context);
      case 'rm':
        return await remove(context);
      case 'gc':
        return await collect(context);
      default:
        return await list(context);
    }
  } finally {
    client.close();
  }
}
