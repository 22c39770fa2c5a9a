import type {
  CommandAnswer,
  DeniedAction,
  Envelope,
  InitPayload,
  StepUpdate,
  StreamEvent,
  SubagentInfo,
  ToolInfo,
  Usage,
} from './events.ts';
import { isFields, textOr } from './fields.ts';

const optionalText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const count = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);

/** Drops the keys whose value is undefined, so that an absent field stays absent. */
function compact<T extends object>(value: T): T {
  for (const [key, field] of Object.entries(value))
    if (field === undefined) Reflect.deleteProperty(value, key);
  return value;
}

export function decodeUsage(value: unknown): Usage | undefined {
  if (!isFields(value)) return undefined;
  return {
    input_tokens: count(value.input_tokens),
    output_tokens: count(value.output_tokens),
    thinking_tokens: count(value.thinking_tokens),
    cache_read_tokens: count(value.cache_read_tokens),
    total_tokens: count(value.total_tokens),
  };
}

function decodeDenied(value: unknown): DeniedAction[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value
    .filter(isFields)
    .map((entry) => ({ action: textOr(entry.action), display_name: textOr(entry.display_name) }))
    .filter((entry) => entry.action !== '' || entry.display_name !== '');
}

function decodeCommand(value: unknown): CommandAnswer | undefined {
  return isFields(value) && typeof value.name === 'string'
    ? { name: value.name, data: value.data }
    : undefined;
}

/**
 * Reads an envelope as tolerantly as it can be read: unknown fields are ignored, a field of a wrong type counts as
 * absent. Undefined when the value is no envelope at all (no object, or none of its telling fields).
 */
export function decodeEnvelope(value: unknown): Envelope | undefined {
  if (!isFields(value)) return undefined;
  if (!('status' in value || 'response' in value || 'error' in value || 'usage' in value)) return undefined;
  const usage = decodeUsage(value.usage);
  return compact<Envelope>({
    conversation_id: textOr(value.conversation_id),
    status: textOr(value.status),
    response: textOr(value.response),
    error: optionalText(value.error),
    duration_seconds: count(value.duration_seconds),
    num_turns: count(value.num_turns),
    structured_output: value.structured_output,
    json_schema: value.json_schema,
    usage: usage ?? {
      input_tokens: 0,
      output_tokens: 0,
      thinking_tokens: 0,
      cache_read_tokens: 0,
      total_tokens: 0,
    },
    denied_actions: decodeDenied(value.denied_actions),
    command: decodeCommand(value.command),
  });
}

function decodeInit(value: unknown): InitPayload | undefined {
  if (!isFields(value)) return undefined;
  const tools = Array.isArray(value.tools)
    ? value.tools.filter((t): t is string => typeof t === 'string')
    : [];
  return compact<InitPayload>({
    cwd: textOr(value.cwd),
    tools,
    permission_mode: textOr(value.permission_mode),
    model: optionalText(value.model),
    agent: optionalText(value.agent),
    json_schema: value.json_schema,
    expanded_commands: decodeExpanded(value.expanded_commands),
  });
}

function decodeExpanded(value: unknown): InitPayload['expanded_commands'] {
  if (!Array.isArray(value)) return undefined;
  return value.filter(isFields).map((entry) => ({ name: textOr(entry.name), type: textOr(entry.type) }));
}

function decodeToolInfo(value: unknown): ToolInfo | undefined {
  if (!isFields(value)) return undefined;
  const error = isFields(value.error)
    ? { type: textOr(value.error.type), message: textOr(value.error.message) }
    : undefined;
  return compact<ToolInfo>({
    name: textOr(value.name),
    parameters: isFields(value.parameters) ? value.parameters : undefined,
    output: optionalText(value.output),
    error,
  });
}

function decodeSubagents(value: unknown): SubagentInfo | undefined {
  if (!isFields(value) || !Array.isArray(value.subagents)) return undefined;
  return {
    subagents: value.subagents.filter(isFields).map((entry) =>
      compact({
        type_name: optionalText(entry.type_name),
        role: optionalText(entry.role),
        initial_prompt: optionalText(entry.initial_prompt),
        conversation_id: optionalText(entry.conversation_id),
        log_uri: optionalText(entry.log_uri),
        workspace_uris: Array.isArray(entry.workspace_uris)
          ? entry.workspace_uris.filter((uri): uri is string => typeof uri === 'string')
          : undefined,
      }),
    ),
  };
}

function decodeStep(value: unknown): StepUpdate | undefined {
  if (!isFields(value)) return undefined;
  return compact<StepUpdate>({
    conversation_id: textOr(value.conversation_id),
    step_index: count(value.step_index),
    state: textOr(value.state),
    step_type: textOr(value.step_type) || 'unknown',
    tool_name: optionalText(value.tool_name),
    text_delta: optionalText(value.text_delta),
    duration_seconds: typeof value.duration_seconds === 'number' ? value.duration_seconds : undefined,
    usage: decodeUsage(value.usage),
    tool_info: decodeToolInfo(value.tool_info),
    subagent_info: decodeSubagents(value.subagent_info),
  });
}

/**
 * One decoded line of `stream-json` output as an event, or undefined for anything else (an unknown event name, a known
 * one without its payload). Tolerant: foreign fields are dropped, wrong types count as absent, nothing throws.
 */
export function decodeEvent(value: unknown): StreamEvent | undefined {
  if (!isFields(value)) return undefined;
  switch (value.event) {
    case 'init': {
      const init = decodeInit(value.init);
      return init && { event: 'init', conversation_id: textOr(value.conversation_id), init };
    }
    case 'step_update': {
      const step = decodeStep(value.step_update);
      return step && { event: 'step_update', step_update: step };
    }
    case 'result': {
      const result = decodeEnvelope(value.result);
      return result && { event: 'result', result };
    }
    case 'command_result': {
      const command = decodeCommand(value.command);
      return command && { event: 'command_result', command };
    }
    default:
      return undefined;
  }
}
