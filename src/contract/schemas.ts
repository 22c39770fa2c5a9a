import { RUN_STATUSES, STEP_STATES } from './events.ts';

/**
 * JSON Schema (2020-12) of everything that a headless agent of this contract writes: what `baton-agent` must satisfy, and
 * what a stand-in is held to. Strict where the contract is closed; readers are tolerant (decode-event.ts).
 */
type Schema = Record<string, unknown>;

const text: Schema = { type: 'string' };
const count: Schema = { type: 'integer', minimum: 0 };
const seconds: Schema = { type: 'number', minimum: 0 };

function object(properties: Record<string, Schema>, optional: string[] = []): Schema {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
    additionalProperties: false,
  };
}

export const usageSchema: Schema = object({
  input_tokens: count,
  output_tokens: count,
  thinking_tokens: count,
  cache_read_tokens: count,
  total_tokens: count,
});

const commandSchema: Schema = object({ name: text, data: {} });

const deniedActionSchema: Schema = object({ action: text, display_name: text });

export const envelopeSchema: Schema = object(
  {
    conversation_id: text,
    status: { enum: [...RUN_STATUSES] },
    response: text,
    error: text,
    duration_seconds: seconds,
    num_turns: count,
    structured_output: {},
    json_schema: {},
    usage: usageSchema,
    denied_actions: { type: 'array', items: deniedActionSchema, minItems: 1 },
    command: commandSchema,
  },
  ['error', 'structured_output', 'json_schema', 'denied_actions', 'command'],
);

const initSchema: Schema = object(
  {
    cwd: text,
    tools: { type: 'array', items: text },
    permission_mode: { enum: ['request-review', 'always-proceed', 'strict'] },
    model: text,
    agent: text,
    json_schema: {},
    expanded_commands: { type: 'array', items: object({ name: text, type: text }) },
  },
  ['model', 'agent', 'json_schema', 'expanded_commands'],
);

const toolInfoSchema: Schema = object(
  {
    name: text,
    parameters: { type: 'object' },
    output: text,
    error: object({ type: text, message: text }),
  },
  ['parameters', 'output', 'error'],
);

const subagentSchema: Schema = object(
  {
    type_name: text,
    role: text,
    initial_prompt: text,
    conversation_id: text,
    log_uri: text,
    workspace_uris: { type: 'array', items: text },
  },
  ['type_name', 'role', 'initial_prompt', 'conversation_id', 'log_uri', 'workspace_uris'],
);

const stepUpdateSchema: Schema = object(
  {
    conversation_id: text,
    step_index: count,
    state: { enum: [...STEP_STATES] },
    // An open set: new step types come with new versions.
    step_type: { type: 'string', minLength: 1 },
    tool_name: text,
    text_delta: text,
    duration_seconds: seconds,
    usage: usageSchema,
    tool_info: toolInfoSchema,
    subagent_info: object({ subagents: { type: 'array', items: subagentSchema } }),
  },
  ['tool_name', 'text_delta', 'duration_seconds', 'usage', 'tool_info', 'subagent_info'],
);

/** One line of `stream-json` output. */
export const streamEventSchema: Schema = {
  oneOf: [
    object({ event: { const: 'init' }, conversation_id: text, init: initSchema }),
    object({ event: { const: 'step_update' }, step_update: stepUpdateSchema }),
    object({ event: { const: 'result' }, result: envelopeSchema }),
    object({ event: { const: 'command_result' }, command: commandSchema }),
  ],
};

/** The `AGY_ERROR: {…}` object on stderr. */
export const agyErrorSchema: Schema = object({
  short_error: text,
  status: text,
  error_code: { type: 'integer' },
  code_kind: text,
  retryable: { type: 'boolean' },
  error_id: text,
});
