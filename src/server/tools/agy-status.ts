import { isTerminal } from '../../contract/outcome.ts';
import type { ServerCore } from '../core.ts';
import { relayJobView } from '../relay/relay-view.ts';
import { statusView } from '../status-view.ts';
import type { ToolDefinition } from '../tool.ts';
import { LARGE_RESULT_META } from './large-result.ts';
import { JOB_ID_PROPERTY } from './run-properties.ts';
import { NOTE_PROPERTY, STATUS_PROPERTIES, STATUS_REQUIRED } from './status-properties.ts';

export const AGY_STATUS_TEXT = {
  title: 'Check an agy job',
  description: `Check how an agent job stands, without waiting. Cheap while it runs; afterwards each check sends the whole answer again, so collect it once. To wait use agy_wait, not repeated checks. offset and limit give a part of a long answer.`,
} as const;

export function agyStatus(core: ServerCore): ToolDefinition {
  return {
    name: 'agy_status',
    ...AGY_STATUS_TEXT,
    annotations: { readOnlyHint: true, openWorldHint: false },
    inputSchema: {
      type: 'object',
      properties: {
        job_id: JOB_ID_PROPERTY,
        offset: {
          type: 'integer',
          minimum: 0,
          description: 'First character to give: next_offset of an earlier reply.',
        },
        limit: {
          type: 'integer',
          minimum: 1,
          description: 'Characters to give at most.',
        },
      },
      required: ['job_id'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { ...STATUS_PROPERTIES, note: NOTE_PROPERTY },
      required: STATUS_REQUIRED,
      additionalProperties: false,
    },
    meta: { ...LARGE_RESULT_META, 'anthropic/searchHint': 'check status of agent job, read long result' },
    async run(args, call) {
      const jobs = await core.jobs();
      const status = await jobs.status(String(args.job_id));
      const offset = typeof args.offset === 'number' ? args.offset : undefined;
      const limit = typeof args.limit === 'number' ? args.limit : undefined;
      const part = offset === undefined && limit === undefined ? undefined : { offset: offset ?? 0, limit };
      const relay = await relayJobView(core, call.environment, status, { part });
      if (relay) return relay;
      const view = statusView(status, { stateDir: core.stateDir, environment: call.environment, part });
      // Short, for the sake of those who look often: one word on what is better than looking.
      const structured = isTerminal(status.state) ? view : { ...view, note: 'agy_wait returns when it ends' };
      return { structured };
    },
  };
}
