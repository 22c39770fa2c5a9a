import { errorMessage } from '../../platform/errors.ts';
import type { ServerCore } from '../core.ts';
import { type ToolDefinition, ToolError } from '../tool.ts';
import { JOB_ID_PROPERTY } from './run-properties.ts';

export const AGY_CANCEL_TEXT = {
  title: 'Cancel an agy job',
  description: `Stop an agent job of agy_run or agy_run_sync: it is asked to end, and after some seconds killed with all it started. The reply often still says running; agy_status has cancelled a moment later, and what the job left: read that before sending the task again. Files it wrote stay.`,
} as const;

export function agyCancel(core: ServerCore): ToolDefinition {
  return {
    name: 'agy_cancel',
    ...AGY_CANCEL_TEXT,
    annotations: { destructiveHint: true, idempotentHint: true, openWorldHint: false },
    inputSchema: {
      type: 'object',
      properties: { job_id: JOB_ID_PROPERTY },
      required: ['job_id'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        state: {
          type: 'string',
          description: 'State of the job after the request; unknown when it could not be read.',
        },
      },
      required: ['state'],
      additionalProperties: false,
    },
    meta: { 'anthropic/searchHint': 'stop cancel kill agent job' },
    async run(args) {
      const id = String(args.job_id);
      const jobs = await core.jobs();
      let status: Awaited<ReturnType<typeof jobs.cancel>>;
      try {
        status = await jobs.cancel(id);
      } catch (error) {
        throw new ToolError(`load job ${id} to cancel: ${errorMessage(error)}`);
      }
      return { structured: { state: status.state } };
    },
  };
}
