import type { Fields } from '../contract/fields.ts';
import type { JobStatus } from '../jobs/types.ts';
import type { JobPart } from './resources/uri.ts';
import type { ToolCall } from './tool-call.ts';

export type JsonType = 'string' | 'boolean' | 'integer' | 'number' | 'array' | 'object';

/** The part of JSON Schema that our tools use; `check-arguments.ts` checks exactly this much. */
export interface PropertySchema {
  /** Absent = any JSON value, or one of `anyOf`. */
  type?: JsonType;
  /** The value has one of these types. */
  anyOf?: readonly { type: JsonType }[];
  /** Every property says what it is: clients show it, models choose by it. */
  description: string;
  enum?: readonly string[];
  minimum?: number;
  maximum?: number;
  items?: ItemSchema;
  properties?: Readonly<Record<string, PropertySchema>>;
  required?: readonly string[];
  additionalProperties?: boolean;
}

export type ItemSchema =
  | { type: 'string' }
  | {
      type: 'object';
      properties: Readonly<Record<string, PropertySchema>>;
      required: readonly string[];
      additionalProperties?: boolean;
    };

export interface ObjectSchema {
  type: 'object';
  properties: Readonly<Record<string, PropertySchema>>;
  required?: readonly string[];
  /** True = arguments that are not among the properties are dropped; false = they are refused. */
  additionalProperties: boolean;
}

/** Hints of MCP; an absent one keeps its default (destructive and open world default to true). */
export interface ToolAnnotations {
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

/** One piece of an answer: a text, or a picture (base64). */
export type AnswerItem = { type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string };

/**
 * What a tool answers: an object, sent both as structured content and as JSON text; a text for people; or pieces of its
 * own form, with the object beside them where the tool has an output schema.
 */
export type ToolAnswer =
  | { structured: Fields; link?: JobLink }
  | { text: string; isError?: boolean }
  | { content: readonly AnswerItem[]; structured?: Fields; isError?: boolean; link?: JobLink };

/** Where more about the answer can be read, for clients that know links to resources. */
export interface JobLink {
  jobId: string;
  part: JobPart;
  title: string;
}

export interface ToolDefinition {
  name: string;
  title: string;
  description: string;
  annotations: ToolAnnotations;
  inputSchema: ObjectSchema;
  outputSchema?: ObjectSchema;
  /** Keys of single clients (`anthropic/searchHint`, …). */
  meta?: Readonly<Record<string, unknown>>;
  /** How the tool words its errors; absent = as `check-arguments.ts` and `run` have them. */
  wording?: {
    invalid(fault: string): string;
    failed(message: string): string;
  };
  /**
   * @param args already checked against `inputSchema`.
   * @throws anything whose message is meant for the caller; it becomes an `isError` result.
   */
  run(args: Fields, call: ToolCall): Promise<ToolAnswer>;
  /**
   * What a person has to confirm before `run`, when the operator wants that (`BATON_CONFIRM`). Absent, or undefined for
   * these arguments: nothing.
   * @throws as `run` does
   */
  question?: (args: Fields) => string | undefined;
  /**
   * Begins (or finds) the job that `run` would wait for, for a client that takes tasks. Resolves once it is durable;
   * undefined = this call is over at once, and `run` answers it. Absent where every call is.
   */
  startTask?: (args: Fields, call: ToolCall) => Promise<JobStatus | undefined>;
}

/** A refusal or failure that the caller is to read; nothing about it is a fault of ours. */
export class ToolError extends Error {
  override name = 'ToolError';
}
