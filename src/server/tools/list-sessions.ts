import type { ServerCore } from '../core.ts';
import type { ToolDefinition } from '../tool.ts';

export const LIST_SESSIONS_TEXT = {
  title: 'List agy conversations',
  description: `List conversations that agy_run or agy_run_sync can continue by conversation_id: the newest one of each folder, as the agent program remembers it.`,
} as const;

export function listSessions(core: ServerCore): ToolDefinition {
  return {
    name: 'list_sessions',
    ...LIST_SESSIONS_TEXT,
    annotations: { readOnlyHint: true, openWorldHint: false },
    inputSchema: {
      type: 'object',
      properties: {
        dir: { type: 'string', description: 'Only the conversation of this folder.' },
        backend: {
          type: 'string',
          description: 'agy or baton. Default: the configured one.',
        },
      },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        sessions: {
          type: 'array',
          description: 'Sorted by folder; empty when there is none.',
          items: {
            type: 'object',
            properties: {
              workspace: { type: 'string', description: 'The folder.' },
              conversation_id: { type: 'string', description: 'Its newest conversation.' },
            },
            required: ['workspace', 'conversation_id'],
            additionalProperties: false,
          },
        },
      },
      required: ['sessions'],
      additionalProperties: false,
    },
    async run(args, call) {
      const backend = await core.backend(typeof args.backend === 'string' ? args.backend : undefined);
      const dir = typeof args.dir === 'string' && args.dir !== '' ? args.dir : undefined;
      const sessions = await backend.listSessions(call.environment, dir);
      return {
        structured: {
          sessions: sessions
            .map(({ workspace, conversation_id }) => ({ workspace, conversation_id }))
            .sort((a, b) => (a.workspace < b.workspace ? -1 : a.workspace > b.workspace ? 1 : 0)),
        },
      };
    },
  };
}
