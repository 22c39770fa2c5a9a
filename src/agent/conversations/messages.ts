import type { Message, ToolResult } from '../models/types.ts';
import type { ConversationRecord } from './records.ts';

const LOST_RESULT = 'No result: the run was interrupted before this call finished. Its effects are unknown.';

/** Introduces the summary that stands for the compacted part of a conversation. */
export const SUMMARY_LEAD = 'The earlier part of this conversation was summarised to save room. Summary:\n\n';

/**
 * Every tool call gets exactly one result, directly behind its message: a call whose result was lost (the run was
 * killed) is answered by an error, a result without a call is dropped. Two prompts in a row, left by a failed turn, are
 * joined, since some models insist on alternating roles.
 */
export function repairMessages(messages: readonly Message[]): Message[] {
  const repaired: Message[] = [];
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at];
    if (!message || message.role === 'tool') continue;
    const last = repaired.at(-1);
    if (message.role === 'user') {
      if (last?.role === 'user')
        repaired[repaired.length - 1] = { role: 'user', text: `${last.text}\n\n${message.text}` };
      else repaired.push(message);
      continue;
    }
    if (message.blocks.length === 0) continue;
    repaired.push(message);
    const calls = message.blocks.filter((block) => block.type === 'tool_call');
    if (calls.length === 0) continue;
    const found = new Map<string, ToolResult>();
    for (let next = at + 1; ; next++) {
      const results = messages[next];
      if (results?.role !== 'tool') break;
      for (const result of results.results) found.set(result.id, result);
    }
    repaired.push({
      role: 'tool',
      results: calls.map(
        (call) => found.get(call.id) ?? { id: call.id, name: call.name, output: LOST_RESULT, isError: true },
      ),
    });
  }
  return repaired;
}

/** The messages that a model is given for a branch: from the last compaction on, whole and in order. */
export function branchMessages(branch: readonly ConversationRecord[]): Message[] {
  const compaction = branch.findLast((record) => record.type === 'compaction');
  const messages: Message[] = [];
  if (compaction?.type === 'compaction')
    messages.push({ role: 'user', text: SUMMARY_LEAD + compaction.summary });
  const firstKept = compaction?.type === 'compaction' ? compaction.firstKept : 0;
  for (const record of branch) {
    if (record.id < firstKept) continue;
    if (record.type === 'user') messages.push({ role: 'user', text: record.text });
    else if (record.type === 'assistant') messages.push({ role: 'assistant', blocks: record.blocks });
    else if (record.type === 'tool_result') {
      const last = messages.at(-1);
      if (last?.role === 'tool') last.results.push(record.result);
      else messages.push({ role: 'tool', results: [record.result] });
    }
  }
  return repairMessages(messages);
}
