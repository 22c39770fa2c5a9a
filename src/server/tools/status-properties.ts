import { FAILURE_REASONS, JOB_STATES } from '../../contract/outcome.ts';
import type { PropertySchema } from '../tool.ts';

const USAGE: PropertySchema = {
  type: 'object',
  description: 'Token counts of the run as the agent accounts for them.',
  properties: {
    input_tokens: { type: 'integer', description: 'Tokens read, without the cached ones.' },
    output_tokens: { type: 'integer', description: 'Tokens written, thinking included.' },
    thinking_tokens: { type: 'integer', description: 'Tokens of thinking, a part of output_tokens.' },
    cache_read_tokens: { type: 'integer', description: 'Tokens read from the provider’s cache.' },
    total_tokens: { type: 'integer', description: 'Input and output together.' },
  },
  required: ['input_tokens', 'output_tokens', 'thinking_tokens', 'cache_read_tokens', 'total_tokens'],
  additionalProperties: false,
};

const DENIED: PropertySchema = {
  type: 'array',
  description: 'Tool calls that the agent’s permissions refused; what needed them was not done.',
  items: {
    type: 'object',
    properties: {
      action: { type: 'string', description: 'The refused action.' },
      display_name: { type: 'string', description: 'Its name for people.' },
    },
    required: ['action', 'display_name'],
    additionalProperties: false,
  },
};

/** How a job stands: the fields that the checking and the waiting tools share. */
export const STATUS_PROPERTIES: Readonly<Record<string, PropertySchema>> = {
  state: {
    type: 'string',
    enum: JOB_STATES,
    description: 'queued and running go on; done, failed and cancelled are final.',
  },
  elapsed: { type: 'string', description: 'Age of the job in whole seconds, as a Go duration such as 1m5s.' },
  queue_position: { type: 'integer', description: 'Place in the queue, from 1; only while queued.' },
  result: {
    type: 'string',
    description:
      'What the agent answered, or whatever text a failed or cancelled run left. Of a long answer its beginning.',
  },
  result_tail: { type: 'string', description: 'The end of a long answer; the middle is left out.' },
  result_length: { type: 'integer', description: 'Length of the whole answer in characters.' },
  result_path: { type: 'string', description: 'File that holds the whole of a long answer.' },
  next_offset: {
    type: 'integer',
    description: 'Where a long answer goes on: pass it to agy_status as offset. Absent at its end.',
  },
  structured_output: {
    description: 'The structured result of a run with json_schema: whatever JSON value the schema asks for.',
  },
  error: { type: 'string', description: 'Why the job failed or what the agent reported.' },
  failure_reason: {
    type: 'string',
    enum: FAILURE_REASONS,
    description: 'Class of the failure; present exactly when state is failed.',
  },
  recovery: {
    type: 'string',
    description: 'What to do next, for a failed or cancelled job that left no text.',
  },
  conversation_id: {
    type: 'string',
    description: 'The conversation of the run; pass it to a later run to continue there.',
  },
  model: { type: 'string', description: 'Model that the run was given; absent when none was pinned.' },
  partial: {
    type: 'boolean',
    description:
      'true = result may not be trusted as the final answer: it was put together from the stream, or the run did not end well.',
  },
  num_turns: { type: 'integer', description: 'Turns of the conversation so far.' },
  usage: USAGE,
  step_type: { type: 'string', description: 'The last step seen: agent_response, tool, …' },
  tool_name: { type: 'string', description: 'The tool of that step, while the job runs.' },
  denied_actions: DENIED,
  notices: {
    type: 'array',
    items: { type: 'string' },
    description: 'What should be known about the run besides its answer.',
  },
  poll_after_ms: {
    type: 'integer',
    description:
      'While the job is not over: an earlier check says nothing new. agy_wait is better than checking.',
  },
};

export const STATUS_REQUIRED: readonly string[] = ['state', 'elapsed'];

export const NOTE_PROPERTY: PropertySchema = {
  type: 'string',
  description: 'Present while the job is not over: what to do. No failure.',
};

/** The same behind a job id, for the waiting tools. */
export const WAIT_PROPERTIES: Readonly<Record<string, PropertySchema>> = {
  job_id: { type: 'string', description: 'The job, for agy_wait, agy_status and agy_cancel.' },
  ...STATUS_PROPERTIES,
  note: NOTE_PROPERTY,
};

export const WAIT_REQUIRED: readonly string[] = ['job_id', ...STATUS_REQUIRED];
