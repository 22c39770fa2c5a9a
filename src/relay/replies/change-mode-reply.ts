import type { ChangeModeReply } from '../change-mode/answer.ts';
import { bareReply, mergeNotices, type Reply } from './reply.ts';

/** The reply of gemini-ask in change mode, and of gemini-fetch-chunk: the edits alone, notices behind them. */
export function changeModeReply(answer: ChangeModeReply, ...notices: readonly (readonly string[])[]): Reply {
  return bareReply(answer.body, mergeNotices(...notices, answer.notices));
}
