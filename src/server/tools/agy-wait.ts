import type { ServerCore } from '../core.ts';
import { jobAnswer } from '../job-answer.ts';
import type { ToolDefinition } from '../tool.ts';
import { parseWait } from '../wait-budget.ts';
import { readJob, waitForJob } from '../waiting.ts';
import { LARGE_RESULT_META } from './large-result.ts';
import { JOB_ID_PROPERTY, WAIT_PROPERTY } from './run-properties.ts';
import { WAIT_PROPERTIES, WAIT_REQUIRED } from './status-properties.ts';

export const AGY_WAIT_TEXT = {
  title: 'Wait for an agy job',
  description: `Wait until an agent job of agy_run is over and get its answer: one call instead of many agy_status checks. When the wait ends first, the job goes on: call again with the same job_id.`,
} as const;

export function agyWait(core: ServerCore): ToolDefinition {
  return {
    name: 'agy_wait',
    ...AGY_WAIT_TEXT,
    annotations: { readOnlyHint: true, openWorldHint: false },
    inputSchema: {
      type: 'object',
      properties: { job_id: JOB_ID_PROPERTY, wait: WAIT_PROPERTY },
      required: ['job_id'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: WAIT_PROPERTIES,
      required: WAIT_REQUIRED,
      additionalProperties: false,
    },
    meta: { ...LARGE_RESULT_META, 'anthropic/searchHint': 'wait for agent job to finish, get result' },
    async run(args, call) {
      const wantedMs = parseWait(args.wait);
      const status = await waitForJob(core, call, String(args.job_id), wantedMs);
      return jobAnswer(core, call.environment, status);
    },
    startTask: (args) => {
      parseWait(args.wait);
      return readJob(core, String(args.job_id));
    },
  };
}
