import { JOB_STATES } from '../../contract/outcome.ts';
import type { ServerCore } from '../core.ts';
import { listRows } from '../job-rows.ts';
import type { ToolDefinition } from '../tool.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 200;

export const AGY_JOBS_TEXT = {
  title: 'List agy jobs',
  description: `List agent jobs of all clients on this machine, newest first, to find a lost job_id; agy_wait or agy_status then collects the answer.`,
} as const;

const ROW_PROPERTIES = {
  job_id: { type: 'string', description: 'The job, for agy_wait, agy_status and agy_cancel.' },
  kind: { type: 'string', description: 'The tool or command that started it.' },
  state: { type: 'string', enum: JOB_STATES, description: 'State of the job.' },
  age: { type: 'string', description: 'Time since it was accepted, as a Go duration.' },
  elapsed: { type: 'string', description: 'How long it ran or has been running, as a Go duration.' },
  cwd: { type: 'string', description: 'Folder it runs in.' },
  prompt: { type: 'string', description: 'First line of the task.' },
  conversation_id: { type: 'string', description: 'Conversation of the run, where known.' },
  model: { type: 'string', description: 'Model it was given, where one was pinned.' },
  backend: { type: 'string', description: 'Agent program that runs it.' },
  failure_reason: { type: 'string', description: 'Class of the failure, when it failed.' },
} as const;

export function agyJobs(core: ServerCore): ToolDefinition {
  return {
    name: 'agy_jobs',
    ...AGY_JOBS_TEXT,
    annotations: { readOnlyHint: true, openWorldHint: false },
    inputSchema: {
      type: 'object',
      properties: {
        state: {
          type: 'string',
          enum: ['live', ...JOB_STATES],
          description: 'Only jobs in this state; live = queued or running.',
        },
        cwd: { type: 'string', description: 'Only jobs of this folder.' },
        conversation_id: { type: 'string', description: 'Only jobs on this conversation.' },
        contains: { type: 'string', description: 'Only jobs whose task contains this, case ignored.' },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: MAX_LIMIT,
          description: `How many at most. Default ${DEFAULT_LIMIT}.`,
        },
      },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        jobs: {
          type: 'array',
          description: 'Newest first; empty when none matches.',
          items: {
            type: 'object',
            properties: ROW_PROPERTIES,
            required: ['job_id', 'kind', 'state', 'age', 'elapsed', 'cwd', 'prompt', 'backend'],
            additionalProperties: false,
          },
        },
        total: { type: 'integer', description: 'How many matched, the left out ones included.' },
      },
      required: ['jobs', 'total'],
      additionalProperties: false,
    },
    meta: { 'anthropic/searchHint': 'list agent jobs, find lost job id' },
    async run(args) {
      const { rows, total } = await listRows(
        await core.jobs(),
        {
          state: typeof args.state === 'string' ? args.state : undefined,
          cwd: typeof args.cwd === 'string' && args.cwd !== '' ? args.cwd : undefined,
          conversationId: typeof args.conversation_id === 'string' ? args.conversation_id : undefined,
          contains: typeof args.contains === 'string' ? args.contains : undefined,
        },
        typeof args.limit === 'number' ? args.limit : DEFAULT_LIMIT,
        core.cwd,
      );
      return { structured: { jobs: rows, total } };
    },
  };
}
