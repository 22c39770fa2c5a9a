import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '../../contract/fields.ts';
import { errorCode } from '../../platform/errors.ts';
import { type HeaderRecord, isRecord } from './records.ts';

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const SUFFIX = '.jsonl';

/** Whether a text has the form of a conversation id, so that it can be part of a path. */
export function isConversationId(text: string): boolean {
  return ID.test(text);
}

export function conversationsFolder(stateDir: string): string {
  return join(stateDir, 'conversations');
}

/** The file of a conversation's records. */
export function conversationFile(stateDir: string, id: string): string {
  return join(conversationsFolder(stateDir), `${id}${SUFFIX}`);
}

/** The folder of what belongs to a conversation besides its records: images, whole outputs. It need not exist. */
export function conversationArtifacts(stateDir: string, id: string): string {
  return join(conversationsFolder(stateDir), id);
}

const PRUNE_INTERVAL_MS = 3600 * 1000;

/** The file whose time says when the conversations were last pruned. */
export function pruneStamp(stateDir: string): string {
  return join(conversationsFolder(stateDir), '.pruned');
}

/** Whether pruning is due: once an hour is enough for all runs together. */
export function isPruneDue(stateDir: string): boolean {
  const last = statSync(pruneStamp(stateDir), { throwIfNoEntry: false })?.mtimeMs;
  return last === undefined || Date.now() - last >= PRUNE_INTERVAL_MS;
}

export interface StoredConversation {
  id: string;
  file: string;
  bytes: number;
  /** Milliseconds since the epoch: the last time a record was added. */
  modifiedMs: number;
}

/** The stored conversations, the most recently used first. */
export function storedConversations(stateDir: string): StoredConversation[] {
  let names: string[];
  try {
    names = readdirSync(conversationsFolder(stateDir));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return [];
    throw error;
  }
  const found: StoredConversation[] = [];
  for (const name of names) {
    const id = name.slice(0, -SUFFIX.length);
    if (!name.endsWith(SUFFIX) || !isConversationId(id)) continue;
    const file = join(conversationsFolder(stateDir), name);
    try {
      const stat = statSync(file);
      // Something else under such a name is no conversation, and must not hide the others.
      if (!stat.isFile()) continue;
      const { size, mtimeMs } = stat;
      found.push({ id, file, bytes: size, modifiedMs: mtimeMs });
    } catch (error) {
      // Pruned between the listing and the look.
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }
  return found.sort((a, b) => b.modifiedMs - a.modifiedMs || (a.id < b.id ? -1 : 1));
}

const HEADER_BYTES = 16 * 1024;

/** The first record of a file, read without the rest; undefined when it is none. */
export function readHeader(file: string): HeaderRecord | undefined {
  const piece = Buffer.alloc(HEADER_BYTES);
  let length: number;
  try {
    const fd = openSync(file, 'r');
    try {
      length = readSync(fd, piece, 0, HEADER_BYTES, 0);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  const end = piece.indexOf(0x0a);
  if (end === -1 || end >= length) return undefined;
  const value = parseJson(piece.toString('utf8', 0, end));
  return isRecord(value) && value.type === 'conversation' ? value : undefined;
}

/** The most recently used conversation that was started in this folder (subagents' ones aside), or undefined. */
export function latestConversation(stateDir: string, cwd: string): string | undefined {
  for (const { id, file } of storedConversations(stateDir)) {
    const header = readHeader(file);
    if (header?.cwd === cwd && header.parentConversationId === undefined) return id;
  }
  return undefined;
}
