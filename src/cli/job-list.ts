import { isTerminal, JOB_STATES } from '../contract/outcome.ts';
import { type JobRow, listRows } from '../server/job-rows.ts';
import type { JobsContext } from './commands/jobs.ts';
import { currentFolder } from './current-folder.ts';
import { createPaint, printable } from './paint.ts';
import { paintState } from './status-text.ts';

const DEFAULT_LIMIT = 20;

function column(rows: readonly JobRow[], value: (row: JobRow) => string, title: string): number {
  return Math.max(title.length, ...rows.map((row) => value(row).length));
}

/** Prints the jobs as a table that fits the terminal, or as JSON. */
export async function printList(context: JobsContext, state: string | undefined): Promise<number> {
  const { flags } = context;
  const { rows, total } = await listRows(
    context.jobs,
    { state, cwd: flags.text('cwd'), contains: flags.text('contains') },
    flags.number('limit') ?? DEFAULT_LIMIT,
    flags.has('cwd') ? currentFolder() : '/',
  );
  if (context.json) {
    process.stdout.write(`${JSON.stringify({ jobs: rows, total })}\n`);
    return 0;
  }
  if (rows.length === 0) {
    process.stdout.write(total === 0 ? 'no jobs\n' : '');
    return 0;
  }
  const paint = createPaint(process.stdout);
  const idWidth = column(rows, (row) => row.job_id, 'JOB');
  const ageWidth = column(rows, (row) => row.age, 'AGE');
  const stateWidth = Math.max(...JOB_STATES.map((word) => word.length));
  const columns = process.stdout.isTTY ? process.stdout.columns : 0;
  const room = columns > 0 ? Math.max(10, columns - idWidth - ageWidth - stateWidth - 4) : Infinity;
  const line = (id: string, word: string, age: string, text: string): string =>
    `${id.padEnd(idWidth)} ${word} ${age.padStart(ageWidth)} ${text.slice(0, room)}`;
  process.stdout.write(`${paint.dim(line('JOB', 'STATE'.padEnd(stateWidth), 'AGE', 'TASK'))}\n`);
  for (const row of rows) {
    const word = JOB_STATES.find((known) => known === row.state);
    const padding = ' '.repeat(Math.max(0, stateWidth - row.state.length));
    const shown = word ? `${paintState(paint, word)}${padding}` : row.state;
    const text =
      word && isTerminal(word) && row.failure_reason ? `[${row.failure_reason}] ${row.prompt}` : row.prompt;
    process.stdout.write(`${line(row.job_id, shown, row.age, printable(text))}\n`);
  }
  if (total > rows.length) process.stdout.write(paint.dim(`${total - rows.length} more: --limit ${total}\n`));
  return 0;
}
