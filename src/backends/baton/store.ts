import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isFields, parseJson } from '../../contract/fields.ts';
import { errorCode } from '../../platform/errors.ts';
import { stateDir } from '../../platform/paths.ts';
import { readCutText } from '../cut-text.ts';
import { canonicalFolder } from '../folder-name.ts';
import type { ConversationEntry, Environment, SessionEntry } from '../types.ts';

// A conversation of baton-agent is a file `<id>.jsonl`; its first line names the folder it was started in.
const SUFFIX = '.jsonl';
const HEAD_BYTES = 16 * 1024;

function conversationsFolder(environment: Environment): string {
  return join(stateDir(environment), 'conversations');
}

interface Stored extends SessionEntry {
  modifiedMs: number;
  /** The first lines of the file, the last of them perhaps cut. */
  head: string[];
}

function readHead(file: string): string[] {
  const fd = openSync(file, 'r');
  try {
    const piece = Buffer.alloc(HEAD_BYTES);
    const length = readSync(fd, piece, 0, HEAD_BYTES, 0);
    return piece.toString('utf8', 0, length).split('\n');
  } finally {
    closeSync(fd);
  }
}

/** The folder that a conversation belongs to; undefined for a subagent's one, and for a file that is none. */
function workspaceOf(head: string[]): string | undefined {
  const header = parseJson(head[0] ?? '');
  if (!isFields(header) || header.type !== 'conversation') return undefined;
  return typeof header.cwd === 'string' && header.parentConversationId === undefined ? header.cwd : undefined;
}

function firstPromptOf(head: string[]): string | undefined {
  const line = head.find((text) => text.includes('"type":"user"'));
  return line === undefined ? undefined : readCutText(line, 'text');
}

function listFiles(folder: string): { file: string; id: string; modifiedMs: number }[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
  return names
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => {
      const file = join(folder, name);
      const modifiedMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      return { file, id: name.slice(0, -SUFFIX.length), modifiedMs };
    });
}

/** The stored conversations, the most recently used first, each read only when it is its turn. */
function* newestFirst(environment: Environment): Generator<Stored> {
  const files = listFiles(conversationsFolder(environment));
  files.sort((a, b) => b.modifiedMs - a.modifiedMs || (a.id < b.id ? -1 : 1));
  for (const { file, id, modifiedMs } of files) {
    let head: string[];
    try {
      head = readHead(file);
    } catch (error) {
      // Pruned between the listing and the look.
      if (errorCode(error) === 'ENOENT') continue;
      throw error;
    }
    const workspace = workspaceOf(head);
    if (workspace !== undefined) yield { workspace, conversation_id: id, modifiedMs, head };
  }
}

/** The most recently used conversation of each folder, sorted by folder; of one folder when `dir` is given. */
export function listBatonSessions(environment: Environment, dir?: string): SessionEntry[] {
  const wanted = dir ? canonicalFolder(dir) : undefined;
  const newest = new Map<string, SessionEntry>();
  for (const { workspace, conversation_id } of newestFirst(environment)) {
    if (newest.has(workspace)) continue;
    if (wanted !== undefined && canonicalFolder(workspace) !== wanted) continue;
    newest.set(workspace, { workspace, conversation_id });
  }
  return [...newest.values()].sort((a, b) => (a.workspace < b.workspace ? -1 : 1));
}

/** The most recently used conversation of a folder, or undefined. */
export function latestBatonConversation(environment: Environment, cwd: string): string | undefined {
  const wanted = canonicalFolder(cwd);
  for (const { workspace, conversation_id } of newestFirst(environment)) {
    if (canonicalFolder(workspace) === wanted) return conversation_id;
  }
  return undefined;
}

/** The agent's conversations, the most recently used first, at most `limit`. */
export function listBatonConversations(environment: Environment, limit: number): ConversationEntry[] {
  const entries: ConversationEntry[] = [];
  if (limit < 1) return entries;
  for (const { conversation_id, workspace, modifiedMs, head } of newestFirst(environment)) {
    const entry: ConversationEntry = { conversation_id, workspace, lastActiveMs: modifiedMs };
    const prompt = firstPromptOf(head);
    if (prompt !== undefined) entry.firstPrompt = prompt;
    if (entries.push(entry) >= limit) break;
  }
  return entries;
}

/** Where the agent puts what a conversation makes. */
export function batonConversationFolders(environment: Environment, id: string): string[] {
  return id === '' || id.startsWith('.') || /[\\/\0]/.test(id)
    ? []
    : [join(conversationsFolder(environment), id)];
}

/** Whether the agent's store holds a conversation. An id that cannot be a file's name is in no store. */
export function hasBatonConversation(environment: Environment, id: string): boolean {
  if (id === '' || id.startsWith('.') || /[\\/\0]/.test(id)) return false;
  return existsSync(join(conversationsFolder(environment), `${id}${SUFFIX}`));
}
