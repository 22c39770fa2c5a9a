import type { Message } from '../models/types.ts';
import { ModelError } from '../models/types.ts';
import { type StreamedReply, streamReply } from './reply.ts';
import { runToolCalls } from './tool-calls.ts';
import type { TurnEnd, TurnOptions } from './types.ts';

const TOOLS_REFUSED = /(not|n't) support (\w+ )?(tools?|function call)|tool (use|calling) is not supported/i;

interface Answered {
  streamed: StreamedReply;
  messages: Message[];
}

/** One reply, with the two refusals that can be mended: a request that is too long, and tools that the model has not. */
async function askModel(options: TurnOptions, messages: Message[]): Promise<Answered> {
  const { hooks } = options;
  try {
    return { streamed: await streamReply(options, messages), messages };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    if (error.kind === 'context_overflow') {
      const shorter = await hooks.onOverflow?.(messages);
      if (shorter) return { streamed: await streamReply(options, shorter), messages: shorter };
    }
    const refused = error.kind === 'invalid_request' && TOOLS_REFUSED.test(error.message);
    if (refused && hooks.onToolsRefused?.(error)) {
      return { streamed: await streamReply(options, messages), messages };
    }
    throw error;
  }
}

/**
 * One turn: the model replies, the tools it calls are run, and so on until it replies without a call. The loop does no
 * I/O and decides nothing: messages come in, events go out, hooks allow, cap and shorten.
 * @throws {ModelError} the model failed, an abort included; {@link CapReachedError}; or what a hook or `onEvent` threw
 */
export async function runTurn(options: TurnOptions): Promise<TurnEnd> {
  const { hooks } = options;
  let messages: Message[] = [...options.messages];
  for (let callsMade = 0; ; callsMade++) {
    messages = (await hooks.beforeModel?.(messages, callsMade)) ?? messages;
    const answered = await askModel(options, messages);
    messages = answered.messages;
    const { reply, text, reason } = answered.streamed;
    if (reply.blocks.length > 0) messages.push(reply);
    const calls = reply.blocks.filter((block) => block.type === 'tool_call');
    if (calls.length > 0) {
      messages.push({ role: 'tool', results: await runToolCalls(options, calls) });
      if (hooks.isAnswered?.()) return { text, reason: 'stop' };
      continue;
    }
    const more = reason === 'stop' ? hooks.afterReply?.(text) : undefined;
    if (more === undefined) return { text, reason: reason === 'tool_calls' ? 'stop' : reason };
    options.onEvent({ type: 'steered', text: more });
    messages.push({ role: 'user', text: more });
  }
}
