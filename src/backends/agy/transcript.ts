import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readCutText } from '../cut-text.ts';
import type { ConversationEntry, Environment } from '../types.ts';
import { agyFolder, readLastConversations } from './store.ts';
import { databaseFile, logsFolder, modifiedMs, transcriptFile, userText } from './transcript-files.ts';

/** Read of each transcript when conversations are listed: the first prompt is in its first lines. */
const HEAD_BYTES = 64 * 1024;

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

function firstPrompt(head: string): string | undefined {
  const line = head.split('\n').find((text) => /"type":\s*"USER_INPUT"/.test(text));
  const content = line === undefined ? undefined : readCutText(line, 'content');
  return content === undefined ? undefined : userText(content);
}

async function describe(environment: Environment, id: string): Promise<ConversationEntry | undefined> {
  const logs = logsFolder(environment, id);
  const transcript = transcriptFile(environment, id);
  const database = databaseFile(environment, id);
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
