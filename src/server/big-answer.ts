import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../backends/types.ts';
import { writeFileAtomic } from '../platform/atomic-file.ts';

/** Characters of an answer that are given in one reply, unless `BATON_RESULT_LIMIT` says otherwise. */
export const DEFAULT_RESULT_LIMIT = 60_000;
const SMALLEST_LIMIT = 200;
/** The part of a long answer that its beginning gets; its end gets the rest. */
const HEAD_SHARE = 0.75;

/** The bound of one reply in characters; a value that is no number, or too small to be of use, counts as unset. */
export function resultLimit(environment: Environment): number {
  const value = Number(environment.BATON_RESULT_LIMIT);
  return Number.isInteger(value) && value >= SMALLEST_LIMIT ? value : DEFAULT_RESULT_LIMIT;
}

/** What of an answer goes into one reply. Lengths and offsets are UTF-16 units; no character is ever cut in two. */
export interface AnswerPart {
  result: string;
  result_tail?: string;
  result_length?: number;
  result_path?: string;
  next_offset?: number;
}

/** Moves a cut one unit back when it would part a surrogate pair. */
function wholeCharacterCut(text: string, at: number): number {
  const code = text.charCodeAt(at - 1);
  return at > 0 && at < text.length && code >= 0xd800 && code <= 0xdbff ? at - 1 : at;
}

/**
 * The whole answer as a file in the job's folder, for callers that read files better than replies. Written once, on the
 * first call; the folder goes with the job.
 */
function answerFile(jobFolder: string, text: string): string {
  const path = join(jobFolder, 'answer.txt');
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size !== Buffer.byteLength(text)) writeFileAtomic(path, text, { durable: false });
  return path;
}

/** An answer as it is given without an offset: whole when it fits, else its beginning and its end. */
export function wholeOrEnds(text: string, limit: number, jobFolder: string): AnswerPart {
  if (text.length <= limit) return { result: text };
  const head = wholeCharacterCut(text, Math.floor(limit * HEAD_SHARE));
  const tail = wholeCharacterCut(text, text.length - (limit - head) + 1);
  return {
    result: text.slice(0, head),
    result_tail: text.slice(tail),
    result_length: text.length,
    result_path: answerFile(jobFolder, text),
    next_offset: head,
  };
}

/** A slice of an answer from `offset` on; `next_offset` is absent when nothing follows. */
export function sliceAnswer(text: string, offset: number, limit: number): AnswerPart {
  const start = wholeCharacterCut(text, Math.min(offset, text.length));
  const wanted = Math.min(start + limit, text.length);
  const cut = wholeCharacterCut(text, wanted);
  // A limit of one unit must still get over a pair.
  const end = cut > start ? cut : Math.min(start + 2, text.length);
  return {
    result: text.slice(start, end),
    result_length: text.length,
    ...(end < text.length && { next_offset: end }),
  };
}
