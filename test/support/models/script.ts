/** A reply that a stand-in model server gives, whatever the wire. */
export interface ScriptedReply {
  /** Streamed in these pieces; a single text is cut into pieces of eight characters. */
  text?: string | string[];
  /** Reasoning text, streamed before the answer. */
  reasoning?: string;
  /** What the provider signs or encrypts the reasoning with, to be sent back to it. */
  signature?: string;
  calls?: ScriptedCall[];
  /** The model refuses to answer, in these words. */
  refusal?: string;
  /** The wire's own finish word; null sends none and ends the stream. Default: what fits the reply. */
  finish?: string | null;
  /** Over Chat Completions: stream as Ollama does. Reasoning has another name, a call comes whole, usage without details. */
  likeOllama?: boolean;
  usage?: { input: number; output: number; thinking?: number; cacheRead?: number; cacheWrite?: number };

  /** Answer with this status and body instead of a stream. An object is sent as JSON. */
  status?: number;
  body?: string | object;
  headers?: Record<string, string>;
  /** Wait before anything is sent, in milliseconds. */
  delayMs?: number;
  /** Close the connection without an answer. */
  resetBefore?: boolean;
  /** After the text: close the connection, fall silent, report an error, or send something that is no JSON. */
  breaks?: 'reset' | 'stall' | 'error' | 'garbage';
  /** The error that `breaks: 'error'` reports, in the wire's form. Default: the provider is overloaded. */
  error?: object;
}

export interface ScriptedCall {
  id?: string;
  name: string;
  /** An object is sent as JSON in two fragments; a text as it is. */
  arguments: object | string;
  /** The provider's signature on the call (Gemini). */
  signature?: string;
}

export type TestWire = 'chat' | 'responses' | 'google' | 'anthropic';

export const DEFAULT_USAGE = { input: 100, output: 10, thinking: 0, cacheRead: 0, cacheWrite: 0 };

export function textPieces(text: string | string[] | undefined): string[] {
  if (text === undefined) return [];
  return typeof text === 'string' ? (text.match(/[\s\S]{1,8}/gu) ?? []) : text;
}

export function argumentsText(call: ScriptedCall): string {
  return typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
}

export function halves(text: string): [string, string] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}

let counter = 0;

export function callId(call: ScriptedCall, prefix: string): string {
  counter += 1;
  return call.id ?? `${prefix}_${counter}`;
}

/** One server-sent event: its name, where the wire names events, and its data. */
export interface SentEvent {
  event?: string;
  data: unknown;
}

/** A reply in a wire's events: up to the end of the text, and the rest with the finish. */
export interface WireReply {
  begin: SentEvent[];
  end: SentEvent[];
  /** The event that reports an error in mid-stream. */
  error: SentEvent;
}
