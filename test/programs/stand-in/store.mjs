// The stand-in's files under $HOME/.gemini/antigravity-cli: the same places and names as agy's, so that whoever looks
// for a conversation, its transcript or the last one of a folder finds them.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const root = join(process.env.HOME || homedir(), '.gemini', 'antigravity-cli');
const cacheFile = join(root, 'cache', 'last_conversations.json');

function stateFile(id) {
  return join(root, 'brain', id, 'stand-in.json');
}

function readCache() {
  try {
    return JSON.parse(readFileSync(cacheFile, 'utf8'));
  } catch {
    return {};
  }
}

/** A stored conversation, or undefined. */
export function load(id) {
  if (!/^[\w.-]+$/.test(id) || !existsSync(stateFile(id))) return undefined;
  return JSON.parse(readFileSync(stateFile(id), 'utf8'));
}

export function latestOf(cwd) {
  return readCache()[cwd];
}

/** Writes the conversation and the folder's entry in the cache (in place, as agy does). */
export function save(conversation, cwd) {
  mkdirSync(join(root, 'brain', conversation.id, '.system_generated', 'logs'), { recursive: true });
  mkdirSync(join(root, 'conversations'), { recursive: true });
  mkdirSync(join(root, 'cache'), { recursive: true });
  writeFileSync(stateFile(conversation.id), JSON.stringify(conversation));
  writeFileSync(join(root, 'conversations', `${conversation.id}.db`), '');
  writeFileSync(cacheFile, JSON.stringify({ ...readCache(), [cwd]: conversation.id }));
}

/** Puts a file among what a conversation made; returns its path. */
export function keepArtifact(id, name, bytes) {
  const file = join(root, 'brain', id, name);
  writeFileSync(file, bytes);
  return file;
}

/** Adds a line to the conversation's transcript. */
export function transcribe(conversation, source, type, content) {
  const file = join(root, 'brain', conversation.id, '.system_generated', 'logs', 'transcript.jsonl');
  const entry = {
    step_index: conversation.step,
    source,
    type,
    status: 'DONE',
    created_at: new Date().toISOString(),
    content,
  };
  appendFileSync(file, `${JSON.stringify(entry)}\n`);
}
