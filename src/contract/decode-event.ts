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
import { type Fields, isFields, textOr } from './fields.ts';

const optionalText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const count = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);

/** Sets an optional field that is there; one that is absent stays absent. */
function put<T extends object, K extends keyof T>(into: T, key: K, value: T[K] | undefined): void {
  if (value !== undefined) into[key] = value;
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
  const envelope: Envelope = {
    conversation_id: textOr(value.conversation_id),
    status: textOr(value.status),
    response: textOr(value.response),
    duration_seconds: count(value.duration_seconds),
    num_turns: count(value.num_turns),
    usage: decodeUsage(value.usage) ?? {
      input_tokens: 0,
      output_tokens: 0,
      thinking_tokens: 0,
      cache_read_tokens: 0,
      total_tokens: 0,
    },
  };
  put(envelope, 'error', optionalText(value.error));
  put(envelope, 'structured_output', value.structured_output);
  put(envelope, 'json_schema', value.json_schema);
  put(envelope, 'denied_actions', decodeDenied(value.denied_actions));
  put(envelope, 'command', decodeCommand(value.command));
  return envelope;
}

function decodeInit(value: unknown): InitPayload | undefined {
  if (!isFields(value)) return undefined;
  const tools = Array.isArray(value.tools)
    ? value.tools.filter((t): t is string => typeof t === 'string')
    : [];
  const init: InitPayload = {
    cwd: textOr(value.cwd),
    tools,
    permission_mode: textOr(value.permission_mode),
  };
  put(init, 'model', optionalText(value.model));
  put(init, 'agent', optionalText(value.agent));
  put(init, 'json_schema', value.json_schema);
  put(init, 'expanded_commands', decodeExpanded(value.expanded_commands));
  return init;
}

function decodeExpanded(value: unknown): InitPayload['expanded_commands'] {
  if (!Array.isArray(value)) return undefined;
  return value.filter(isFields).map((entry) => ({ name: textOr(entry.name), type: textOr(entry.type) }));
}

function decodeToolInfo(value: unknown): ToolInfo | undefined {
  if (!isFields(value)) return undefined;
  const info: ToolInfo = { name: textOr(value.name) };
  if (isFields(value.parameters)) info.parameters = value.parameters;
  put(info, 'output', optionalText(value.output));
  if (isFields(value.error))
    info.error = { type: textOr(value.error.type), message: textOr(value.error.message) };
  return info;
}

type Subagent = SubagentInfo['subagents'][number];

function decodeSubagent(entry: Fields): Subagent {
  const subagent: Subagent = {};
  put(subagent, 'type_name', optionalText(entry.type_name));
  put(subagent, 'role', optionalText(entry.role));
  put(subagent, 'initial_prompt', optionalText(entry.initial_prompt));
  put(subagent, 'conversation_id', optionalText(entry.conversation_id));
  put(subagent, 'log_uri', optionalText(entry.log_uri));
  if (Array.isArray(entry.workspace_uris))
    subagent.workspace_uris = entry.workspace_uris.filter((uri): uri is string => typeof uri === 'string');
  return subagent;
}

function decodeSubagents(value: unknown): SubagentInfo | undefined {
  if (!isFields(value) || !Array.isArray(value.subagents)) return undefined;
  return { subagents: value.subagents.filter(isFields).map(decodeSubagent) };
}

function decodeStep(value: unknown): StepUpdate | undefined {
  if (!isFields(value)) return undefined;
  const step: StepUpdate = {
    conversation_id: textOr(value.conversation_id),
    step_index: count(value.step_index),
    state: textOr(value.state),
    step_type: textOr(value.step_type) || 'unknown',
  };
  put(step, 'tool_name', optionalText(value.tool_name));
  put(step, 'text_delta', optionalText(value.text_delta));
  if (typeof value.duration_seconds === 'number') step.duration_seconds = value.duration_seconds;
  put(step, 'usage', decodeUsage(value.usage));
  put(step, 'tool_info', decodeToolInfo(value.tool_info));
  put(step, 'subagent_info', decodeSubagents(value.subagent_info));
  return step;
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
