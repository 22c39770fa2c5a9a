import type { Envelope, StreamEvent } from '../contract/events.ts';

/** Text kept of a run's stream; what is longer is cut from its end and said so. */
export const MAX_TEXT_CHARS = 32 * 1024 * 1024;

/** What a run's events say so far. A plain value: folding the same events gives the same summary. */
export interface EventSummary {
  /** The conversation named by the newest event that names one. */
  conversationId?: string;
  /** The conversation that the run named before it went on in another one. */
  leftConversation?: string;
  /** The model that `init` names. */
  model?: string;
  sawInit: boolean;
  /** All text pieces of the agent's answers, in order. */
  text: string;
  textCut: boolean;
  /** The last result event: the one that counts. */
  result?: Envelope;
  /** The last result event that reported success: kept, because an agent that is stopped after it may report an
   * interruption on top. */
  lastSuccess?: Envelope;
  /** A model API failure was reported as a step of this run. */
  sawErrorStep: boolean;
  /** The text of the newest API failure step, for an ending without a result. */
  lastErrorText?: string;
  lastStepType?: string;
  lastToolName?: string;
  events: number;
}

export function emptySummary(): EventSummary {
  return { sawInit: false, text: '', textCut: false, sawErrorStep: false, events: 0 };
}

/** The newest id counts: an agent may go on in another conversation than the one that it named first. */
function noteConversation(summary: EventSummary, id: string): void {
  if (id === '' || id === summary.conversationId) return;
  if (summary.conversationId !== undefined) summary.leftConversation = summary.conversationId;
  summary.conversationId = id;
}

/** Adds one event to the summary, in place. Only `agent_response` text is answer text; tool steps carry none. */
export function foldEvent(summary: EventSummary, event: StreamEvent): void {
  summary.events++;
  switch (event.event) {
    case 'init':
      summary.sawInit = true;
      if (event.conversation_id) summary.conversationId = event.conversation_id;
      if (event.init.model) summary.model = event.init.model;
      return;
    case 'step_update': {
      const step = event.step_update;
      noteConversation(summary, step.conversation_id);
      summary.lastStepType = step.step_type;
      summary.lastToolName = step.tool_name ?? step.tool_info?.name;
      if (step.step_type === 'error_message') {
        summary.sawErrorStep = true;
        if (step.text_delta) summary.lastErrorText = step.text_delta;
      }
      if (step.step_type !== 'agent_response' || !step.text_delta) return;
      if (summary.text.length + step.text_delta.length > MAX_TEXT_CHARS) summary.textCut = true;
      else summary.text += step.text_delta;
      return;
    }
    case 'result':
      summary.result = event.result;
      if (event.result.status === 'SUCCESS') summary.lastSuccess = event.result;
      noteConversation(summary, event.result.conversation_id);
      return;
    case 'command_result':
      return;
  }
}
