import type { Usage } from '../../contract/events.ts';
import type { AssistantBlock, FinishReason, Message } from '../models/types.ts';
import { ModelError } from '../models/types.ts';
import type { Reply, TurnOptions } from './types.ts';

export interface StreamedReply {
  reply: Reply;
  text: string;
  reason: FinishReason;
  usage: Usage;
}

interface Blocks {
  blocks: AssistantBlock[];
  addText: (text: string) => void;
  addReasoning: (text: string, provider: Record<string, unknown> | undefined) => void;
}

/** Puts the pieces of one stream together: text and reasoning that follow each other become one block. */
function createBlocks(): Blocks {
  const blocks: AssistantBlock[] = [];
  return {
    blocks,
    addText(text) {
      const last = blocks.at(-1);
      if (last?.type === 'text') last.text += text;
      else blocks.push({ type: 'text', text });
    },
    addReasoning(text, provider) {
      const last = blocks.at(-1);
      // A signed block is closed: the signature belongs to exactly its text.
      if (last?.type === 'reasoning' && last.provider === undefined) {
        last.text += text;
        if (provider) last.provider = provider;
      } else blocks.push({ type: 'reasoning', text, ...(provider && { provider }) });
    },
  };
}
/**
 * Streams one reply of the model. Text is reported as it comes; a stream that breaks off behind its first text is
 * reported as cut, with that text, before its error is thrown.
 * @throws {ModelError}
 */
export async function streamReply(
  options: TurnOptions,
  messages: readonly Message[],
): Promise<StreamedReply> {
  const now = options.now ?? (() => performance.now());
  const started = now();
  const { blocks, addText, addReasoning } = createBlocks();
  let text = '';
  let finish: { reason: FinishReason; usage: Usage } | undefined;
  const plan = options.hooks.planCall?.() ?? {};
  const request = {
    system: plan.instruction === undefined ? options.system : `${options.system}\n\n${plan.instruction}`,
    messages,
    tools: plan.withoutTools ? [] : options.tools.map((tool) => tool.declaration),
    ...(options.effort && { effort: options.effort }),
    ...(plan.responseSchema && { responseSchema: plan.responseSchema }),
    signal: options.signal,
  };
  try {
    const parts = options.model.stream(request, (error, attempt) =>
      options.onEvent({ type: 'attempt_failed', error, attempt }),
    );
    for await (const part of parts) {
      if (part.type === 'text') {
        if (part.text === '') continue;
        text += part.text;
        addText(part.text);
        options.onEvent({ type: 'reply_text', text: part.text });
      } else if (part.type === 'reasoning') addReasoning(part.text, part.provider);
      else if (part.type === 'tool_call') blocks.push(part);
      else finish = part;
    }
    if (!finish) throw new ModelError('stream', `the reply of ${options.model.id} ended without its finish`);
  } catch (error) {
    if (text !== '') options.onEvent({ type: 'reply_cut', text, durationMs: now() - started });
    throw error;
  }
  const reply: Reply = { role: 'assistant', blocks };
  options.onEvent({ type: 'reply_done', reply, usage: finish.usage, durationMs: now() - started });
  return { reply, text, reason: finish.reason, usage: finish.usage };
}
