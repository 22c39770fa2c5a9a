import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Fields, isFields, parseJson } from '../../contract/fields.ts';
import { jobFiles } from '../../jobs/job-folder.ts';
import type { JobStatus } from '../../jobs/types.ts';
import { writeFileAtomic } from '../../platform/atomic-file.ts';
import type { Reply } from '../replies/reply.ts';

const memoFile = (stateDir: string, jobId: string): string =>
  join(jobFiles(stateDir, jobId).folder, 'image-reply.json');

/**
 * Keeps the finished reply of an image run in its job's folder: whoever asks again gets the same picture, and the copy in
 * the project is made once, so that it does not undo what was done to it since.
 */
export function rememberImage(stateDir: string, status: JobStatus, reply: Reply): void {
  if (status.kind !== 'gemini-image' || reply.isError) return;
  writeFileAtomic(memoFile(stateDir, status.job_id), JSON.stringify(reply), { durable: false });
}

/** The kept reply of an image run; undefined when there is none. */
export async function recallImage(stateDir: string, status: JobStatus): Promise<Reply | undefined> {
  if (status.kind !== 'gemini-image') return undefined;
  const memo = parseJson(await readFile(memoFile(stateDir, status.job_id), 'utf8').catch(() => ''));
  if (!isFields(memo) || !Array.isArray(memo.content)) return undefined;
  return { content: memo.content.filter(isFields).flatMap(decodeItem), isError: false };
}

function decodeItem(item: Fields): Reply['content'] {
  if (item.type === 'text' && typeof item.text === 'string') return [{ type: 'text', text: item.text }];
  if (item.type === 'image' && typeof item.data === 'string' && typeof item.mimeType === 'string')
    return [{ type: 'image', data: item.data, mimeType: item.mimeType }];
  return [];
}
