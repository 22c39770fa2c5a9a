import { type DeniedAction, type Envelope, emptyUsage, type Usage } from '../../contract/events.ts';

export interface EnvelopeFields {
  conversationId: string;
  status: string;
  response: string;
  error?: string | undefined;
  durationMs: number;
  turns: number;
  usage: Usage;
  structuredOutput?: unknown;
  jsonSchema?: unknown;
  denied: readonly DeniedAction[];
}

/** Milliseconds as the contract's seconds, to the microsecond. */
export function toSeconds(ms: number): number {
  return Math.round(ms * 1000) / 1e6;
}

/** The terminal object of a turn; fields without a value are left out. */
export function buildEnvelope(fields: EnvelopeFields): Envelope {
  return {
    conversation_id: fields.conversationId,
    status: fields.status,
    response: fields.response,
    ...(fields.error !== undefined && { error: fields.error }),
    duration_seconds: toSeconds(fields.durationMs),
    num_turns: fields.turns,
    ...(fields.structuredOutput !== undefined && { structured_output: fields.structuredOutput }),
    ...(fields.jsonSchema !== undefined && { json_schema: fields.jsonSchema }),
    usage: fields.usage,
    ...(fields.denied.length > 0 && { denied_actions: [...fields.denied] }),
  };
}

/** The envelope of a run that never had a turn. */
export function earlyEnvelope(fields: { status: string; response?: string; error?: string }): Envelope {
  return buildEnvelope({
    conversationId: '',
    status: fields.status,
    response: fields.response ?? '',
    error: fields.error,
    durationMs: 0,
    turns: 0,
    usage: emptyUsage(),
    denied: [],
  });
}
