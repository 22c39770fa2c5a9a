import type { DeniedAction, Usage } from '../../contract/events.ts';
import { type Fields, isFields } from '../../contract/fields.ts';
import type { AssistantBlock, ToolResult } from '../models/types.ts';

/**
 * A conversation is a file of records, one JSON object a line, only ever appended to. Each record names the one it
 * follows, so the file is a tree: going on from the last record resumes, going on from an earlier one forks.
 */

export const RECORD_VERSION = 1;

interface RecordBase {
  /** Unique in the file, rising. */
  id: number;
  /** The record before this one on its branch; 0 for the first. */
  parentId: number;
  /** RFC 3339, UTC. */
  at: string;
}

/** Always the first record of a file. */
export interface HeaderRecord extends RecordBase {
  type: 'conversation';
  version: number;
  conversationId: string;
  /** The folder that the conversation was started in, absolute. */
  cwd: string;
  agent?: string;
  forkedFrom?: { conversationId: string; recordId: number };
  /** The conversation whose subagent this one is. */
  parentConversationId?: string;
}

/** A process began to work on the conversation. The last one names who holds it. */
export interface SessionRecord extends RecordBase {
  type: 'session';
  pid: number;
  program: string;
  model: string;
  cwd: string;
}

export interface UserRecord extends RecordBase {
  type: 'user';
  step: number;
  text: string;
  /** Ours, in the middle of a turn: no prompt of a person, and no turn of its own. */
  steering?: true;
}

export interface AssistantRecord extends RecordBase {
  type: 'assistant';
  step: number;
  blocks: AssistantBlock[];
  usage?: Usage;
  /** The reply was cut off: only its text is kept. */
  cut?: true;
}

export interface ToolResultRecord extends RecordBase {
  type: 'tool_result';
  step: number;
  result: ToolResult;
}

/** What came before `firstKept` is from here on represented by the summary. */
export interface CompactionRecord extends RecordBase {
  type: 'compaction';
  step: number;
  summary: string;
  firstKept: number;
  usage?: Usage;
}

export interface TurnEndRecord extends RecordBase {
  type: 'turn_end';
  status: string;
  error?: string;
  usage: Usage;
  durationSeconds: number;
  /** All of the conversation so far. */
  denied?: DeniedAction[];
  structuredOutput?: unknown;
  /** US dollars; absent when the price of the model is not known. */
  costUsd?: number;
}

/** A failed call of the model, or anything else that took a step and is no part of what the model reads. */
export interface NoteRecord extends RecordBase {
  type: 'note';
  step: number;
  kind: string;
  text: string;
}

export type ConversationRecord =
  | HeaderRecord
  | SessionRecord
  | UserRecord
  | AssistantRecord
  | ToolResultRecord
  | CompactionRecord
  | TurnEndRecord
  | NoteRecord;

type Unplaced<R> = R extends RecordBase ? Omit<R, keyof RecordBase> : never;
/** A record before it has its place in the file. */
export type NewRecord = Unplaced<ConversationRecord>;

const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** What each type must have to be of use; optional fields are taken as they are. */
const REQUIRED: Record<ConversationRecord['type'], (fields: Fields) => boolean> = {
  conversation: (f) => isText(f.conversationId) && isText(f.cwd),
  session: (f) => isNumber(f.pid) && isText(f.model) && isText(f.cwd),
  user: (f) => isNumber(f.step) && isText(f.text),
  assistant: (f) => isNumber(f.step) && Array.isArray(f.blocks) && f.blocks.every(isBlock),
  tool_result: (f) => isNumber(f.step) && isResult(f.result),
  compaction: (f) => isNumber(f.step) && isText(f.summary) && isNumber(f.firstKept),
  turn_end: (f) => isText(f.status) && isFields(f.usage) && isNumber(f.durationSeconds),
  note: (f) => isNumber(f.step) && isText(f.kind) && isText(f.text),
};

const CHECKS = new Map<string, (fields: Fields) => boolean>(Object.entries(REQUIRED));

function isBlock(value: unknown): boolean {
  if (!isFields(value)) return false;
  if (value.type === 'text' || value.type === 'reasoning') return isText(value.text);
  if (value.type !== 'tool_call') return false;
  return isText(value.id) && isText(value.name) && (isText(value.arguments) || isFields(value.arguments));
}

function isResult(value: unknown): boolean {
  return isFields(value) && isText(value.id) && isText(value.name) && isText(value.output);
}

/** Whether a decoded line is a record that this version understands. */
export function isRecord(value: unknown): value is ConversationRecord {
  if (!isFields(value) || !isNumber(value.id) || !isNumber(value.parentId) || !isText(value.type))
    return false;
  return CHECKS.get(value.type)?.(value) ?? false;
}
