import type { PropertySchema } from '../tool.ts';

/** The arguments that both running tools take. Texts are data: what a model reads when it fills them in. */
export const RUN_PROPERTIES = {
  prompt: {
    type: 'string',
    description:
      'The whole task, able to stand alone: the agent sees nothing of this conversation. Sent literally; a leading slash is text, not a command.',
  },
  model: {
    type: 'string',
    description:
      'Model id from list_models. Leave out for the configured default. Give ids, not labels: a label fails together with effort.',
  },
  effort: { type: 'string', description: 'Reasoning effort: low, medium or high.' },
  mode: {
    type: 'string',
    description:
      'accept-edits, or plan for a run that only reads and proposes. Leave out for the normal mode.',
  },
  agent: { type: 'string', description: 'Name of one of the agent program’s own agents to run as.' },
  sandbox: { type: 'boolean', description: 'Restrict the terminal commands of the run. Default false.' },
  dirs: {
    type: 'array',
    items: { type: 'string' },
    description: 'Further folders that the agent may read and write, besides cwd.',
  },
  max_turns: { type: 'integer', description: 'Cap: calls of the model. Where the backend has caps.' },
  max_tokens: { type: 'integer', description: 'Cap: tokens in total.' },
  max_cost: { type: 'number', description: 'Cap: cost in US dollars.' },
  conversation_id: {
    type: 'string',
    description:
      'Continue this conversation (from an earlier result or list_sessions) instead of beginning a fresh one. Two runs on one conversation cannot overlap.',
  },
  continue_latest: {
    type: 'boolean',
    description: 'Continue the newest conversation of cwd. Not together with conversation_id.',
  },
  cwd: {
    type: 'string',
    description: 'Folder to run in. Default: the folder this server was started in.',
  },
  timeout: {
    type: 'string',
    description:
      'Hard time limit of the run as a Go duration, such as 20m or 1h30m; at its end the whole process tree is killed. Default 30m, at most 24h.',
  },
  json_schema: {
    type: 'string',
    description: 'A JSON Schema, inline or as the path of a file, that the result must follow.',
  },
  backend: {
    type: 'string',
    description: 'Which agent program runs it: agy or baton. Leave out for the configured one.',
  },
  request_id: {
    type: 'string',
    description:
      'A key of your own. The same key finds the job it started before instead of starting another, so a call whose reply was lost can safely be repeated.',
  },
  queue: {
    type: 'boolean',
    description:
      'true: wait in the queue for a free place, and also for another job on the same conversation. false: be refused instead of waiting. Default: wait for a free place, be refused for a busy conversation.',
  },
} as const satisfies Record<string, PropertySchema>;

export const WAIT_PROPERTY: PropertySchema = {
  type: 'string',
  description:
    'How long to wait inline, as a Go duration such as 90s. Default 2m, at most 10m, and never longer than the calling client tolerates. It bounds the wait, never the job.',
};

export const JOB_ID_PROPERTY: PropertySchema = {
  type: 'string',
  description: 'The job_id that agy_run or agy_run_sync returned.',
};
