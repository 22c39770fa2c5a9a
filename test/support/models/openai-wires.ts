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

/** OpenAI's Chat Completions, as compatible servers stream them. */
export function chatReply(reply: ScriptedReply, model: string): WireReply {
  const base = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_790_000_000, model };
  const chunk = (delta: object, finish: string | null = null): SentEvent => ({
    data: { ...base, choices: [{ index: 0, delta, finish_reason: finish }] },
  });
  const begin = [chunk({ role: 'assistant', content: '' })];
  const reasoningName = reply.likeOllama ? 'reasoning' : 'reasoning_content';
  for (const piece of textPieces(reply.reasoning)) begin.push(chunk({ [reasoningName]: piece }));
  for (const piece of textPieces(reply.text)) begin.push(chunk({ content: piece }));
  for (const piece of textPieces(reply.refusal)) begin.push(chunk({ refusal: piece }));

  const end: SentEvent[] = [];
  const calls = reply.calls ?? [];
  calls.forEach((call, index) => {
    const [first, second] = halves(argumentsText(call));
    const id = callId(call, 'call');
    if (reply.likeOllama) {
      const whole = { name: call.name, arguments: argumentsText(call) };
      end.push(
        chunk({
          role: 'assistant',
          content: '',
          tool_calls: [{ id, index, type: 'function', function: whole }],
        }),
      );
      return;
    }
    end.push(
      chunk({
        tool_calls: [{ index, id, type: 'function', function: { name: call.name, arguments: '' } }],
      }),
    );
    end.push(chunk({ tool_calls: [{ index, function: { arguments: first } }] }));
    end.push(chunk({ tool_calls: [{ index, function: { arguments: second } }] }));
  });
  const finish = reply.finish === undefined ? (calls.length > 0 ? 'tool_calls' : 'stop') : reply.finish;
  if (finish !== null) end.push(chunk({}, finish));
  const { input, output, thinking, cacheRead } = { ...DEFAULT_USAGE, ...reply.usage };
  end.push({
    data: {
      ...base,
      choices: [],
      usage: {
        prompt_tokens: input,
        completion_tokens: output,
        total_tokens: input + output,
        ...(reply.likeOllama
          ? {}
          : {
              prompt_tokens_details: { cached_tokens: cacheRead },
              completion_tokens_details: { reasoning_tokens: thinking },
            }),
      },
    },
  });
  end.push({ data: '[DONE]' });
  const error = reply.error ?? {
    error: { message: 'the server is overloaded', type: 'server_error', code: 'overloaded' },
  };
  return { begin, end, error: { data: error } };
}

/** OpenAI's Responses. */
export function responsesReply(reply: ScriptedReply, model: string): WireReply {
  let sequence = 0;
  const event = (type: string, fields: object): SentEvent => ({
    event: type,
    data: { type, sequence_number: sequence++, ...fields },
  });
  const { input, output, thinking, cacheRead } = { ...DEFAULT_USAGE, ...reply.usage };
  const response = {
    id: 'resp_1',
    object: 'response',
    created_at: 1_790_000_000,
    model,
    output: [],
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cacheRead },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: thinking },
      total_tokens: input + output,
    },
  };
  const begin = [
    event('response.created', { response: { ...response, status: 'in_progress', usage: null } }),
  ];
  let index = 0;
  if (reply.reasoning !== undefined) {
    const item = { type: 'reasoning', id: 'rs_1', summary: [] };
    begin.push(event('response.output_item.added', { output_index: index, item }));
    const at = { item_id: 'rs_1', output_index: index, summary_index: 0 };
    begin.push(
      event('response.reasoning_summary_part.added', { ...at, part: { type: 'summary_text', text: '' } }),
    );
    for (const delta of textPieces(reply.reasoning)) {
      begin.push(event('response.reasoning_summary_text.delta', { ...at, delta }));
    }
    begin.push(
      event('response.reasoning_summary_part.done', {
        ...at,
        part: { type: 'summary_text', text: reply.reasoning },
      }),
    );
    begin.push(
      event('response.output_item.done', {
        output_index: index++,
        item: { ...item, encrypted_content: reply.signature ?? null },
      }),
    );
  }
  const said = reply.refusal ?? reply.text;
  if (said !== undefined) {
    const item = { type: 'message', id: 'msg_1', role: 'assistant', status: 'in_progress', content: [] };
    const at = { item_id: 'msg_1', output_index: index, content_index: 0 };
    begin.push(event('response.output_item.added', { output_index: index, item }));
    const kind = reply.refusal === undefined ? 'response.output_text.delta' : 'response.refusal.delta';
    for (const delta of textPieces(said)) begin.push(event(kind, { ...at, delta }));
    begin.push(
      event('response.output_item.done', { output_index: index++, item: { ...item, status: 'completed' } }),
    );
  }
  const end: SentEvent[] = [];
  for (const call of reply.calls ?? []) {
    const item = { type: 'function_call', id: `fc_${index}`, call_id: callId(call, 'call'), name: call.name };
    const args = argumentsText(call);
    end.push(
      event('response.output_item.added', {
        output_index: index,
        item: { ...item, arguments: '', status: 'in_progress' },
      }),
    );
    for (const delta of halves(args)) {
      end.push(
        event('response.function_call_arguments.delta', { item_id: item.id, output_index: index, delta }),
      );
    }
    end.push(
      event('response.output_item.done', {
        output_index: index++,
        item: { ...item, arguments: args, status: 'completed' },
      }),
    );
  }
  if (reply.finish === undefined) {
    end.push(event('response.completed', { response: { ...response, status: 'completed' } }));
  } else if (reply.finish !== null) {
    const reason = { incomplete_details: { reason: reply.finish } };
    end.push(event('response.incomplete', { response: { ...response, status: 'incomplete', ...reason } }));
  }
  const error = reply.error ?? {
    type: 'error',
    code: 'server_error',
    message: 'the server is overloaded',
    param: null,
  };
  return { begin, end, error: { event: 'error', data: { sequence_number: 99, ...error } } };
}
