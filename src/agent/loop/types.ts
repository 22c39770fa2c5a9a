import type { Usage } from '../../contract/events.ts';
import type { Effort, Message, Model, ModelError, ToolCall, ToolResult } from '../models/types.ts';
import type { PreparedCall, Tool, ToolOutcome } from '../tools/types.ts';

/** An assistant message: what one call of the model replied. */
export type Reply = Extract<Message, { role: 'assistant' }>;

/**
 * What happens in a turn, in order. The receiver records and shows it; when it throws, the turn ends with that error.
 * `reply_*` events belong to the one reply that is streaming; tool events carry the call, since calls can overlap.
 */
export type LoopEvent =
  /** An attempt to call the model failed; it may be tried again. */
  | { type: 'attempt_failed'; error: ModelError; attempt: number }
  | { type: 'reply_text'; text: string }
  | { type: 'reply_done'; reply: Reply; usage: Usage; durationMs: number }
  /** The stream broke off behind its first part; the text so far is all there is. */
  | { type: 'reply_cut'; text: string; durationMs: number }
  /** A message to the model that is not the user's: what was wrong with its answer. */
  | { type: 'steered'; text: string }
  | { type: 'tool_started'; call: ToolCall; parameters: Record<string, unknown> }
  | { type: 'tool_done'; call: ToolCall; result: ToolResult; outcome: ToolOutcome; durationMs: number };

/** A cap of the run was reached. The message names the cap and its value. */
export class CapReachedError extends Error {
  override name = 'CapReachedError';
}

/** How the next call of the model differs from the others of its turn. */
export interface CallPlan {
  /** Added to the system prompt. */
  instruction?: string | undefined;
  /** Offer no tools. */
  withoutTools?: boolean | undefined;
  /** Ask for the provider's own structured output. */
  responseSchema?: Record<string, unknown> | undefined;
}

/**
 * What the loop asks others about. Each hook may end the turn by throwing.
 */
export interface LoopHooks {
  /**
   * Before each call of the model: may return other messages to go on with (compaction), and throws
   * {@link CapReachedError} when a budget is spent.
   */
  beforeModel?(messages: Message[], callsMade: number): Promise<Message[]>;
  /** How the next call is made. */
  planCall?(): CallPlan;
  /** The model refused the request as too long. Returns shorter messages to try once more, or undefined to give up. */
  onOverflow?(messages: Message[]): Promise<Message[] | undefined>;
  /** The model takes no tools at all. True: go on without them. */
  onToolsRefused?(error: ModelError): boolean;
  /** Before a prepared call runs: an outcome instead of running it (a denial), or undefined to go on. */
  beforeTool?(tool: Tool, call: ToolCall, prepared: PreparedCall): Promise<ToolOutcome | undefined>;
  /** After a call: what the model gets to see of it. */
  afterTool?(call: ToolCall, outcome: ToolOutcome): ToolOutcome;
  /** The calls of a reply have run: true ends the turn (the answer was given by a call). */
  isAnswered?(): boolean;
  /** The model ended its turn: a text sends it back to work (structured output to be repaired), undefined lets it end. */
  afterReply?(text: string): string | undefined;
}

export interface TurnOptions {
  model: Model;
  system: string;
  /** The conversation up to and with the prompt; not changed. */
  messages: readonly Message[];
  tools: readonly Tool[];
  effort?: Effort | undefined;
  hooks: LoopHooks;
  onEvent: (event: LoopEvent) => void;
  signal: AbortSignal;
  /** Milliseconds, monotonic. */
  now?: () => number;
}

/** How a turn ended by itself. Everything else is thrown. */
export interface TurnEnd {
  /** The text of the last reply: the answer. */
  text: string;
  /** `length` and `content_filter`: the answer was cut by the provider. */
  reason: 'stop' | 'length' | 'content_filter';
}
