import type { BackendName } from '../../backends/types.ts';
import { type Fields, textOr } from '../../contract/fields.ts';
import { isTerminal } from '../../contract/outcome.ts';
import type { JobStatus } from '../../jobs/types.ts';
import { errorMessage } from '../../platform/errors.ts';
import { answerChangeMode } from '../change-mode/answer.ts';
import type { ChunkCache } from '../chunk-cache/chunk-cache.ts';
import { type ImageTarget, resolveImageTarget } from '../image/image-target.ts';
import { openRoot } from '../jail/root.ts';
import { changeModeReply } from './change-mode-reply.ts';
import { finishImage } from './image-reply.ts';
import type { RelayContext } from './relay-context.ts';
import { mergeNotices, type Reply } from './reply.ts';
import type { RelayRunTool } from './run-tools.ts';
import { runningReply } from './running-reply.ts';
import { askReply, brainstormReply, failedReply, partialNotice, planReply } from './text-replies.ts';

export interface RelayRun {
  tool: RelayRunTool;
  status: JobStatus;
  /** The arguments of the call, as they were checked then. */
  args: Fields;
  context: RelayContext;
  backend: BackendName;
  /** Where the backend keeps the files of this run's conversation; absolute. */
  ownFolders: readonly string[];
  /** When the run was accepted, in milliseconds since 1970. */
  startedAt: number;
  cache: ChunkCache;
  signal?: AbortSignal;
}

/** The answer of a relay run in the form of its tool, whoever asks for it: the call itself, agy_wait or agy_status. */
export async function finishRelayRun(run: RelayRun): Promise<Reply> {
  const { tool, status, args, context } = run;
  if (!isTerminal(status.state)) return runningReply(tool, status);
  switch (tool) {
    case 'gemini-ask':
      return args.changeMode === true
        ? await finishChangeMode(run)
        : askReply(
            status,
            { jsonSchema: args.jsonSchema, includeUsage: args.includeUsage === true },
            context.notices,
          );
    case 'gemini-plan':
      return planReply(status, { includeUsage: args.includeUsage !== false }, context.notices);
    case 'gemini-brainstorm':
      return brainstormReply(status, context.notices);
    case 'gemini-image':
      break;
  }
  return await finishImageRun(run);
}

async function finishChangeMode(run: RelayRun): Promise<Reply> {
  const { status, args, context } = run;
  if (status.state !== 'done') return failedReply('gemini-ask', status, context.notices);
  const answer = await answerChangeMode({
    reply: status.result ?? '',
    root: context.root,
    sent: context.sent,
    request: { args: { ...args, chunkIndex: undefined }, backend: run.backend, model: status.model },
    cache: run.cache,
    ...(args.chunkIndex !== undefined && { chunkIndex: args.chunkIndex }),
    ...(run.signal && { signal: run.signal }),
  });
  return changeModeReply(answer, mergeNotices(context.notices, status.notices, partialNotice(status)));
}

async function finishImageRun(run: RelayRun): Promise<Reply> {
  const { status, args, context } = run;
  const root = await openRoot(context.root);
  const notices = [...context.notices];
  let target: ImageTarget | undefined;
  try {
    target = await resolveImageTarget(root, textOr(args.outputPath));
  } catch (error) {
    // It was good before the run.
    notices.push(`The image is not copied into the project: ${errorMessage(error)}`);
  }
  return await finishImage({
    status,
    args: {
      prompt: textOr(args.prompt),
      ...(typeof args.aspectRatio === 'string' && { aspectRatio: args.aspectRatio }),
      ...(typeof args.size === 'string' && { size: args.size }),
    },
    backend: run.backend,
    root,
    target,
    ownFolders: run.ownFolders,
    startedAt: run.startedAt,
    notices,
  });
}
