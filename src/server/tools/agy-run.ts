import { isTerminal } from '../../contract/outcome.ts';
import type { JobStatus } from '../../jobs/types.ts';
import { runQuestion } from '../confirm/question.ts';
import type { ServerCore } from '../core.ts';
import { readRunArguments } from '../run-arguments.ts';
import { startToolRun } from '../start-tool-run.ts';
import type { ToolDefinition } from '../tool.ts';
import type { ToolCall } from '../tool-call.ts';
import { RUN_PROPERTIES } from './run-properties.ts';

/** How long a fresh run is waited for to name its conversation. */
const CONVERSATION_WAIT_MS = 2000;

export const AGY_RUN_TEXT = {
  title: 'Delegate to agy (async)',
  description: `Run an agent job in the background: hand a task (peer review, second opinion, research, long work) to another coding agent and get a job_id at once, for agy_wait or agy_status; agy_run_sync waits in the same call. It works with permission checks off: it may edit files under cwd and dirs, run commands and reach the network. Set mode to plan when nothing may change.`,
} as const;

/** Waits until the run has named its conversation, ended, or the short wait is over. */
async function withConversation(core: ServerCore, call: ToolCall, job: JobStatus): Promise<JobStatus> {
  const known = (status: JobStatus): boolean =>
    Boolean(status.conversation_id) || isTerminal(status.state) || status.queue_position !== undefined;
  if (known(job)) return job;
  const jobs = await core.jobs();
  try {
    return await jobs.wait(job.job_id, {
      timeoutMs: CONVERSATION_WAIT_MS,
      signal: call.signal,
      until: known,
    });
  } catch {
    // The job is accepted; that its conversation is not known yet is no failure of the call.
    return job;
  }
}

/** `running` also for a run that has ended well meanwhile: the caller has yet to collect its answer. */
function stateWord(job: JobStatus): string {
  return job.state === 'done' ? 'running' : job.state;
}

export function agyRun(core: ServerCore): ToolDefinition {
  return {
    name: 'agy_run',
    ...AGY_RUN_TEXT,
    annotations: { destructiveHint: true, openWorldHint: true },
    inputSchema: {
      type: 'object',
      properties: RUN_PROPERTIES,
      required: ['prompt'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        job_id: { type: 'string', description: 'The job, for agy_wait, agy_status and agy_cancel.' },
        conversation_id: {
          type: 'string',
          description:
            'The conversation of the run, where it is known already; else agy_status has it in a moment.',
        },
        state: {
          type: 'string',
          description: 'running; queued = waits for a free place; failed or cancelled = it ended at once.',
        },
        queue_position: { type: 'integer', description: 'Place in the queue, from 1; only while queued.' },
        error: { type: 'string', description: 'Why the run failed at once.' },
      },
      required: ['job_id', 'state'],
      additionalProperties: false,
    },
    meta: { 'anthropic/searchHint': 'run delegate agent job background review research' },
    question: (args) => runQuestion(readRunArguments(args, core.cwd), core.environment, core.cwd),
    async run(args, call) {
      const request = readRunArguments(args, core.cwd);
      const started = await startToolRun(core, call, 'agy_run', args, request);
      const job = await withConversation(core, call, started);
      return {
        structured: {
          job_id: job.job_id,
          ...(job.conversation_id && { conversation_id: job.conversation_id }),
          state: stateWord(job),
          ...(job.queue_position !== undefined && { queue_position: job.queue_position }),
          ...(job.state === 'failed' && job.error && { error: job.error }),
        },
        link: { jobId: job.job_id, part: 'status', title: 'How the job stands' },
      };
    },
  };
}
