import { formatElapsed } from '../../contract/duration.ts';
import { isFields } from '../../contract/fields.ts';
import { allJobIds, jobFiles } from '../../jobs/job-folder.ts';
import { followEvents } from '../event-follower.ts';
import { CommandError } from '../exit.ts';
import { jobFileList } from '../job-show.ts';
import { createLiveView } from '../live-view.ts';
import { type Paint, printable } from '../paint.ts';
import { addLines, serverCommand } from './add-lines.ts';
import type { DemoClient } from './demo-client.ts';
import { type DemoPlace, sampleFiles } from './demo-setup.ts';

export interface DemoOptions {
  place: DemoPlace;
  question: string;
  live: boolean;
  paint: Paint;
  out: (text: string) => void;
}

const FILE_NOTES: Readonly<Record<string, string>> = {
  'answer.txt': 'a long answer, whole',
  'events.ndjson': 'everything the agent said and did, written by the agent itself',
  'job.json': 'what was asked: durable before the call returned',
  'process.json': 'which process ran it',
  'result.json': 'how it ended: written last, in one step',
  'run.lock': 'held by the agent while it lived',
  'stderr.log': 'its diagnostics',
  started: 'proof that the agent was begun',
};

/** Shows the steps of the one job of a demo as they happen. @returns how to stop */
function showSteps(options: DemoOptions): () => void {
  const { place, paint, out } = options;
  const view = createLiveView({ paint, write: (text) => out(`  ${text}`) });
  let stop: (() => void) | undefined;
  const timer = setInterval(() => {
    const [id] = allJobIds(place.stateDir);
    if (id === undefined) return;
    clearInterval(timer);
    const follower = followEvents(jobFiles(place.stateDir, id).events, (event) => view.show(event));
    stop = () => follower.stop();
  }, 20);
  return () => {
    clearInterval(timer);
    stop?.();
  };
}

function indented(text: string): string {
  return printable(text)
    .split('\n')
    .map((line) => (line === '' ? '' : `  ${line}`))
    .join('\n');
}

function heading({ paint, out }: DemoOptions, title: string, detail = ''): void {
  out(`\n${paint.bold(title)}${detail ? ` ${paint.dim(detail)}` : ''}\n`);
}

function introduce(options: DemoOptions, client: DemoClient): void {
  const { place, out, paint, question, live } = options;
  const label = live ? 'your own model, real tools' : 'scripted model, real tools';
  out(`${paint.bold('Baton demo')} ${paint.yellow(`(${label})`)}\n`);
  if (!live)
    out(
      'No model is asked and nothing is sent anywhere: the words are scripted, the tools and their results are real.\n',
    );
  heading(options, 'Server', `${client.serverName}, over stdio, MCP ${client.protocol}`);
  out(`  ${serverCommand().join(' ')}\n`);
  const files = live ? [] : sampleFiles(place.workspace);
  heading(options, 'Repository', live ? place.workspace : `ttl-cache, a sample of ${files.length} files`);
  if (files.length > 0) out(`  ${files.join('  ')}\n`);
  heading(options, 'Question');
  out(`${indented(question)}\n`);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function showUsage(options: DemoOptions, reply: Record<string, unknown>): void {
  const { usage } = reply;
  const tokens = isFields(usage)
    ? `${String(usage.input_tokens)} tokens in, ${String(usage.output_tokens)} out${options.live ? '' : ' (scripted figures)'}`
    : 'no usage reported';
  heading(options, 'Usage');
  options.out(`  ${tokens}; ${text(reply.elapsed)}; conversation ${text(reply.conversation_id)}\n`);
}

function showFiles(options: DemoOptions, jobId: string): void {
  const { place, out, paint } = options;
  const { folder } = jobFiles(place.stateDir, jobId);
  heading(options, 'Files of the job', folder);
  for (const { name, bytes } of jobFileList(folder)) {
    out(`  ${name.padEnd(14)} ${String(bytes).padStart(7)}  ${paint.dim(FILE_NOTES[name] ?? '')}\n`);
  }
}

function showNextSteps(options: DemoOptions): void {
  const { out, paint, live } = options;
  const lines = addLines();
  heading(options, 'Add it to your client');
  out(`  Claude Code      ${paint.cyan(lines.claude)}\n`);
  out(`  Cursor, others   ${paint.cyan(lines.cursor)}\n`);
  if (!live) out(`  With your model  ${paint.cyan(lines.live)}\n`);
}

/**
 * Plays the demo: tools, question, live steps, answer, usage, files.
 * @throws {CommandError} when the run did not end well
 */
export async function showDemo(options: DemoOptions, client: DemoClient): Promise<void> {
  const { place, question, live, paint, out } = options;
  introduce(options, client);
  heading(options, 'Tools');
  for (const tool of await client.listTools()) out(`  ${tool.name.padEnd(16)} ${paint.dim(tool.title)}\n`);
  heading(options, 'agy_run_sync', 'the run is a job of its own; these are its steps, live');
  const started = performance.now();
  const stopSteps = showSteps(options);
  let reply: Record<string, unknown>;
  try {
    reply = await client.call(
      'agy_run_sync',
      { prompt: question, cwd: place.workspace, wait: '10m', ...(live && { mode: 'plan' }) },
      (message) => out(`  ${paint.dim(`progress: ${printable(message)}`)}\n`),
    );
  } finally {
    stopSteps();
  }
  const state = text(reply.state);
  if (state !== 'done') {
    throw new CommandError(
      `the run is ${state} after ${formatElapsed(performance.now() - started)}: ${text(reply.error) || text(reply.note)}`,
    );
  }
  heading(options, 'Answer', live ? '' : '(scripted words around what the tools really found)');
  out(`${indented(text(reply.result))}\n`);
  showUsage(options, reply);
  showFiles(options, text(reply.job_id));
  showNextSteps(options);
}
