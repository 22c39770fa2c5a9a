import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../types.ts';
import { agyFolder } from './store.ts';

/** Where agy keeps what was said in a conversation. */
export function logsFolder(environment: Environment, id: string): string {
  return join(agyFolder(environment), 'brain', id, '.system_generated', 'logs');
}

export function transcriptFile(environment: Environment, id: string): string {
  return join(logsFolder(environment, id), 'transcript.jsonl');
}

/** The second copy, which some builds write alone. */
export function databaseFile(environment: Environment, id: string): string {
  return join(agyFolder(environment), 'conversations', `${id}.db`);
}

/** The person's words in a user entry, without the tags that agy puts around them. */
export function userText(content: string): string {
  const inner = /<USER_REQUEST>\s*([\s\S]*?)\s*(?:<\/USER_REQUEST>|$)/.exec(content)?.[1];
  return inner ?? content;
}

/** When a file was last written, in milliseconds since the epoch; 0 for one that is not there. */
export async function modifiedMs(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch {
    return 0;
  }
}
