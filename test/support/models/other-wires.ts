import {
  argumentsText,
  callId,
  DEFAULT_USAGE,
  halves,
  type ScriptedReply,
  type SentEvent,
  textPieces,
  type WireReply,
} from './script.ts';

/** Gemini's `streamGenerateContent`. */
export function googleReply(reply: ScriptedReply, model: string): WireReply {
  const { input, output, thinking, cacheRead } = { ...DEFAULT_USAGE, ...reply.usage };
  const usageMetadata = {
    promptTokenCount: input,
    // Unlike the others, Gemini does not count thoughts as part of the candidates.
    candidatesTokenCount: output - thinking,
    thoughtsTokenCount: thinking,
    cachedContentTokenCount: cacheRead,
    totalTokenCount: input + output,
  };
  const chunk = (parts: object[], finish?: string): SentEvent => ({
    data: {
      candidates: [{ index: 0, content: { role: 'model', parts }, ...(finish && { finishReason: finish }) }],
      usageMetadata,
      modelVersion: model,
      responseId: 'r1',
    },
  });
  const begin: SentEvent[] = [];
  for (const text of textPieces(reply.reasoning)) begin.push(chunk([{ text, thought: true }]));
  for (const text of textPieces(reply.refusal ?? reply.text)) begin.push(chunk([{ text }]));
  const parts = (reply.calls ?? []).map((call) => ({
    functionCall: { id: callId(call, 'fc'), name: call.name, args: call.arguments },
    ...(call.signature && { thoughtSignature: call.signature }),
  }));
  const end: SentEvent[] = parts.length > 0 ? [chunk(parts)] : [];
  const finish =
    reply.finish === undefined ? (reply.refusal === undefined ? 'STOP' : 'SAFETY') : reply.finish;
  if (finish !== null) end.push(chunk([{ text: '' }], finish));
  const error = reply.error ?? {
    error: { code: 503, message: 'the server is overloaded', status: 'UNAVAILABLE' },
  };
  return { begin, end, error: { data: error } };
}

/** Anthropic's Messages. */
export function anthropicReply(reply: ScriptedReply, model: string): WireReply {
  const event = (type: string, fields: object): SentEvent => ({ event: type, data: { type, ...fields } });
  const { input, output, thinking, cacheRead, cacheWrite } = { ...DEFAULT_USAGE, ...reply.usage };
  const usage = {
    input_tokens: input,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
  };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model, content: [], stop_reason: null };
  const begin = [
    event('message_start', {
      message: { ...message, stop_sequence: null, usage: { ...usage, output_tokens: 1 } },
    }),
    event('ping', {}),
  ];
  let index = 0;
  const block = (into: SentEvent[], start: object, deltas: object[]): void => {
    into.push(event('content_block_start', { index, content_block: start }));
    for (const delta of deltas) into.push(event('content_block_delta', { index, delta }));
    into.push(event('content_block_stop', { index }));
    index += 1;
  };
  if (reply.reasoning !== undefined) {
    block(begin, { type: 'thinking', thinking: '', signature: '' }, [
      ...textPieces(reply.reasoning).map((piece) => ({ type: 'thinking_delta', thinking: piece })),
      { type: 'signature_delta', signature: reply.signature ?? 'sig' },
    ]);
  }
  const said = reply.refusal ?? reply.text;
  if (said !== undefined) {
    const deltas = textPieces(said).map((text) => ({ type: 'text_delta', text }));
    block(begin, { type: 'text', text: '' }, deltas);
  }
  const end: SentEvent[] = [];
  const calls = reply.calls ?? [];
  for (const call of calls) {
    const start = { type: 'tool_use', id: callId(call, 'toolu'), name: call.name, input: {} };
    block(
      end,
      start,
      halves(argumentsText(call)).map((part) => ({ type: 'input_json_delta', partial_json: part })),
    );
  }
  const usual = reply.refusal === undefined ? (calls.length > 0 ? 'tool_use' : 'end_turn') : 'refusal';
  const finish = reply.finish === undefined ? usual : reply.finish;
  if (finish !== null) {
    const final = { output_tokens: output, output_tokens_details: { thinking_tokens: thinking } };
    end.push(event('message_delta', { delta: { stop_reason: finish, stop_sequence: null }, usage: final }));
    end.push(event('message_stop', {}));
  }
  const error = reply.error ?? { error: { type: 'overloaded_error', message: 'the server is overloaded' } };
  return { begin, end, error: event('error', error) };
}
