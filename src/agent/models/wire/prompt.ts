import type { AssistantBlock, Message, ModelRequest, ToolResult } from '../types.ts';
import { asProviderOptions } from './json.ts';
import type { SdkContent, SdkMessage, SdkOptions, SdkPrompt } from './sdk.ts';

/** How a wire differs from the others in what it takes back. */
export interface WireTraits {
  /** The name under which the provider package reads and writes its own data on a part. */
  readonly name: string;
  /**
   * What becomes of earlier reasoning: `own` sends back what this wire itself signed or encrypted, `text` sends the
   * bare text of the running turn (some servers refuse a tool result without it), `none` sends nothing.
   */
  readonly reasoning: 'own' | 'text' | 'none';
  /** Whether an image may stand in a tool result; otherwise it follows in a user message. */
  readonly imageInResult: boolean;
  /** Turns a call id of any provider into one that this wire takes. The same id must always give the same result. */
  readonly callId?: (id: string) => string;
  /** Whether a schema for the answer may be asked for while tools are offered; many servers refuse the two together. */
  readonly schemaWithTools: boolean;
  /** Marks up to which messages the provider may keep its work for the next request. */
  readonly cacheMark?: SdkOptions;
}

const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** Providers refuse a request with half a character in it, which a cut text can hold. */
function wellFormed(text: string): string {
  return text.replace(LONE_SURROGATE, '\uFFFD');
}

function reasoningPart(
  block: Extract<AssistantBlock, { type: 'reasoning' }>,
  traits: WireTraits,
  isRunningTurn: boolean,
): SdkContent<'assistant'> | undefined {
  if (traits.reasoning === 'own') {
    const own = block.provider?.[traits.name];
    if (own === undefined) return undefined;
    const providerOptions = asProviderOptions({ [traits.name]: own });
    return { type: 'reasoning', text: wellFormed(block.text), providerOptions };
  }
  if (traits.reasoning === 'none' || !isRunningTurn || block.text === '') return undefined;
  return { type: 'reasoning', text: wellFormed(block.text) };
}

function assistantMessage(
  blocks: readonly AssistantBlock[],
  traits: WireTraits,
  isRunningTurn: boolean,
): SdkMessage | undefined {
  const content: SdkContent<'assistant'>[] = [];
  for (const block of blocks) {
    if (block.type === 'reasoning') {
      const part = reasoningPart(block, traits, isRunningTurn);
      if (part) content.push(part);
    } else if (block.type === 'text') {
      // An empty text is refused by some providers and means nothing to any.
      if (block.text !== '') content.push({ type: 'text', text: wellFormed(block.text) });
    } else {
      content.push({
        type: 'tool-call',
        toolCallId: traits.callId?.(block.id) ?? block.id,
        toolName: block.name,
        // Text that was no JSON object cannot be sent back as arguments; the result that follows says what was wrong.
        input: typeof block.arguments === 'string' ? {} : block.arguments,
        providerOptions: asProviderOptions(block.provider),
      });
    }
  }
  return content.length > 0 ? { role: 'assistant', content } : undefined;
}

function resultPart(result: ToolResult, traits: WireTraits): SdkContent<'tool'> {
  const shared = {
    type: 'tool-result',
    toolCallId: traits.callId?.(result.id) ?? result.id,
    toolName: result.name,
  } as const;
  const value = wellFormed(result.output);
  if (result.isError) return { ...shared, output: { type: 'error-text', value } };
  if (!result.image || !traits.imageInResult) return { ...shared, output: { type: 'text', value } };
  const { mediaType, base64 } = result.image;
  return {
    ...shared,
    output: {
      type: 'content',
      value: [
        { type: 'text', text: value },
        { type: 'image-data', mediaType, data: base64 },
      ],
    },
  };
}

function imagesAfter(results: readonly ToolResult[], traits: WireTraits): SdkMessage[] {
  if (traits.imageInResult) return [];
  return results.flatMap((result): SdkMessage[] =>
    result.image && !result.isError
      ? [
          {
            role: 'user',
            content: [
              { type: 'text', text: `The image that ${result.name} returned:` },
              { type: 'file', mediaType: result.image.mediaType, data: result.image.base64 },
            ],
          },
        ]
      : [],
  );
}

/** Every call needs its result right after it: calls whose run was cut off are given one that says so. */
function completeResults(calls: readonly AssistantBlock[], next: Message | undefined): ToolResult[] {
  const given = next?.role === 'tool' ? next.results : [];
  const missing = calls
    .filter((block) => block.type === 'tool_call')
    .filter((call) => !given.some((result) => result.id === call.id))
    .map(({ id, name }) => ({ id, name, output: 'No result: the run was interrupted.', isError: true }));
  return [...given, ...missing];
}

function markCached(prompt: SdkPrompt, mark: SdkOptions): void {
  const first = prompt[0];
  const last = prompt.at(-1);
  for (const message of first === last ? [first] : [first, last]) {
    if (message) message.providerOptions = { ...message.providerOptions, ...mark };
  }
}

/** The request's system text and messages in the form of the provider packages. */
export function toSdkPrompt(
  request: Pick<ModelRequest, 'system' | 'messages'>,
  traits: WireTraits,
): SdkPrompt {
  const prompt: SdkPrompt = [];
  if (request.system !== '') prompt.push({ role: 'system', content: wellFormed(request.system) });
  const lastUser = request.messages.findLastIndex((message) => message.role === 'user');
  request.messages.forEach((message, index) => {
    if (message.role === 'user') {
      prompt.push({ role: 'user', content: [{ type: 'text', text: wellFormed(message.text) }] });
    } else if (message.role === 'assistant') {
      const assistant = assistantMessage(message.blocks, traits, index > lastUser);
      if (!assistant) return;
      prompt.push(assistant);
      const results = completeResults(message.blocks, request.messages[index + 1]);
      if (results.length === 0) return;
      prompt.push({ role: 'tool', content: results.map((result) => resultPart(result, traits)) });
      prompt.push(...imagesAfter(results, traits));
    }
  });
  if (traits.cacheMark) markCached(prompt, traits.cacheMark);
  return prompt;
}
