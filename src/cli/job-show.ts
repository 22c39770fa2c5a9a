import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { formatDuration, formatElapsed } from '../contract/duration.ts';
import { isTerminal } from '../contract/outcome.ts';
import { jobFiles, readRecord } from '../jobs/job-folder.ts';
import { firstLine } from '../server/job-rows.ts';
import { recoveryAdvice } from '../server/recovery.ts';
import type { JobsContext } from './commands/jobs.ts';
import { createPaint, printable } from './paint.ts';
import { paintState, usageText } from './status-text.ts';

/** The files of a job with their sizes, by name. */
export function jobFileList(folder: string): { name: string; bytes: number }[] {
  return readdirSync(folder)
    .sort()
    .map((name) => ({ name, bytes: statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0 }));
}

/** Prints everything that is known of a job, its answer last. */
export async function showJob({ jobs, stateDir, json }: JobsContext, id: string): Promise<number> {
  const status = await jobs.status(id);
  const record = readRecord(stateDir, id);
  const { folder } = jobFiles(stateDir, id);
  const files = jobFileList(folder);
  if (json) {
    process.stdout.write(`${JSON.stringify({ status, record, folder, files })}\n`);
    return 0;
  }
  const paint = createPaint(process.stdout);
  const row = (name: string, value: string | undefined): void => {
    if (value) process.stdout.write(`${paint.dim(name.padEnd(14))}${value}\n`);
  };
  row('job', id);
  row('state', `${paintState(paint, status.state)} ${formatElapsed(status.elapsed_ms)}`);
  row('place', status.queue_position === undefined ? undefined : `${status.queue_position} in the queue`);
  row('task', printable(firstLine(record.prompt, 200)));
  row(
    'started by',
    `${record.kind}${record.client ? ` of ${record.client.name} ${record.client.version}` : ''}`,
  );
  row('accepted', record.accepted_at);
  row('time limit', formatDuration(record.timeout_ms));
  row('agent', `${record.invocation.backend} (${record.invocation.program})`);
  row('folder', record.invocation.cwd);
  row('conversation', status.conversation_id);
  row('model', status.model);
  row('turns', status.num_turns === undefined ? undefined : String(status.num_turns));
  row('usage', usageText(status));
  row('last step', [status.step_type, status.tool_name].filter(Boolean).join(' '));
  row('exit', status.exit === undefined ? undefined : JSON.stringify(status.exit));
  row('failure', status.failure_reason && paint.red(status.failure_reason));
  row('error', status.error && printable(status.error));
  for (const notice of status.notices) row('notice', printable(notice));
  row('next', recoveryAdvice(status));
  row('files', folder);
  for (const file of files) row('', `${String(file.bytes).padStart(10)}  ${file.name}`);
  if (status.result && isTerminal(status.state)) {
    process.stdout.write(`\n${status.partial ? paint.yellow('(not a finished answer)\n') : ''}`);
    process.stdout.write(`${process.stdout.isTTY ? printable(status.result) : status.result}\n`);
  }
  return 0;
}
