import { isFields, textOr } from '../../contract/fields.ts';
import { randomBytes } from '../../platform/random.ts';
import { keepText } from '../tools/kept-output.ts';
import { failed, succeeded } from '../tools/outcome.ts';
import type { ToolOutcome } from '../tools/types.ts';
import { wellFormed } from '../tools/well-formed.ts';

const MAX_SHOWN = 64_000;

function blockText(block: Record<string, unknown>): string {
  switch (block.type) {
    case 'text':
      return textOr(block.text);
    case 'image':
    case 'audio':
      return `[${block.type}: ${textOr(block.mimeType, 'unknown type')}]`;
    case 'resource_link':
      return `[resource: ${textOr(block.uri)}]`;
    case 'resource': {
      const resource = isFields(block.resource) ? block.resource : {};
      return typeof resource.text === 'string' ? resource.text : `[resource: ${textOr(resource.uri)}]`;
    }
    default:
      return JSON.stringify(block);
  }
}

/** Text that is too long is cut, and kept whole in a file. */
export function cutText(text: string, conversationFolder: string): { text: string; fullOutputPath?: string } {
  const plain = wellFormed(text);
  if (plain.length <= MAX_SHOWN) return { text: plain };
  const path = keepText(conversationFolder, `mcp-${randomBytes(6).toString('hex')}.txt`, plain);
  const left = plain.length - MAX_SHOWN;
  return {
    text: `${wellFormed(plain.slice(0, MAX_SHOWN))}\n… ${left} characters left out; the whole text is in ${path}`,
    fullOutputPath: path,
  };
}

/** What an MCP server answered to a call, as the outcome of ours. */
export function toOutcome(result: unknown, conversationFolder: string): ToolOutcome {
  const fields = isFields(result) ? result : {};
  const blocks: unknown[] = Array.isArray(fields.content) ? fields.content : [];
  const known = blocks.filter(isFields);
  const texts = known.map(blockText);
  const structured = fields.structuredContent;
  if (structured !== undefined && !known.some((block) => block.type === 'text'))
    texts.push(JSON.stringify(structured, undefined, 2));
  const { text, fullOutputPath } = cutText(texts.join('\n'), conversationFolder);
  const picture = known.find((block) => block.type === 'image' && typeof block.data === 'string');
  const more = {
    displayOutput: text,
    ...(fullOutputPath === undefined ? {} : { fullOutputPath }),
    ...(picture
      ? { image: { mediaType: textOr(picture.mimeType, 'image/png'), base64: textOr(picture.data) } }
      : {}),
  };
  const output = text === '' ? '(no output)' : text;
  if (fields.isError === true)
    return failed(text === '' ? 'the tool failed' : text.slice(0, 500), { ...more, output });
  return succeeded(output, more);
}
