import { textOr } from '../../contract/fields.ts';
import type { ToolDefinition } from '../tool.ts';
import { relayTool } from './relay-tool.ts';

export function geminiPing(): ToolDefinition {
  return relayTool({
    name: 'gemini-ping',
    title: 'Ping the server',
    description:
      'Return the text given, or Pong!: shows that this server answers. Starts nothing and says nothing about the agent program (gemini-doctor does).',
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    properties: { prompt: { type: 'string', description: 'Text to return. Default empty: Pong!' } },
    run: (args) => Promise.resolve({ text: textOr(args.prompt) || 'Pong!' }),
  });
}
