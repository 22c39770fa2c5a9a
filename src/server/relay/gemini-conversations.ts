import type { ToolDefinition } from '../tool.ts';
import { relayTool } from './relay-tool.ts';
import type { RelayHouse } from './run-tool.ts';

const DEFAULT_LIMIT = 20;
const MOST = 100;

export function geminiConversations({ core }: RelayHouse): ToolDefinition {
  return relayTool({
    name: 'gemini-conversations',
    title: 'List Gemini conversations',
    description:
      'List the conversations that the active backend keeps on disk, newest first: id, last activity, folder, first prompt. Pass an id to gemini-ask as conversationId. No model turn.',
    annotations: { readOnlyHint: true, openWorldHint: false },
    properties: {
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: MOST,
        description: `How many at most. Default ${DEFAULT_LIMIT}.`,
      },
    },
    outputSchema: {
      type: 'object',
      properties: {
        backend: { type: 'string', description: 'The backend whose conversations they are.' },
        conversations: {
          type: 'array',
          description: 'The most recently active first.',
          items: {
            type: 'object',
            properties: {
              conversation_id: { type: 'string', description: 'For gemini-ask, as conversationId.' },
              last_active: { type: 'string', description: 'When it was written to last, UTC.' },
              cwd: { type: 'string', description: 'The folder it ran in, where known.' },
              prompt: { type: 'string', description: 'The beginning of what was asked first, where known.' },
            },
            required: ['conversation_id', 'last_active'],
            additionalProperties: false,
          },
        },
      },
      required: ['backend', 'conversations'],
      additionalProperties: false,
    },
    async run(args, call) {
      const { conversationRows, conversationsData, conversationsText } = await import(
        '../../relay/listings/conversations.ts'
      );
      const { backend } = await core.relayBackend(undefined);
      const limit = typeof args.limit === 'number' ? args.limit : DEFAULT_LIMIT;
      const rows = await conversationRows(backend, call.environment, limit, await core.jobs());
      return {
        content: [{ type: 'text', text: conversationsText(backend.name, rows) }],
        structured: conversationsData(backend.name, rows),
      };
    },
  });
}
