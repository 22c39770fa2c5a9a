import type { Environment } from '../../backends/types.ts';
import { jobFiles } from '../../jobs/job-folder.ts';
import type { Reply } from '../../relay/replies/reply.ts';
import { resultLimit, wholeOrEnds } from '../big-answer.ts';

/**
 * A reply that no client cuts by itself: a text that is longer than one reply may be is given as its beginning and its
 * end, and where the whole of it is. A body that programs read stays whole, with a word beside it.
 */
export function boundedReply(
  reply: Reply,
  job: { stateDir: string; jobId: string; environment: Environment },
): Reply {
  const [first, ...others] = reply.content;
  if (first?.type !== 'text') return reply;
  const { folder } = jobFiles(job.stateDir, job.jobId);
  const part = wholeOrEnds(first.text, resultLimit(job.environment), folder);
  if (part.result_length === undefined) return reply;
  const size = `has ${part.result_length} characters, more than a reply should carry`;
  const whole = `The whole of it is in ${part.result_path ?? ''}`;
  if (reply.bare) {
    const notice = `⚠️ The body above ${size}: your client may have cut it. ${whole}.`;
    return { ...reply, content: [first, ...others, { type: 'text', text: notice }] };
  }
  const left = part.result_length - part.result.length - (part.result_tail?.length ?? 0);
  const notice = `⚠️ This answer ${size}: ${left} of them are left out in the middle. ${whole}; or call agy_status with job_id "${job.jobId}" and offset ${part.next_offset ?? 0}.`;
  const gap = first.text.startsWith('⚠️') ? '\n' : '\n\n';
  const text = `${notice}${gap}${part.result}\n\n[… ${left} characters left out …]\n\n${part.result_tail ?? ''}`;
  return { ...reply, content: [{ type: 'text', text }, ...others] };
}
