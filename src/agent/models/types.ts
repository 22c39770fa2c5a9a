import type { Usage } from '../../contract/events.ts';

/** The agent's own message form: it goes through the whole loop and the conversation file, and becomes a provider's
 * form only at the call. */
export type Message =
  | { role: 'user'; text: string }
  | { role: 'assistant'; blocks: AssistantBlock[] }
  | { role: 'tool'; results: ToolResult[] };

export type AssistantBlock =
  | { type: 'text'; text: string }
  /** Kept only to be sent back: some providers refuse a tool result without the signed reasoning before it. */
  | { type: 'reasoning'; text: string; provider?: Record<string, unknown> }
  | ({ type: 'tool_call' } & ToolCall);

export interface ToolCall {
  id: string;
  name: string;
  /** Decoded arguments, or the raw text when it was no JSON object (the loop answers that with a tool error). */
  arguments: Record<string, unknown> | string;
  provider?: Record<string, unknown>;
}

export interface ToolResult {
  id: string;
  name: string;
  output: string;
  isError: boolean;
  /** An image for the model, when the tool read one and the provider takes images. */
  image?: { mediaType: string; base64: string };
}

export interface ToolDeclaration {
  name: string;
  description: string;
  /** JSON Schema of the arguments object. */
  parameters: Record<string, unknown>;
}

export type Effort = 'low' | 'medium' | 'high';

export interface ModelRequest {
  system: string;
  messages: readonly Message[];
  tools: readonly ToolDeclaration[];
  effort?: Effort;
  /** Ask for the provider's own structured output, where it has one. */
  responseSchema?: Record<string, unknown>;
  maxOutputTokens?: number;
  signal: AbortSignal;
}

export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter';

/**
 * A piece of a reply, in order. Exactly one `finish` comes last; a stream without it has failed (ModelError).
 * Pieces of one reasoning block follow each other; one with `provider` (its text may be empty) ends its block and goes
 * with the whole of it.
 */
export type ModelPart =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string; provider?: Record<string, unknown> }
  | ({ type: 'tool_call' } & ToolCall)
  | { type: 'finish'; reason: FinishReason; usage: Usage };

/** US dollars for a million tokens. */
export interface TokenPrice {
  readonly input: number;
  readonly output: number;
  /** Absent: not known. */
  readonly cacheRead?: number;
  /** What prices are multiplied by when more than `above` tokens of input (cache reads included) are sent. */
  readonly long?: { readonly above: number; readonly input: number; readonly output: number };
}

/** One model, ready to be asked. */
export interface Model {
  /** `provider/model`, as shown in `init.model` and kept in conversations. */
  readonly id: string;
  /** Tokens that fit in one request, where known. */
  readonly contextWindow?: number;
  /** What its tokens cost, where that is known (see `costOf` in prices.ts). Absent is unknown, not free. */
  readonly price?: TokenPrice;
  /** Text that the run must print on stderr before anything is sent (scripted, recorded, local server used). */
  readonly notice?: string;
  /**
   * Streams one reply. A failure before the first part is tried again inside, and each one that is tried again is
   * reported through `onAttemptFailed` (attempts count from 1); the last failure is thrown only. After the first part
   * nothing is tried again.
   * @throws {ModelError} for every failure of the provider or of its stream, an abort included (`kind: 'aborted'`).
   */
  stream(
    request: ModelRequest,
    onAttemptFailed?: (failure: ModelError, attempt: number) => void,
  ): AsyncIterable<ModelPart>;
}

export type ModelErrorKind =
  | 'aborted'
  | 'auth'
  | 'quota'
  | 'rate_limit'
  | 'unavailable'
  | 'invalid_request'
  | 'unknown_model'
  | 'context_overflow'
  | 'stream'
  | 'network'
  | 'replay_mismatch';

/** A failed call to a model. `status` is the HTTP status where there was one. */
export class ModelError extends Error {
  override name = 'ModelError';
  readonly kind: ModelErrorKind;
  readonly status: number | undefined;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(
    kind: ModelErrorKind,
    message: string,
    options: { status?: number; retryable?: boolean; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.status = options.status;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
  }
}
