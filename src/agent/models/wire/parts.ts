import { isFields, parseJson } from '../../../contract/fields.ts';
import { type FinishReason, ModelError, type ModelPart } from '../types.ts';
import type { SdkPart, SdkStream } from './sdk.ts';
import { toUsage } from './usage.ts';

type Metadata = Record<string, Record<string, unknown>>;

const FINISH: Partial<Record<string, FinishReason>> = {
  stop: 'stop',
  'tool-calls': 'tool_calls',
  length: 'length',
  'content-filter': 'content_filter',
};

function merge(into: Metadata, from: Metadata | undefined): void {
  for (const [provider, fields] of Object.entries(from ?? {}))
    into[provider] = { ...into[provider], ...fields };
}

function isEmpty(metadata: Metadata): boolean {
  return Object.values(metadata).every((fields) => Object.values(fields).every((field) => field == null));
}

function toolArguments(input: string): Record<string, unknown> | string {
  if (input.trim() === '') return {};
  const value = parseJson(input);
  return isFields(value) ? value : input;
}

/** The failure that a provider reported in the middle of its stream. */
export class StreamFailure extends Error {
  override name = 'StreamFailure';
  readonly reported: unknown;

  constructor(reported: unknown) {
    super('the provider reported an error in its stream');
    this.reported = reported;
  }
}

function finishOf(part: Extract<SdkPart, { type: 'finish' }>, hasCalls: boolean): ModelPart {
  const { unified, raw } = part.finishReason;
  let reason = FINISH[unified];
  if (reason === undefined) {
    throw new ModelError(
      'stream',
      `the model's reply ended with the reason ${JSON.stringify(raw ?? unified)}, which is no proper end`,
      { retryable: unified === 'error' || raw === undefined },
    );
  }
  // Some servers say "stop" after tool calls; what was called decides.
  if (hasCalls && reason === 'stop') reason = 'tool_calls';
  if (!hasCalls && reason === 'tool_calls') reason = 'stop';
  return { type: 'finish', reason, usage: toUsage(part.usage) };
}

type Reasoning = Extract<SdkPart, { type: 'reasoning-start' | 'reasoning-delta' | 'reasoning-end' }>;

/** Metadata of each open reasoning block. Anthropic signs on an empty delta, OpenAI encrypts at the end. */
function* reasoningParts(part: Reasoning, open: Map<string, Metadata>): Generator<ModelPart> {
  const metadata = open.get(part.id) ?? {};
  merge(metadata, part.providerMetadata);
  open.set(part.id, metadata);
  if (part.type === 'reasoning-delta' && part.delta !== '') yield { type: 'reasoning', text: part.delta };
  if (part.type !== 'reasoning-end') return;
  open.delete(part.id);
  if (!isEmpty(metadata)) yield { type: 'reasoning', text: '', provider: metadata };
}

/**
 * A provider package's stream as our parts.
 * @throws {StreamFailure} for an error event, {ModelError} (`stream`) for a stream that has no proper end, and whatever
 * the stream itself throws.
 */
export async function* toModelParts(stream: SdkStream): AsyncGenerator<ModelPart> {
  const open = new Map<string, Metadata>();
  let hasCalls = false;
  for await (const part of stream) {
    if (part.type === 'text-delta') {
      if (part.delta !== '') yield { type: 'text', text: part.delta };
    } else if (
      part.type === 'reasoning-start' ||
      part.type === 'reasoning-delta' ||
      part.type === 'reasoning-end'
    ) {
      yield* reasoningParts(part, open);
    } else if (part.type === 'tool-call' && !part.providerExecuted) {
      // (A tool that the provider runs by itself is part of its answer, not a call for us.)
      hasCalls = true;
      const { toolCallId: id, toolName: name, providerMetadata: provider } = part;
      yield {
        type: 'tool_call',
        id,
        name,
        arguments: toolArguments(part.input),
        ...(provider ? { provider } : {}),
      };
    } else if (part.type === 'error') {
      throw new StreamFailure(part.error);
    } else if (part.type === 'finish') {
      yield finishOf(part, hasCalls);
      return;
    }
  }
  throw new ModelError('stream', "the model's reply broke off: its stream ended without a finish", {
    retryable: true,
  });
}
