import type { StepUpdate } from '../../contract/events.ts';
import { isFields, textOr } from '../../contract/fields.ts';
import type { Checkpoint } from '../context/compaction.ts';
import type { Conversation } from '../conversations/store.ts';
import type { LoopEvent } from '../loop/types.ts';
import type { ToolCall } from '../models/types.ts';
import { isSubagentOutcome } from '../subagents/types.ts';
import type { ToolOutcome } from '../tools/types.ts';
import { toSeconds } from './envelope.ts';

/** A tool's output is shown up to this many characters; the conversation keeps what the model got. */
const SHOWN_OUTPUT = 8 * 1024;

const SUBAGENT_TOOL = 'invoke_subagent';
/** Tools whose steps have a type of their own. */
const STEP_TYPES: Record<string, string> = { finish: 'finish', [SUBAGENT_TOOL]: 'subagent' };

function shorten(output: string): string {
  if (output.length <= SHOWN_OUTPUT) return output;
  let cut = output.length - SHOWN_OUTPUT;
  // Not between the halves of a surrogate pair.
  if (/[\uDC00-\uDFFF]/.test(output.charAt(cut))) cut++;
  return `<truncated ${Buffer.byteLength(output.slice(0, cut))} bytes>${output.slice(cut)}`;
}

/** Steps of subagents name them instead of showing parameters and output. */
function activeInfo(call: ToolCall, parameters: Record<string, unknown>): Partial<StepUpdate> {
  if (call.name !== SUBAGENT_TOOL) return { tool_info: { name: call.name, parameters } };
  const list: unknown[] = Array.isArray(parameters.Subagents) ? parameters.Subagents : [];
  const subagents = list.filter(isFields).map((entry) => ({
    type_name: textOr(entry.TypeName) || 'self',
    role: textOr(entry.Role),
    initial_prompt: textOr(entry.Prompt),
  }));
  return { subagent_info: { subagents } };
}

interface OpenStep {
  index: number;
  parameters: Record<string, unknown>;
}

function toolFields(call: ToolCall): Pick<StepUpdate, 'step_type' | 'tool_name'> {
  return { step_type: STEP_TYPES[call.name] ?? 'tool', tool_name: call.name };
}

function toolInfo(call: ToolCall, step: OpenStep, outcome: ToolOutcome): Partial<StepUpdate> {
  if (isSubagentOutcome(outcome)) {
    return { subagent_info: { subagents: outcome.subagents }, usage: outcome.usage };
  }
  const info = { name: call.name, parameters: step.parameters };
  if (outcome.isError) {
    const message = shorten(outcome.errorMessage ?? outcome.output);
    return { tool_info: { ...info, error: { type: 'TOOL_ERROR', message } } };
  }
  return { tool_info: { ...info, output: shorten(outcome.displayOutput ?? outcome.output) } };
}

export interface Stepper {
  /** Records a prompt and shows its step. */
  prompt(text: string): void;
  onEvent(event: LoopEvent): void;
  /** Records a compaction and shows its step. */
  checkpoint(made: Checkpoint): void;
  /** The text of the reply that is streaming, or of the last one. */
  readonly text: string;
}

/**
 * Turns what happens in a turn into conversation records and steps. Every record is in the file before its step is
 * shown as ended. The last piece of a reply's text is held back until the reply ends, since it belongs to the DONE update.
 */
export function createStepper(conversation: Conversation, show: (update: StepUpdate) => void): Stepper {
  /** The reply that is streaming: its step, and the piece not shown yet. */
  let streaming: { index: number; held: string } | undefined;
  let text = '';
  const open = new Map<ToolCall, OpenStep>();

  const update = (index: number, fields: Omit<StepUpdate, 'conversation_id' | 'step_index'>): void =>
    show({ conversation_id: conversation.id, step_index: index, ...fields });

  const replyText = (piece: string): void => {
    if (!streaming) {
      streaming = { index: conversation.takeStep(), held: piece };
      text = piece;
      return;
    }
    update(streaming.index, { state: 'ACTIVE', step_type: 'agent_response', text_delta: streaming.held });
    streaming.held = piece;
    text += piece;
  };

  const endReply = (event: Extract<LoopEvent, { type: 'reply_done' | 'reply_cut' }>): void => {
    const step = streaming?.index ?? conversation.takeStep();
    const held = streaming?.held;
    streaming = undefined;
    const cut = event.type === 'reply_cut';
    if (cut) {
      conversation.append({ type: 'assistant', step, blocks: [{ type: 'text', text: event.text }], cut });
    } else {
      conversation.append({ type: 'assistant', step, blocks: event.reply.blocks, usage: event.usage });
    }
    update(step, {
      state: cut ? 'ERROR' : 'DONE',
      step_type: 'agent_response',
      ...(held !== undefined && { text_delta: held }),
      duration_seconds: toSeconds(event.durationMs),
      ...(!cut && { usage: event.usage }),
    });
  };

  const startTool = (call: ToolCall, parameters: Record<string, unknown>): void => {
    const step = { index: conversation.takeStep(), parameters };
    open.set(call, step);
    update(step.index, { state: 'ACTIVE', ...toolFields(call), ...activeInfo(call, parameters) });
  };

  const endTool = (event: Extract<LoopEvent, { type: 'tool_done' }>): void => {
    const step = open.get(event.call) ?? { index: conversation.takeStep(), parameters: {} };
    open.delete(event.call);
    conversation.append({ type: 'tool_result', step: step.index, result: event.result });
    update(step.index, {
      state: event.outcome.isError ? 'ERROR' : 'DONE',
      ...toolFields(event.call),
      duration_seconds: toSeconds(event.durationMs),
      ...toolInfo(event.call, step, event.outcome),
    });
  };

  const steer = (message: string): void => {
    const step = conversation.takeStep();
    conversation.append({ type: 'user', step, text: message, steering: true });
    update(step, { state: 'DONE', step_type: 'system_message' });
  };

  const noteAttempt = (message: string): void => {
    const step = conversation.takeStep();
    conversation.append({ type: 'note', step, kind: 'error_message', text: message });
    update(step, { state: 'ERROR', step_type: 'error_message' });
  };

  return {
    get text() {
      return text;
    },
    prompt(prompt) {
      const step = conversation.takeStep();
      text = '';
      conversation.append({ type: 'user', step, text: prompt });
      update(step, { state: 'DONE', step_type: 'user_input' });
    },
    checkpoint({ summary, firstKept, usage, durationMs }) {
      const step = conversation.takeStep();
      conversation.append({ type: 'compaction', step, summary, firstKept, usage });
      update(step, {
        state: 'DONE',
        step_type: 'checkpoint',
        duration_seconds: toSeconds(durationMs),
        usage,
      });
    },
    onEvent(event) {
      if (event.type === 'reply_text') replyText(event.text);
      else if (event.type === 'reply_done' || event.type === 'reply_cut') endReply(event);
      else if (event.type === 'tool_started') startTool(event.call, event.parameters);
      else if (event.type === 'tool_done') endTool(event);
      else if (event.type === 'steered') steer(event.text);
      else noteAttempt(event.error.message);
    },
  };
}
