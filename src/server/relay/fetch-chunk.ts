import { replayChunk } from '../../relay/change-mode/answer.ts';
import type { KeyParameter } from '../../relay/change-mode/chunk-index.ts';
import { createChunkCache } from '../../relay/chunk-cache/chunk-cache.ts';
import { changeModeReply } from '../../relay/replies/change-mode-reply.ts';
import { chunkFolder } from '../../relay/run/answer.ts';
import type { ServerCore } from '../core.ts';
import type { ToolAnswer } from '../tool.ts';
import type { ToolCall } from '../tool-call.ts';

/** A chunk of an earlier set of edits, from the cache, held against the files as they are now. */
export async function fetchChunk(
  core: ServerCore,
  call: ToolCall,
  asked: { key: unknown; index: unknown; parameter: KeyParameter },
): Promise<ToolAnswer> {
  const cache = createChunkCache(chunkFolder(core.stateDir));
  const { content, isError } = changeModeReply(await replayChunk(asked, cache, call.signal));
  return { content, isError };
}
