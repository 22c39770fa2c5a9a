import type { Environment } from '../../backends/types.ts';
import type { Fields } from '../../contract/fields.ts';
import { isTerminal } from '../../contract/outcome.ts';
import type { JobStatus } from '../../jobs/types.ts';
import { isRelayRunTool } from '../../relay/replies/run-tools.ts';
import type { ServerCore } from '../core.ts';
import { statusView, type ViewOptions } from '../status-view.ts';
import type { ToolAnswer } from '../tool.ts';

/**
 * The answer of a waiting or checking tool about an ended relay job: in the form that its own tool gives it, with the
 * status beside it as data.
 * @param options.extra fields before those of the status
 * @param options.part a part of the answer that was asked for: then it alone is given, as data
 * @returns undefined for every other job, and while it goes on
 */
export async function relayJobView(
  core: ServerCore,
  environment: Environment,
  status: JobStatus,
  { extra = {}, part }: { extra?: Fields; part?: ViewOptions['part'] } = {},
): Promise<ToolAnswer | undefined> {
  if (!isRelayRunTool(status.kind) || !isTerminal(status.state)) return undefined;
  const { relayAnswer } = await import('../../relay/run/answer.ts');
  const { stateDir } = core;
  const answer = await relayAnswer({ stateDir, environment }, status);
  if (!answer) return undefined;
  const { reply, status: shown } = answer;
  const [first] = reply.content;
  const isAnswer = !reply.isError && first?.type === 'text';
  const structured = {
    ...extra,
    ...statusView(isAnswer ? { ...shown, result: first.text } : shown, { stateDir, environment, part }),
  };
  if (part) return { structured };
  const { boundedReply } = await import('./bounded-reply.ts');
  const { content } = boundedReply(reply, { stateDir, jobId: status.job_id, environment });
  return { content, structured, isError: reply.isError };
}
