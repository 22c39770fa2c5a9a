import type { Fields } from '../contract/fields.ts';
import type { JobStatus } from '../jobs/types.ts';
import type { JobPart } from './resources/uri.ts';
import type { ToolCall } from './tool-call.ts';

/** The part of JSON Schema that our tools use; `check-arguments.ts` checks exactly this much. */
export interface PropertySchema {
  /** Absent = any JSON value. */
  type?: 'string' | 'boolean' | 'integer' | 'number' | 'array' | 'object';
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
  additionalProperties: boolean;
}

/** Hints of MCP; an absent one keeps its default (destructive and open world default to true). */
export interface ToolAnnotations {
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

/** What a tool answers: the object, sent both as structured content and as JSON text, or a text for people. */
export type ToolAnswer = { structured: Fields; link?: JobLink } | { text: string; isError?: boolean };

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
   * Begins (or finds) the job that `run` would wait for, for a client that takes tasks. Resolves once it is durable.
   * Absent where a call is over at once anyway.
   */
  startTask?: (args: Fields, call: ToolCall) => Promise<JobStatus>;
}

/** A refusal or failure that the caller is to read; nothing about it is a fault of ours. */
export class ToolError extends Error {
  override name = 'ToolError';
}
