/**
 * The headless protocol of `agy` print mode as types: what a headless agent writes on stdout with
 * `--output-format json` (one {@link Envelope}) and `stream-json` (one {@link StreamEvent} a line).
 * Source: the published headless mode reference, completed by measurements of agy 1.1.8 to 1.4.0 (docs/agent.md).
 */

/** Token counts of a step or a run. `output_tokens` includes `thinking_tokens`; `input_tokens` excludes
 * `cache_read_tokens`; `total_tokens` = input + output. All are whole tokens. */
export interface Usage {
  input_tokens: number;
  output_tokens: number;
  thinking_tokens: number;
  cache_read_tokens: number;
  total_tokens: number;
}

export const RUN_STATUSES = [
  'SUCCESS',
  'ERROR',
  'CANCELED',
  'INTERRUPTED',
  'INVALID',
  'WAITING',
  'RUNNING',
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** A tool call that the permission policy refused. Duplicates are merged; cumulative over a conversation. */
export interface DeniedAction {
  action: string;
  display_name: string;
}

/** What a command answered by the CLI itself returned (`models`, `/usage`, …). */
export interface CommandAnswer {
  name: string;
  data: unknown;
}

/** The terminal object of a turn: the whole of stdout in `json`, the payload of `result` in `stream-json`. */
export interface Envelope {
  /** Empty when the run failed before a conversation existed, or was answered by the CLI itself. */
  conversation_id: string;
  /** One of {@link RUN_STATUSES} as documented; readers must accept others. */
  status: string;
  /** Text of this turn only. */
  response: string;
  /** Set on failures only. */
  error?: string;
  /** Wall time in seconds, cumulative over a stdin session. */
  duration_seconds: number;
  /** Cumulative over the conversation. */
  num_turns: number;
  structured_output?: unknown;
  json_schema?: unknown;
  usage: Usage;
  denied_actions?: DeniedAction[];
  command?: CommandAnswer;
}

export interface InitPayload {
  cwd: string;
  tools: string[];
  permission_mode: string;
  model?: string;
  agent?: string;
  json_schema?: unknown;
  expanded_commands?: { name: string; type: string }[];
}

export const STEP_STATES = ['ACTIVE', 'DONE', 'ERROR'] as const;
/** @public */
export type StepState = (typeof STEP_STATES)[number];

/** The step types known today; the set is open, readers keep unknown ones. */
export const STEP_TYPES = [
  'user_input',
  'agent_response',
  'tool',
  'checkpoint',
  'system_message',
  'error_message',
  'subagent',
  'finish',
  'unknown',
] as const;
/** @public */
export type StepType = (typeof STEP_TYPES)[number];

export interface ToolInfo {
  name: string;
  /** The documented subset of the arguments, names in PascalCase. */
  parameters?: Record<string, unknown>;
  output?: string;
  error?: { type: string; message: string };
}

export interface SubagentInfo {
  subagents: {
    type_name?: string;
    role?: string;
    initial_prompt?: string;
    conversation_id?: string;
    log_uri?: string;
    workspace_uris?: string[];
  }[];
}

export interface StepUpdate {
  conversation_id: string;
  /** Rises over the whole conversation, resumes included; gaps are normal. */
  step_index: number;
  state: string;
  step_type: string;
  tool_name?: string;
  /** A piece of the answer; pieces never repeat, so their concatenation is the text. */
  text_delta?: string;
  duration_seconds?: number;
  usage?: Usage;
  tool_info?: ToolInfo;
  subagent_info?: SubagentInfo;
}

export interface InitEvent {
  event: 'init';
  conversation_id: string;
  init: InitPayload;
}
export interface StepUpdateEvent {
  event: 'step_update';
  step_update: StepUpdate;
}
export interface ResultEvent {
  event: 'result';
  result: Envelope;
}
export interface CommandResultEvent {
  event: 'command_result';
  command: CommandAnswer;
}
export type StreamEvent = InitEvent | StepUpdateEvent | ResultEvent | CommandResultEvent;

/** One prompt on stdin with `--input-format stream-json`: a whole turn. @public */
export interface UserInputEvent {
  event: 'user';
  message: { role?: 'user'; content: string | { type: 'text'; text: string }[] };
}

export function emptyUsage(): Usage {
  return { input_tokens: 0, output_tokens: 0, thinking_tokens: 0, cache_read_tokens: 0, total_tokens: 0 };
}

/** The sum of two usages, field by field; neither argument is changed. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    thinking_tokens: a.thinking_tokens + b.thinking_tokens,
    cache_read_tokens: a.cache_read_tokens + b.cache_read_tokens,
    total_tokens: a.total_tokens + b.total_tokens,
  };
}
