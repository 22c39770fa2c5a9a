import { join } from 'node:path';
import { selectBackend } from '../../backends/select.ts';
import type { Environment } from '../../backends/types.ts';
import { isTerminal } from '../../contract/outcome.ts';
import { readRecord } from '../../jobs/job-folder.ts';
import type { JobStatus } from '../../jobs/types.ts';
import { createChunkCache } from '../chunk-cache/chunk-cache.ts';
import { finishRelayRun } from '../replies/finish.ts';
import type { Reply } from '../replies/reply.ts';
import { isRelayRunTool } from '../replies/run-tools.ts';
import { explainEnding } from './explain.ts';
import { recallImage, rememberImage } from './image-memo.ts';
import { keptCall } from './kept.ts';

/** Where the chunks of large change mode answers are kept. */
export function chunkFolder(stateDir: string): string {
  return join(stateDir, 'chunks');
}

/**
 * The answer of a relay job in the form of its tool, from its folder: in the call itself, or in any later one. A job that
 * goes on gets the reply that says so.
 * @returns the reply, and the status that it is about (its ending explained); undefined when the job is no relay job.
 * @throws {JobReadError} when its folder cannot be read
 */
export async function relayAnswer(
  place: { stateDir: string; environment: Environment; signal?: AbortSignal },
  status: JobStatus,
): Promise<{ reply: Reply; status: JobStatus } | undefined> {
  const { stateDir, environment, signal } = place;
  if (!isRelayRunTool(status.kind)) return undefined;
  const record = readRecord(stateDir, status.job_id);
  const kept = keptCall(record);
  if (!kept) return undefined;
  const shown = isTerminal(status.state)
    ? await explainEnding(stateDir, record, status, environment)
    : status;
  const remembered = await recallImage(stateDir, status);
  if (remembered) return { reply: remembered, status: shown };
  const { backend } = selectBackend(environment, { requested: record.invocation.backend, forRelay: true });
  const conversation = shown.conversation_id;
  const reply = await finishRelayRun({
    tool: status.kind,
    status: shown,
    args: kept.given,
    context: kept.context,
    backend: backend.name,
    ownFolders: conversation ? backend.conversationFolders(environment, conversation) : [],
    startedAt: Date.parse(record.accepted_at),
    cache: createChunkCache(chunkFolder(stateDir)),
    ...(signal && { signal }),
  });
  if (shown.state === 'done') rememberImage(stateDir, shown, reply);
  return { reply, status: shown };
}
