import { open } from 'node:fs/promises';
import { isFields, textOr } from '../../contract/fields.ts';
import { createNdjsonReader } from '../../contract/ndjson-reader.ts';
import type { Environment } from '../types.ts';
import { isAgyConversationId } from './store.ts';
import { modifiedMs, transcriptFile, userText } from './transcript-files.ts';

const PIECE_BYTES = 256 * 1024;

/** What was said in the last turn of a conversation. */
export interface Turn {
  /** What the agent was asked; undefined = the entry of it was not found. */
  prompt?: string;
  /** What it answered; undefined = nothing yet. */
  reply?: string;
}

/** Picks the last turn out of transcript entries that are fed one after another; entries of other kinds are passed over. */
export function createTurnReader(): { take(entry: unknown): void; turn(): Turn } {
  let prompt: string | undefined;
  let parts: string[] = [];
  return {
    take(entry) {
      if (!isFields(entry)) return;
      if (entry.type === 'USER_INPUT') {
        parts = [];
        prompt = userText(textOr(entry.content));
      }
      const isReply =
        entry.source === 'MODEL' && entry.type === 'PLANNER_RESPONSE' && entry.status === 'DONE';
      const content = textOr(entry.content).trim();
      if (isReply && content !== '') parts.push(content);
    },
    turn: () => ({
      ...(prompt !== undefined && { prompt }),
      ...(parts.length > 0 && { reply: parts.join('\n\n') }),
    }),
  };
}

/** Whether a file was written since a moment. File systems keep times less finely than the clock. */
export function isFresh(writtenMs: number, sinceMs: number): boolean {
  return writtenMs !== 0 && writtenMs >= Math.floor(sinceMs) - 1;
}

/**
 * The last turn of a conversation, out of the transcript that agy keeps: for builds that print nothing. Lines that cannot
 * be read are passed over.
 * @param sinceMs a transcript that was last written before this moment (milliseconds since the epoch) is of an earlier
 *   run.
 * @returns undefined when there is no transcript of this run.
 */
export async function readTranscriptTurn(
  environment: Environment,
  id: string,
  sinceMs: number,
): Promise<Turn | undefined> {
  if (!isAgyConversationId(id)) return undefined;
  const file = transcriptFile(environment, id);
  if (!isFresh(await modifiedMs(file), sinceMs)) return undefined;
  const reader = createTurnReader();
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
  return reader.turn();
}
