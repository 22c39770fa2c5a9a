import type { AssistantBlock, Message, ToolDeclaration } from '../models/types.ts';

/** A token is about four bytes of text in most tokenizers; other scripts have more bytes and more tokens alike. */
const BYTES_PER_TOKEN = 4;
const IMAGE_TOKENS = 1500;
/** Names, roles and ids around each message. */
const MESSAGE_TOKENS = 8;

/** About how many tokens a text has. */
export function textTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

function blockTokens(block: AssistantBlock): number {
  if (block.type !== 'tool_call') return textTokens(block.text);
  const args = typeof block.arguments === 'string' ? block.arguments : JSON.stringify(block.arguments);
  return textTokens(block.name) + textTokens(args);
}

/** About how many tokens a message has. */
export function messageTokens(message: Message): number {
  if (message.role === 'user') return MESSAGE_TOKENS + textTokens(message.text);
  if (message.role === 'assistant') {
    return message.blocks.reduce((sum, block) => sum + blockTokens(block), MESSAGE_TOKENS);
  }
  return message.results.reduce(
    (sum, { output, image }) => sum + textTokens(output) + (image ? IMAGE_TOKENS : 0),
    MESSAGE_TOKENS,
  );
}

/** About how many tokens go ahead of the messages in each request. */
export function overheadTokens(system: string, tools: readonly ToolDeclaration[]): number {
  return textTokens(system) + textTokens(JSON.stringify(tools));
}
