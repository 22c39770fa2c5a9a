import type { StreamEvent } from '../contract/events.ts';
import { isTerminal } from '../contract/outcome.ts';
import { jobFiles, readRecord } from '../jobs/job-folder.ts';
import { firstLine } from '../server/job-rows.ts';
import type { JobsContext } from './commands/jobs.ts';
import { followEvents } from './event-follower.ts';
import { UsageError } from './flags.ts';
import { createLiveView } from './live-view.ts';
import { createPaint, printable } from './paint.ts';
import { printEnding, statusJson } from './status-text.ts';

async function newestJob({ jobs }: JobsContext): Promise<string> {
  const listed = await jobs.list();
  const live = listed.find(({ status }) => !isTerminal(status.state));
  const chosen = live ?? listed[0];
  if (!chosen) throw new UsageError('there is no job to watch; start one with: baton run "…"');
  return chosen.record.id;
}

/**
 * Shows a job's steps and text from its beginning, live until it is over. Ctrl-C leaves the job alone.
 * With JSON: each event as a line, then the status.
 */
export async function watchJob(context: JobsContext, given: string | undefined): Promise<number> {
  const id = given ?? (await newestJob(context));
  const record = readRecord(context.stateDir, id);
  const paint = createPaint(process.stdout);
  const out = (text: string): void => {
    process.stdout.write(text);
  };
  const view = createLiveView({ paint, write: out, writeText: out });
  if (!context.json) out(`${paint.bold(`job ${id}`)} ${printable(firstLine(record.prompt))}\n`);
  const show = (event: StreamEvent): void => {
    if (context.json) out(`${JSON.stringify(event)}\n`);
    else view.show(event);
  };
  const follower = followEvents(jobFiles(context.stateDir, id).events, show);
  try {
    const status = await context.jobs.wait(id, { timeoutMs: Number.MAX_SAFE_INTEGER });
    follower.stop();
    view.end();
    if (context.json) out(statusJson(status));
    else printEnding(status, { quiet: false, shown: view.text });
    return status.state === 'done' ? 0 : 1;
  } finally {
    follower.stop();
  }
}
