import { runQuestion } from '../confirm/question.ts';
import type { ServerCore } from '../core.ts';
import { jobAnswer } from '../job-answer.ts';
import { readRunArguments } from '../run-arguments.ts';
import { startToolRun } from '../start-tool-run.ts';
import type { ToolDefinition } from '../tool.ts';
import { parseWait } from '../wait-budget.ts';
import { waitForJob } from '../waiting.ts';
import { LARGE_RESULT_META } from './large-result.ts';
import { RUN_PROPERTIES, WAIT_PROPERTY } from './run-properties.ts';
import { WAIT_PROPERTIES, WAIT_REQUIRED } from './status-properties.ts';

export const AGY_RUN_SYNC_TEXT = {
  title: 'Delegate to agy (wait inline)',
  description: `Run an agent job and wait for its answer: hand a task (peer review, second opinion, research) to another coding agent. For what you need before going on; agy_run starts the same without waiting. A run that outlives the wait goes on: its job_id comes back, for agy_wait or agy_status. It works with permission checks off: it may edit files under cwd and dirs, run commands and reach the network. Set mode to plan when nothing may change.`,
} as const;

export function agyRunSync(core: ServerCore): ToolDefinition {
  return {
    name: 'agy_run_sync',
    ...AGY_RUN_SYNC_TEXT,
    annotations: { destructiveHint: true, openWorldHint: true },
    inputSchema: {
      type: 'object',
      properties: { ...RUN_PROPERTIES, wait: WAIT_PROPERTY },
      required: ['prompt'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: WAIT_PROPERTIES,
      required: WAIT_REQUIRED,
      additionalProperties: false,
    },
    meta: { ...LARGE_RESULT_META, 'anthropic/searchHint': 'run agent job and wait for answer, peer review' },
    question: (args) => runQuestion(readRunArguments(args, core.cwd), core.environment, core.cwd),
    async run(args, call) {
      const wantedMs = parseWait(args.wait);
      const request = readRunArguments(args, core.cwd);
      const started = await startToolRun(core, call, 'agy_run_sync', args, request);
      const status = await waitForJob(core, call, started.job_id, wantedMs, started);
      return jobAnswer(core, call.environment, status);
    },
    startTask: (args, call) => {
      parseWait(args.wait);
      return startToolRun(core, call, 'agy_run_sync', args, readRunArguments(args, core.cwd));
    },
  };
}
