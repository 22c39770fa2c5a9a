import type { ToolDefinition } from '../tool.ts';
import { relayTool } from './relay-tool.ts';
import type { RelayHouse } from './run-tool.ts';

export function geminiFetchChunk(house: RelayHouse): ToolDefinition {
  return relayTool({
    name: 'gemini-fetch-chunk',
    title: 'Fetch a chunk of edits',
    description:
      'Get the next chunk of a large set of edits that gemini-ask with changeMode gave: no model turn. The reply before it names key and index.',
    annotations: { readOnlyHint: true, openWorldHint: false },
    properties: {
      cacheKey: { type: 'string', description: 'The key that the first reply named: 8 hex digits.' },
      chunkIndex: { type: 'number', minimum: 1, description: 'Which chunk, from 1.' },
    },
    required: ['cacheKey', 'chunkIndex'],
    async run(args, call) {
      const { fetchChunk } = await import('./fetch-chunk.ts');
      return fetchChunk(house.core, call, {
        key: args.cacheKey,
        index: args.chunkIndex,
        parameter: 'cacheKey',
      });
    },
  });
}
