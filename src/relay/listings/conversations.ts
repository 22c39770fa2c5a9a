import type { Backend, ConversationEntry, Environment } from '../../backends/types.ts';
import type { Fields } from '../../contract/fields.ts';
import type { JobsClient } from '../../jobs/client.ts';
import { printable } from '../printable.ts';

const SHOWN_CHARACTERS = 120;

/** A conversation as it is listed. */
export interface ConversationRow {
  conversation_id: string;
  /** RFC 3339, UTC. */
  last_active: string;
  cwd?: string;
  prompt?: string;
}

/**
 * The backend's conversations, the most recently active first. One that a job of ours began shows what its caller wrote,
 * not the template and the files that went to the agent.
 */
export async function conversationRows(
  backend: Backend,
  environment: Environment,
  limit: number,
  jobs: JobsClient,
): Promise<ConversationRow[]> {
  const entries = await backend.listConversations(environment, limit);
  const own = entries.length === 0 ? new Map<string, string>() : await ownPrompts(jobs);
  return entries.map((entry) => row(entry, own.get(entry.conversation_id)));
}

/** What our own jobs asked first, by conversation. */
async function ownPrompts(jobs: JobsClient): Promise<Map<string, string>> {
  const prompts = new Map<string, string>();
  // Newest first, so the one that began a conversation comes last and stays.
  for (const { status, record } of await jobs.list()) {
    const isFirst = record.invocation.conversationId === undefined;
    if (status.conversation_id && isFirst) prompts.set(status.conversation_id, record.prompt);
  }
  return prompts;
}

function row(entry: ConversationEntry, ownPrompt: string | undefined): ConversationRow {
  const prompt = ownPrompt ?? entry.firstPrompt;
  return {
    conversation_id: entry.conversation_id,
    last_active: new Date(entry.lastActiveMs).toISOString(),
    ...(entry.workspace !== undefined && { cwd: entry.workspace }),
    ...(prompt !== undefined && { prompt: shortened(prompt) }),
  };
}

/** One line of at most 120 characters. */
function shortened(prompt: string): string {
  const line = prompt.trim().replaceAll(/\s+/g, ' ');
  if (line.length <= SHOWN_CHARACTERS) return line;
  return `${line.slice(0, SHOWN_CHARACTERS - 3).replace(/[\uD800-\uDBFF]$/, '')}...`;
}

const cell = (text: string | undefined): string => printable(text ?? '').replaceAll('|', '\\|');

/** The rows as a Markdown table: what gemini-conversations answers. */
export function conversationsText(backend: string, rows: readonly ConversationRow[]): string {
  if (rows.length === 0) {
    return backend === 'gemini'
      ? 'The gemini backend keeps no conversations that could be continued.'
      : 'No conversations found. Run gemini-ask once and it will report the id it created.';
  }
  const lines = rows.map(
    ({ conversation_id, last_active, cwd, prompt }) =>
      `| \`${cell(conversation_id)}\` | ${last_active} | ${cell(cwd)} | ${cell(prompt)} |`,
  );
  return [
    '| id | last active | cwd | first prompt |',
    '| --- | --- | --- | --- |',
    ...lines,
    '',
    'To go on with one, call gemini-ask with its id as `conversationId`.',
  ].join('\n');
}

export function conversationsData(backend: string, rows: readonly ConversationRow[]): Fields {
  return { backend, conversations: rows.map((one) => ({ ...one })) };
}
