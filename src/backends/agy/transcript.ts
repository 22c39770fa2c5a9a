import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isFields, textOr } from '../../contract/fields.ts';
import { createNdjsonReader } from '../../contract/ndjson-reader.ts';
import { readCutText } from '../cut-text.ts';
import type { ConversationEntry, Environment } from '../types.ts';
import { agyFolder, readLastConversations } from './store.ts';

/** Read of each transcript when conversations are listed: the first prompt is in its first lines. */
const HEAD_BYTES = 64 * 1024;
const PIECE_BYTES = 256 * 1024;

function logsFolder(environment: Environment, id: string): string {
  return join(agyFolder(environment), 'brain', id, '.system_generated', 'logs');
}

function transcriptFile(environment: Environment, id: string): string {
  return join(logsFolder(environment, id), 'transcript.jsonl');
}

async function readHead(file: string): Promise<string> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, 'r');
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return '';
  } finally {
    await handle?.close();
  }
}

/** The person's words in a user entry, without the tags that agy puts around them. */
function userText(content: string): string {
  const inner = /<USER_REQUEST>\s*([\s\S]*?)\s*(?:<\/USER_REQUEST>|$)/.exec(content)?.[1];
  return inner ?? content;
}

function firstPrompt(head: string): string | undefined {
  const line = head.split('\n').find((text) => /"type":\s*"USER_INPUT"/.test(text));
  const content = line === undefined ? undefined : readCutText(line, 'content');
  return content === undefined ? undefined : userText(content);
}

async function modifiedMs(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch {
    return 0;
  }
}

async function describe(environment: Environment, id: string): Promise<ConversationEntry | undefined> {
  const logs = logsFolder(environment, id);
  const transcript = transcriptFile(environment, id);
  const database = join(agyFolder(environment), 'conversations', `${id}.db`);
  // A folder's own time does not change when a file in it grows, so the files are asked as well.
  const times = await Promise.all([logs, transcript, database, `${database}-wal`].map(modifiedMs));
  const lastActiveMs = Math.max(...times);
  if (times[0] === 0) return undefined;
  return { conversation_id: id, lastActiveMs };
}

/**
 * agy's conversations on disk, the most recently active first. Only the head of each shown transcript is read.
 * @param limit at most so many.
 */
export async function listAgyConversations(
  environment: Environment,
  limit: number,
): Promise<ConversationEntry[]> {
  let ids: string[];
  try {
    ids = await readdir(join(agyFolder(environment), 'brain'));
  } catch {
    return [];
  }
  const described = await Promise.all(ids.map((id) => describe(environment, id)));
  const shown = described
    .filter((entry) => entry !== undefined)
    .sort((a, b) => b.lastActiveMs - a.lastActiveMs || (a.conversation_id < b.conversation_id ? -1 : 1))
    .slice(0, limit);
  const workspaces = new Map<string, string>();
  try {
    for (const { workspace, conversation_id } of readLastConversations(environment)) {
      workspaces.set(conversation_id, workspace);
    }
  } catch {
    // The folders are a convenience; the list stands without them.
  }
  return Promise.all(
    shown.map(async (entry) => {
      const prompt = firstPrompt(await readHead(transcriptFile(environment, entry.conversation_id)));
      const workspace = workspaces.get(entry.conversation_id);
      return {
        ...entry,
        ...(workspace !== undefined && { workspace }),
        ...(prompt !== undefined && { firstPrompt: prompt }),
      };
    }),
  );
}

/** Picks the answer of the last turn out of transcript entries fed one after another. */
function createReplyReader(): { take(entry: unknown): void; reply(): string | undefined } {
  let parts: string[] = [];
  return {
    take(entry) {
      if (!isFields(entry)) return;
      if (entry.type === 'USER_INPUT') parts = [];
      const isReply =
        entry.source === 'MODEL' && entry.type === 'PLANNER_RESPONSE' && entry.status === 'DONE';
      const content = textOr(entry.content).trim();
      if (isReply && content !== '') parts.push(content);
    },
    reply: () => (parts.length === 0 ? undefined : parts.join('\n\n')),
  };
}

/**
 * The answer of a conversation's last turn, out of the transcript that agy keeps: for builds that print nothing.
 * Lines that cannot be read are passed over.
 * @param sinceMs a transcript that was last written before this moment (milliseconds since the epoch) is of an earlier
 *   run and gives nothing.
 */
export async function readTranscriptReply(
  environment: Environment,
  id: string,
  sinceMs: number,
): Promise<string | undefined> {
  if (id === '' || id.startsWith('.') || /[\\/\0]/.test(id)) return undefined;
  const file = transcriptFile(environment, id);
  // File systems keep times less finely than the clock.
  const written = await modifiedMs(file);
  if (written === 0 || written < Math.floor(sinceMs) - 1) return undefined;
  const reader = createReplyReader();
  const lines = createNdjsonReader((value) => reader.take(value));
  const handle = await open(file, 'r');
  try {
    const piece = Buffer.alloc(PIECE_BYTES);
    for (;;) {
      const { bytesRead } = await handle.read(piece, 0, PIECE_BYTES);
      if (bytesRead === 0) break;
      lines.push(piece.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
  lines.end();
  return reader.reply();
}
