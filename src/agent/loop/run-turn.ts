import type { Message } from '../models/types.ts';
import { ModelError } from '../models/types.ts';
import { type StreamedReply, streamReply } from './reply.ts';
import { runToolCalls } from './tool-calls.ts';
import type { TurnEnd, TurnOptions } from './types.ts';

/**
 * One turn: the model replies, the tools it calls are run, and so on until it replies without a call. The loop does no
 * I/O and decides nothing: messages come in, events go out, hooks allow, cap and shorten.
 * @throws {ModelError} the model failed, an abort included; {@link CapReachedError}; or what a hook or `onEvent` threw
 */
export async function runTurn(options: TurnOptions): Promise<TurnEnd> {
  let messages: Message[] = [...options.messages];
  for (let callsMade = 0; ; callsMade++) {
    messages = (await options.hooks.beforeModel?.(messages, callsMade)) ?? messages;
    let streamed: StreamedReply;
    try {
      streamed = await streamReply(options, messages);
    } catch (error) {
      if (!(error instanceof ModelError) || error.kind !== 'context_overflow') throw error;
      const shorter = await options.hooks.onOverflow?.(messages);
      if (!shorter) throw error;
      messages = shorter;
      streamed = await streamReply(options, messages);
    }
    const { reply, text, reason } = streamed;
    if (reply.blocks.length > 0) messages.push(reply);
    const calls = reply.blocks.filter((block) => block.type === 'tool_call');
    if (calls.length > 0) {
      messages.push({ role: 'tool', results: await runToolCalls(options, calls) });
      continue;
    }
    const more = reason === 'stop' ? await options.hooks.afterReply?.(reply) : undefined;
    if (more === undefined) return { text, reason: reason === 'tool_calls' ? 'stop' : reason };
    messages.push({ role: 'user', text: more });
  }
}
