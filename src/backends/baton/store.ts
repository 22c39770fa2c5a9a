import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isFields, parseJson } from '../../contract/fields.ts';
import { errorCode } from '../../platform/errors.ts';
import { stateDir } from '../../platform/paths.ts';
import { canonicalFolder } from '../folder-name.ts';
import type { Environment, SessionEntry } from '../types.ts';

// A conversation of baton-agent is a file `<id>.jsonl`; its first line names the folder it was started in.
const SUFFIX = '.jsonl';
const HEAD_BYTES = 16 * 1024;

function conversationsFolder(environment: Environment): string {
  return join(stateDir(environment), 'conversations');
}

interface Stored extends SessionEntry {
  modifiedMs: number;
}

function readHead(file: string): string {
  const fd = openSync(file, 'r');
  try {
    const piece = Buffer.alloc(HEAD_BYTES);
    const length = readSync(fd, piece, 0, HEAD_BYTES, 0);
    return piece.toString('utf8', 0, length).split('\n', 1)[0] ?? '';
  } finally {
    closeSync(fd);
  }
}

/** The folder that a conversation belongs to; undefined for a subagent's one, and for a file that is none. */
function workspaceOf(file: string): string | undefined {
  const header = parseJson(readHead(file));
  if (!isFields(header) || header.type !== 'conversation') return undefined;
  return typeof header.cwd === 'string' && header.parentConversationId === undefined ? header.cwd : undefined;
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(SUFFIX));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function readStored(environment: Environment): Stored[] {
  const folder = conversationsFolder(environment);
  const stored: Stored[] = [];
  for (const name of listFiles(folder)) {
    const file = join(folder, name);
    try {
      const workspace = workspaceOf(file);
      if (workspace === undefined) continue;
      stored.push({
        workspace,
        conversation_id: name.slice(0, -SUFFIX.length),
        modifiedMs: statSync(file).mtimeMs,
      });
    } catch (error) {
      // Pruned between the listing and the look.
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }
  return stored;
}

/** The most recently used conversation of each folder, sorted by folder; of one folder when `dir` is given. */
export function listBatonSessions(environment: Environment, dir?: string): SessionEntry[] {
  const wanted = dir ? canonicalFolder(dir) : undefined;
  const newest = new Map<string, Stored>();
  for (const entry of readStored(environment)) {
    if (wanted !== undefined && canonicalFolder(entry.workspace) !== wanted) continue;
    const known = newest.get(entry.workspace);
    if (!known || entry.modifiedMs > known.modifiedMs) newest.set(entry.workspace, entry);
  }
  return [...newest.values()]
    .sort((a, b) => (a.workspace < b.workspace ? -1 : 1))
    .map(({ workspace, conversation_id }) => ({ workspace, conversation_id }));
}

/** The most recently used conversation of a folder, or undefined. */
export function latestBatonConversation(environment: Environment, cwd: string): string | undefined {
  const wanted = canonicalFolder(cwd);
  return readStored(environment)
    .filter(({ workspace }) => canonicalFolder(workspace) === wanted)
    .sort((a, b) => b.modifiedMs - a.modifiedMs)[0]?.conversation_id;
}

/** Whether the agent's store holds a conversation. An id that cannot be a file's name is in no store. */
export function hasBatonConversation(environment: Environment, id: string): boolean {
  if (id === '' || id.startsWith('.') || /[\\/\0]/.test(id)) return false;
  return existsSync(join(conversationsFolder(environment), `${id}${SUFFIX}`));
}
