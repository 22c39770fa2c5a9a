import type { AssistantBlock } from '../models/types.ts';
import type { History } from './history.ts';
import type { ConversationRecord } from './records.ts';

function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`;
}

function blockMarkdown(block: AssistantBlock): string {
  if (block.type === 'text') return block.text.trim();
  if (block.type === 'reasoning') return '';
  const args =
    typeof block.arguments === 'string' ? block.arguments : JSON.stringify(block.arguments, null, 2);
  return `**Calls \`${block.name}\`**\n\n${fenced(args, 'json')}`;
}

function recordMarkdown(record: ConversationRecord): string {
  switch (record.type) {
    case 'user':
      return `## ${record.steering ? 'Agent to model' : 'User'}\n\n${record.text.trim()}`;
    case 'assistant': {
      const text = record.blocks.map(blockMarkdown).filter(Boolean).join('\n\n');
      return `## Assistant${record.cut ? ' (cut off)' : ''}\n\n${text}`;
    }
    case 'tool_result': {
      const { name, output, isError, image } = record.result;
      const what = `**Result of \`${name}\`${isError ? ' (error)' : ''}**`;
      return `${what}\n\n${fenced(output)}${image ? `\n\n(an image, ${image.mediaType})` : ''}`;
    }
    case 'compaction':
      return `## Summary of what came before\n\n${record.summary.trim()}`;
    case 'note':
      return `> ${record.kind}: ${record.text.replaceAll('\n', '\n> ')}`;
    case 'turn_end':
      return record.status === 'SUCCESS'
        ? ''
        : `> The turn ended with ${record.status}: ${record.error ?? ''}`;
    case 'conversation':
    case 'session':
      break;
  }
  return '';
}

/** A conversation's branch as Markdown to be read by people. */
export function toMarkdown(history: History): string {
  const { header, branch } = history;
  const lines = [
    `# Conversation ${header.conversationId}`,
    `- Folder: ${header.cwd}\n- Started: ${header.at}${header.agent === undefined ? '' : `\n- Agent: ${header.agent}`}`,
    ...branch.map(recordMarkdown).filter((text) => text !== ''),
  ];
  return `${lines.join('\n\n')}\n`;
}

/** A conversation's branch as one JSON document. */
export function toJson(history: History): string {
  const { header, branch } = history;
  return `${JSON.stringify({ conversation_id: header.conversationId, cwd: header.cwd, records: branch }, null, 2)}\n`;
}

/** The first prompt, cut to one line: what a conversation is called in a list. */
export function titleOf(branch: readonly ConversationRecord[]): string {
  const first = branch.find((record) => record.type === 'user');
  const line = first?.type === 'user' ? first.text.trim().replaceAll(/\s+/g, ' ') : '';
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
