import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalFolder } from '../folder-name.ts';
import type { Environment } from '../types.ts';
import { isFresh, readTranscriptTurn, type Turn } from './last-turn.ts';
import { readDatabaseTurn } from './sqlite-turn.ts';
import { agyFolder, isAgyConversationId, readLastConversations } from './store.ts';
import { databaseFile, logsFolder, modifiedMs, transcriptFile } from './transcript-files.ts';

/** Which run's turn is looked for. */
export interface TurnSearch {
  environment: Environment;
  /** The run's conversation, where it is known. */
  conversationId?: string;
  cwd: string;
  /** When the run began, in milliseconds since the epoch. */
  sinceMs: number;
  /** Whether a prompt is that of the run. */
  isOurs(prompt: string): boolean;
}

/** `trace` = the run has taken its prompt, whatever became of it. */
export type TurnFinding =
  | { conversationId: string; reply: string }
  | { trace: boolean; conversationId?: string; problem?: string };

const MOST_CANDIDATES = 50;

/**
 * What a run that printed nothing left in agy's own store. Only a turn of this very run counts: written since it began,
 * and either of the conversation that it is known to be in or with the run's own prompt. Another program that uses agy at
 * the same time is never read.
 */
export async function findTurn(search: TurnSearch): Promise<TurnFinding> {
  const { conversationId } = search;
  if (conversationId !== undefined) return readConversation(search, conversationId);
  let best: TurnFinding = { trace: false };
  for (const id of await freshConversations(search)) {
    const found = await readConversation(search, id);
    if ('reply' in found) return found;
    if (found.trace || (found.problem !== undefined && !best.trace)) best = found;
  }
  return best;
}

async function readConversation(search: TurnSearch, id: string): Promise<TurnFinding> {
  const { environment, sinceMs } = search;
  const isKnown = search.conversationId !== undefined;
  const isOurs = ({ prompt }: Turn): boolean => isKnown || (prompt !== undefined && search.isOurs(prompt));
  const turn = await readTranscriptTurn(environment, id, sinceMs);
  if (turn) {
    if (!isOurs(turn)) return { trace: false };
    return turn.reply === undefined
      ? { trace: true, conversationId: id, problem: noReply(environment, id) }
      : { conversationId: id, reply: turn.reply };
  }
  const database = await freshDatabase(search, id);
  if (database === undefined) return { trace: false };
  const read = readDatabaseTurn(database);
  // Whose it is cannot be told, unless the conversation is known to be the run's.
  if ('problem' in read) return { trace: isKnown, conversationId: id, problem: read.problem };
  if (!isOurs(read) || read.reply === undefined) return { trace: false };
  return { conversationId: id, reply: read.reply };
}

function noReply(environment: Environment, id: string): string {
  return `agy: no model response found for conversation ${id} (looked for ${transcriptFile(environment, id)} and a .db fallback).`;
}

/** The conversation's database, when it was written since the run began. */
async function freshDatabase({ environment, sinceMs }: TurnSearch, id: string): Promise<string | undefined> {
  if (!isAgyConversationId(id)) return undefined;
  const logs = logsFolder(environment, id);
  const names = await readdir(logs).catch(() => []);
  const candidates = [
    ...names.filter((name) => name.endsWith('.db')).map((name) => join(logs, name)),
    databaseFile(environment, id),
  ];
  for (const path of candidates) {
    const times = await Promise.all([path, `${path}-wal`].map(modifiedMs));
    if (times[0] !== 0 && isFresh(Math.max(...times), sinceMs)) return path;
  }
  return undefined;
}

/** Conversations that were written to since the run began: the folder's last one first, then the newest. */
async function freshConversations({ environment, cwd, sinceMs }: TurnSearch): Promise<string[]> {
  const ids = await readdir(join(agyFolder(environment), 'brain')).catch(() => []);
  const dated = await Promise.all(
    ids.filter(isAgyConversationId).map(async (id) => {
      const files = [transcriptFile(environment, id), databaseFile(environment, id)];
      return { id, writtenMs: Math.max(...(await Promise.all(files.map(modifiedMs)))) };
    }),
  );
  const last = lastOf(environment, cwd);
  return dated
    .filter(({ writtenMs }) => isFresh(writtenMs, sinceMs))
    .sort((a, b) => Number(b.id === last) - Number(a.id === last) || b.writtenMs - a.writtenMs)
    .slice(0, MOST_CANDIDATES)
    .map(({ id }) => id);
}

function lastOf(environment: Environment, cwd: string): string | undefined {
  try {
    const folder = canonicalFolder(cwd);
    return readLastConversations(environment).find(({ workspace }) => canonicalFolder(workspace) === folder)
      ?.conversation_id;
  } catch {
    return undefined;
  }
}
