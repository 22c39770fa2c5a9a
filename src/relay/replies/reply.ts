import type { ImageContent } from '../image/image-content.ts';

/** What a relay tool answers, as MCP content items. */
export interface Reply {
  content: ({ type: 'text'; text: string } | ImageContent)[];
  isError: boolean;
  /** The first item is read by a program, so nothing may be added to it or cut from it. */
  bare?: true;
}

/** Notices of several sources, each once, in their order. */
export function mergeNotices(...lists: readonly (readonly string[])[]): string[] {
  return [...new Set(lists.flat().map((notice) => notice.trim()))].filter((notice) => notice !== '');
}

/** Text for people: the notices first, one a line, then the body. */
export function textReply(body: string, notices: readonly string[]): Reply {
  const text = notices.length === 0 ? body : `${noticeLines(notices)}\n\n${body}`;
  return { content: [{ type: 'text', text }], isError: false };
}

/** A body that programs read: it stands alone, and the notices come in a content item of their own behind it. */
export function bareReply(body: string, notices: readonly string[]): Reply {
  const aside = notices.length === 0 ? [] : [{ type: 'text' as const, text: noticeLines(notices) }];
  return { content: [{ type: 'text', text: body }, ...aside], isError: false, bare: true };
}

/** A failed call; the notices may explain it, so they come with it. */
export function errorReply(tool: string, message: string, notices: readonly string[] = []): Reply {
  const text = `Error executing ${tool}: ${message}`;
  return { content: bareReply(text, notices).content, isError: true };
}

function noticeLines(notices: readonly string[]): string {
  return notices.map((notice) => `⚠️ ${notice.replaceAll(/\s*\n\s*/g, ' ')}`).join('\n');
}
