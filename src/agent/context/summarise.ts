import type { Usage } from '../../contract/events.ts';
import type { ConversationRecord } from '../conversations/records.ts';
import { type AssistantBlock, type Model, ModelError } from '../models/types.ts';

const INSTRUCTION = `You are given the earlier part of the work of a coding agent, as a transcript. Write the notes with \
which the agent goes on when that part is gone: what was asked, word for word where it matters; what was decided and why; \
which files were read or changed, and what of them matters; commands and their results; what was tried and failed; what \
is still to be done. Names, paths, numbers and error messages exactly. No introduction and no closing words.`;

/** A tool's result in the transcript is cut to this many characters. */
const RESULT_CHARACTERS = 2000;

export interface Summary {
  text: string;
  usage: Usage;
}

function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  return `${text.slice(0, half)}\n[… ${text.length - 2 * half} characters left out …]\n${text.slice(-half)}`;
}

function describeBlock(block: AssistantBlock): string {
  if (block.type === 'text') return `AGENT: ${block.text}`;
  if (block.type === 'reasoning') return '';
  const args = typeof block.arguments === 'string' ? block.arguments : JSON.stringify(block.arguments);
  return `AGENT CALLS ${block.name}: ${cut(args, RESULT_CHARACTERS)}`;
}

function describe(record: ConversationRecord): string {
  if (record.type === 'user') return `USER: ${record.text}`;
  if (record.type === 'compaction') return `NOTES ON WHAT CAME BEFORE: ${record.summary}`;
  if (record.type === 'assistant') {
    return record.blocks
      .map(describeBlock)
      .filter((line) => line !== '')
      .join('\n');
  }
  if (record.type !== 'tool_result') return '';
  const { name, output, isError } = record.result;
  return `RESULT OF ${name}${isError ? ' (error)' : ''}: ${cut(output, RESULT_CHARACTERS)}`;
}

/** Records as a text to be summarised, its middle left out when it is longer than the limit. */
export function transcript(records: readonly ConversationRecord[], maxCharacters: number): string {
  return cut(
    records
      .map(describe)
      .filter((text) => text !== '')
      .join('\n\n'),
    maxCharacters,
  );
}

/** What stands in for a summary when the model cannot give one: the prompts, and the calls by name. */
export function mechanicalSummary(records: readonly ConversationRecord[]): string {
  const lines = records.flatMap((record) => {
    if (record.type === 'user' && !record.steering) return [`- The user asked: ${cut(record.text, 1000)}`];
    if (record.type === 'compaction') return [record.summary];
    if (record.type !== 'assistant') return [];
    return record.blocks.flatMap((block) =>
      block.type === 'tool_call'
        ? [`- ${block.name} ${cut(JSON.stringify(block.arguments), 200)}`]
        : block.type === 'text'
          ? [`- You said: ${cut(block.text, 400)}`]
          : [],
    );
  });
  return cut(lines.join('\n'), 20_000);
}

/**
 * Asks the model for notes on the records.
 * @throws {ModelError}
 */
export async function summarise(
  model: Model,
  records: readonly ConversationRecord[],
  maxCharacters: number,
  signal: AbortSignal,
): Promise<Summary> {
  let text = '';
  let usage: Usage | undefined;
  const parts = model.stream({
    system: INSTRUCTION,
    messages: [{ role: 'user', text: transcript(records, maxCharacters) }],
    tools: [],
    signal,
  });
  for await (const part of parts) {
    if (part.type === 'text') text += part.text;
    else if (part.type === 'finish') usage = part.usage;
  }
  if (!usage || text.trim() === '') throw new ModelError('stream', `${model.id} gave no summary`);
  return { text: text.trim(), usage };
}
