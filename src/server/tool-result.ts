import type { CallToolResult, ResourceLink } from '@modelcontextprotocol/server';
import { jobUri } from './resources/uri.ts';
import type { JobLink, ToolAnswer } from './tool.ts';

/** The first revision whose results may carry links to resources. */
const FIRST_WITH_LINKS = '2025-06-18';

/** Whether a client of that revision knows links. Revisions are dates, so they compare as texts. */
export function knowsLinks(revision: string | undefined): boolean {
  return revision !== undefined && revision >= FIRST_WITH_LINKS;
}

function linkBlock({ jobId, part, title }: JobLink): ResourceLink {
  const mimeType = part === 'text' || part === 'stderr' ? 'text/plain' : 'application/json';
  return { type: 'resource_link', uri: jobUri(jobId, part), name: `job ${jobId}`, title, mimeType };
}

/** An answer as it goes over the wire: an object both as structured content and as JSON text, the rest as it is. */
export function toResult(answer: ToolAnswer, withLinks: boolean): CallToolResult {
  if ('text' in answer) {
    return { content: [{ type: 'text', text: answer.text }], ...(answer.isError && { isError: true }) };
  }
  if ('content' in answer) {
    return {
      content: [...answer.content, ...(withLinks && answer.link ? [linkBlock(answer.link)] : [])],
      ...(answer.structured && { structuredContent: answer.structured }),
      ...(answer.isError && { isError: true }),
    };
  }
  return {
    content: [
      { type: 'text', text: JSON.stringify(answer.structured) },
      ...(withLinks && answer.link ? [linkBlock(answer.link)] : []),
    ],
    structuredContent: answer.structured,
  };
}

export function errorResult(message: string): CallToolResult {
  return { content: [{ type: 'text', text: message }], isError: true };
}
