import type { PropertySchema } from '../tool.ts';

/** The arguments that both running tools take. Texts are data: what a model reads when it fills them in. */
export const RUN_PROPERTIES = {
  prompt: {
    type: 'string',
    description: 'The whole task: the agent sees nothing of this conversation. A leading slash is text.',
  },
  model: {
    type: 'string',
    description: 'Model id from list_models. Default: the configured one.',
  },
  effort: { type: 'string', description: 'low, medium or high.' },
  mode: {
    type: 'string',
    description: 'plan (only reads and proposes) or accept-edits.',
  },
  agent: { type: 'string', description: 'One of the agent program’s own agents.' },
  sandbox: { type: 'boolean', description: 'Restrict terminal commands. Default false.' },
  dirs: {
    type: 'array',
    items: { type: 'string' },
    description: 'Further folders to read and write.',
  },
  max_turns: { type: 'integer', description: 'Cap on model calls, where the backend has caps.' },
  max_tokens: { type: 'integer', description: 'Cap on tokens.' },
  max_cost: { type: 'number', description: 'Cap in US dollars.' },
  conversation_id: {
    type: 'string',
    description: 'Conversation to continue, of an earlier result or list_sessions; its runs cannot overlap.',
  },
  continue_latest: {
    type: 'boolean',
    description: 'Continue the newest conversation of cwd; not with conversation_id.',
  },
  cwd: {
    type: 'string',
    description: 'Folder to run in. Default: the server’s.',
  },
  timeout: {
    type: 'string',
    description: 'Hard limit as a Go duration (20m, 1h30m). Default 30m, at most 24h.',
  },
  json_schema: {
    type: 'string',
    description: 'JSON Schema of the result, inline or a file path.',
  },
  backend: {
    type: 'string',
    description: 'agy or baton. Default: the configured one.',
  },
  request_id: {
    type: 'string',
    description: 'Your own key: the same key finds the same job again.',
  },
  queue: {
    type: 'boolean',
    description: 'true: wait for a busy conversation too. false: never wait. Default: wait for a free place.',
  },
} as const satisfies Record<string, PropertySchema>;

export const WAIT_PROPERTY: PropertySchema = {
  type: 'string',
  description: 'Longest wait as a Go duration (90s). Default 2m, at most 10m. Never bounds the job.',
};

export const JOB_ID_PROPERTY: PropertySchema = {
  type: 'string',
  description: 'The job_id that agy_run or agy_run_sync returned.',
};
