import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ToolAnswer } from './tool.ts';

/** An answer as it goes over the wire: an object both as structured content and as JSON text, a text as it is. */
export function toResult(answer: ToolAnswer): CallToolResult {
  if ('text' in answer) {
    return { content: [{ type: 'text', text: answer.text }], ...(answer.isError && { isError: true }) };
  }
  return {
    content: [{ type: 'text', text: JSON.stringify(answer.structured) }],
    structuredContent: answer.structured,
  };
}

export function errorResult(message: string): CallToolResult {
  return { content: [{ type: 'text', text: message }], isError: true };
}
