import { existsSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { isFields } from '../../contract/fields.ts';
import { errorCode, errorMessage } from '../../platform/errors.ts';
import { homeFolder } from '../find-program.ts';
import { canonicalFolder } from '../folder-name.ts';
import { BackendError, type Environment, type SessionEntry } from '../types.ts';

// agy rewrites its cache in place and without a lock, so a reader can see half a file for a moment.
const READS = 4;
const PAUSE_MS = 15;

/** agy's private folder: conversations, caches, logs. Every file in it is agy's own and may change shape. */
export function agyFolder(environment: Environment): string {
  return join(homeFolder(environment), '.gemini', 'antigravity-cli');
}

/** Whether an id can be a part of a path. */
export function isAgyConversationId(id: string): boolean {
  return id !== '' && !id.startsWith('.') && !/[\\/\0]/.test(id);
}

/** Where agy puts what a conversation makes: images among it. */
export function agyConversationFolders(environment: Environment, id: string): string[] {
  return isAgyConversationId(id) ? [join(agyFolder(environment), 'brain', id)] : [];
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function cleaned(path: string): string {
  const normal = normalize(path);
  return normal.length > 1 ? normal.replace(/[\\/]$/, '') : normal;
}

function parseCache(text: string): SessionEntry[] {
  const value: unknown = JSON.parse(text);
  if (!isFields(value)) throw new Error('it is not an object of folder and conversation id');
  const entries: SessionEntry[] = [];
  for (const [workspace, id] of Object.entries(value)) {
    if (typeof id !== 'string') throw new Error(`the id of ${JSON.stringify(workspace)} is not a string`);
    if (id !== '') entries.push({ workspace, conversation_id: id });
  }
  return entries;
}

/**
 * The last conversation of each folder, from agy's cache; empty when there is none yet. A torn read is made again.
 * @throws {BackendError} `parse conversation cache <file>: …` when it stays unreadable.
 */
export function readLastConversations(environment: Environment): SessionEntry[] {
  const file = join(agyFolder(environment), 'cache', 'last_conversations.json');
  let problem = '';
  for (let read = 0; read < READS; read++) {
    if (read > 0) pause(PAUSE_MS);
    try {
      return parseCache(readFileSync(file, 'utf8'));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      problem = errorMessage(error);
    }
  }
  throw new BackendError(`parse conversation cache ${file}: ${problem}`, 'unusable');
}

/** Entries sorted by folder, of one folder when `dir` is given. */
export function listAgySessions(environment: Environment, dir?: string): SessionEntry[] {
  const entries = readLastConversations(environment);
  const wanted = dir === undefined || dir === '' ? undefined : canonicalFolder(dir);
  const kept =
    wanted === undefined
      ? entries
      : entries.filter(
          ({ workspace }) => cleaned(workspace) === wanted || canonicalFolder(workspace) === wanted,
        );
  return kept.sort((a, b) => (a.workspace < b.workspace ? -1 : a.workspace > b.workspace ? 1 : 0));
}

/** The folder's newest conversation; undefined for none, and for a cache that cannot be read. */
export function latestAgyConversation(environment: Environment, cwd: string): string | undefined {
  try {
    return listAgySessions(environment, cwd)[0]?.conversation_id;
  } catch {
    return undefined;
  }
}

/** Whether agy's store holds a conversation; undefined when there is no store to look into. */
export function hasAgyConversation(environment: Environment, id: string): boolean | undefined {
  const conversations = join(agyFolder(environment), 'conversations');
  const brain = join(agyFolder(environment), 'brain');
  if (!existsSync(conversations) && !existsSync(brain)) return undefined;
  if (id === '' || id === '.' || id === '..' || /[\\/\0]/.test(id)) return false;
  return (
    existsSync(join(conversations, `${id}.db`)) ||
    existsSync(join(conversations, `${id}.pb`)) ||
    existsSync(join(brain, id))
  );
}
