import type { Progress, Session } from './mcp.ts';

/** A relay tool's reply as a reader sees it. */
export interface RelayReply {
  isError: boolean;
  /** The texts of the content items; an image is `<image/png, 68 bytes>`. */
  items: string[];
  /** All items, with what differs from run to run replaced by a name. */
  shown: string;
  structured: unknown;
}

const REPLACED: readonly [RegExp, string][] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<conversation>'],
  [/\b0[0-9a-z]{8}-[0-9a-f]{20}\b/g, '<job>'],
  [/ \| \d+\.\d+s\]/g, ' | <time>s]'],
  [/\b\d+ s so far/g, '<n> s so far'],
];

/** A text with ids and times replaced, for snapshots. */
export function steady(text: string): string {
  return REPLACED.reduce((shown, [pattern, name]) => shown.replaceAll(pattern, name), text);
}

export async function callRelay(
  session: Session,
  name: string,
  args: Record<string, unknown> = {},
  options: { progress?: Progress[]; signal?: AbortSignal } = {},
): Promise<RelayReply> {
  const reply = await session.client.callTool(
    { name, arguments: args },
    {
      timeout: 60_000,
      ...(options.signal && { signal: options.signal }),
      ...(options.progress && { onprogress: (update: Progress) => options.progress?.push(update) }),
    },
  );
  const items = reply.content.map((item) => {
    if (item.type === 'text') return item.text;
    if (item.type === 'image') return `<${item.mimeType}, ${Buffer.from(item.data, 'base64').length} bytes>`;
    return `<${item.type}>`;
  });
  return {
    isError: reply.isError === true,
    items,
    shown: steady(`${reply.isError ? '(error)\n' : ''}${items.join('\n=== next item ===\n')}`),
    structured: reply.structuredContent,
  };
}

/** What the stand-in was started with, as its answer to {"about":1} tells it. */
export interface About {
  argv: string[];
  cwd: string;
  pid: number;
  prompt: string;
  conversation_id: string;
  earlier_prompts: string[];
}

/** Reads the stand-in's account of itself out of a reply. */
export function aboutOf(reply: RelayReply): About {
  const text = reply.items[0] ?? '';
  const start = text.indexOf('{"argv"');
  const line = text.slice(start).split('\n', 1)[0] ?? '';
  const about: About = JSON.parse(line);
  return about;
}
