import { type Fields, isFields } from '../../../contract/fields.ts';
import type { FinishReason } from '../types.ts';

/**
 * A replay file, version 1: an exchange with a model that is played back through the real loop and the real tools.
 * JSON, UTF-8. Own input, so it is read strictly: an unknown or missing field is an error that names its place.
 *
 * ```json
 * {
 *   "format": "baton-replay",
 *   "version": 1,
 *   "origin": { "kind": "scripted" },
 *   "turns": [
 *     {
 *       "prompt": "How many TODO comments are there?",
 *       "replies": [
 *         {
 *           "text": "I count them.",
 *           "calls": [
 *             { "id": "c1", "name": "grep_search", "arguments": { "SearchPath": "${workspace}", "Query": "TODO" },
 *               "expect": "<sha256 of the result, in hex>" }
 *           ],
 *           "usage": { "input_tokens": 120, "output_tokens": 20 }
 *         },
 *         { "text": ["There are ", { "result": "c1", "count": "TODO" }, "."] }
 *       ]
 *     }
 *   ]
 * }
 * ```
 *
 * - `origin` is `{"kind":"scripted"}` or `{"kind":"recorded","model":"provider/model","date":"YYYY-MM-DD"}`.
 * - A turn answers one message of the user. With `prompt` it answers that message only (compared without white space at
 *   the ends); without, it answers whatever the message at its place says.
 * - A turn's last reply has no `calls`, all before it have some. `reasoning` (text), `usage` (whole tokens, absent = 0)
 *   and `finish` (`length`, `content_filter`) are optional.
 * - `expect` is the SHA-256 of the call's result after {@link ./normalise.ts}; a call that is meant to fail says
 *   `"isError": true`.
 * - A text is a string, or a list of strings and of pieces taken from the results of the same turn:
 *   `{"result":"c1"}` the whole, `"line": 3` one line (-1 the last), `"lines": [2, 5]` several, `"match": "regex"` the
 *   first match (its `"group"`, default 1 if the pattern has one), with `"all": true` every match joined by `"join"`
 *   (default `", "`), `"count": "regex"` the number of matches. `flags` are the pattern's flags (default `m`).
 * - `${workspace}` in texts and arguments stands for the folder of the run. A value in `arguments` may be
 *   `{"$result": {…}}` with a piece as above.
 * - `pieceDelayMs` (file) slows the text down to look alive; the default is 0.
 */
export interface ReplayFile {
  format: 'baton-replay';
  version: 1;
  origin: ReplayOrigin;
  pieceDelayMs?: number;
  turns: ReplayTurn[];
}

type ReplayOrigin = { kind: 'scripted' } | { kind: 'recorded'; model: string; date: string };

export interface ReplayTurn {
  prompt?: string;
  replies: ReplayReply[];
}

export interface ReplayReply {
  reasoning?: string;
  text?: ReplayText;
  calls?: ReplayCall[];
  usage?: ReplayUsage;
  finish?: Exclude<FinishReason, 'tool_calls' | 'stop'>;
}

export interface ReplayUsage {
  input_tokens?: number;
  output_tokens?: number;
  thinking_tokens?: number;
  cache_read_tokens?: number;
}

export interface ReplayCall {
  id: string;
  name: string;
  /** A text stands for arguments that are no JSON object. */
  arguments: Fields | string;
  /** SHA-256 in hex of the normalised result. */
  expect: string;
  isError?: boolean;
}

export type ReplayText = string | (string | ReplayPiece)[];

export interface ReplayPiece {
  result: string;
  line?: number;
  lines?: [number, number];
  match?: string;
  group?: number;
  all?: boolean;
  join?: string;
  count?: string;
  flags?: string;
}

/** A replay file that is none; the message names the file, the place and the fault. */
class ReplayFormatError extends Error {
  override name = 'ReplayFormatError';
}

type Check = (value: unknown) => boolean;
const isText: Check = (value) => typeof value === 'string';
const isCount: Check = (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0;
const isWhole: Check = (value) => Number.isInteger(value);
const isFlag: Check = (value) => typeof value === 'boolean';

function fields(value: unknown, at: string, known: Record<string, Check>, required: string[]): Fields {
  if (!isFields(value)) throw new ReplayFormatError(`${at} must be an object`);
  for (const name of required) {
    if (!(name in value)) throw new ReplayFormatError(`${at} lacks ${JSON.stringify(name)}`);
  }
  for (const [name, field] of Object.entries(value)) {
    const check = known[name];
    if (!check) throw new ReplayFormatError(`${at} has an unknown field ${JSON.stringify(name)}`);
    if (field !== undefined && !check(field)) {
      throw new ReplayFormatError(`${at}.${name} has a wrong value: ${JSON.stringify(field)?.slice(0, 80)}`);
    }
  }
  return value;
}

function list(value: unknown, at: string): unknown[] {
  if (!Array.isArray(value)) throw new ReplayFormatError(`${at} must be a list`);
  return value;
}

function isPattern(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    void new RegExp(value, 'm');
    return true;
  } catch {
    return false;
  }
}

const PIECE: Record<string, Check> = {
  result: isText,
  line: isWhole,
  lines: (value) => Array.isArray(value) && value.length === 2 && value.every(isWhole),
  match: isPattern,
  group: isCount,
  all: isFlag,
  join: isText,
  count: isPattern,
  flags: (value) => typeof value === 'string' && /^[imsu]*$/.test(value),
};

/** @throws {ReplayFormatError} unless the value is a piece. */
export function checkPiece(value: unknown, at: string): asserts value is ReplayPiece {
  const piece = fields(value, at, PIECE, ['result']);
  const ways = ['line', 'lines', 'match', 'count'].filter((name) => name in piece);
  if (ways.length > 1) throw new ReplayFormatError(`${at} takes ${ways.join(' and ')}; give one of them`);
}

function checkText(value: unknown, at: string): void {
  if (typeof value === 'string') return;
  list(value, at).forEach((piece, index) => {
    if (typeof piece !== 'string') checkPiece(piece, `${at}[${index}]`);
  });
}

function checkCall(value: unknown, at: string): void {
  fields(
    value,
    at,
    {
      id: isText,
      name: isText,
      arguments: (given) => isFields(given) || typeof given === 'string',
      expect: (hash) => typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash),
      isError: isFlag,
    },
    ['id', 'name', 'arguments', 'expect'],
  );
}

function checkReply(value: unknown, at: string, isLast: boolean): void {
  const usage = (given: unknown): boolean =>
    isFields(given) &&
    Object.entries(given).every(
      ([name, tokens]) => /^(input|output|thinking|cache_read)_tokens$/.test(name) && isCount(tokens),
    );
  const reply = fields(
    value,
    at,
    {
      reasoning: isText,
      text: () => true,
      calls: Array.isArray,
      usage,
      finish: (finish) => finish === 'length' || finish === 'content_filter',
    },
    [],
  );
  if (reply.text !== undefined) checkText(reply.text, `${at}.text`);
  const calls = list(reply.calls ?? [], `${at}.calls`);
  calls.forEach((call, index) => checkCall(call, `${at}.calls[${index}]`));
  if (isLast === calls.length > 0) {
    throw new ReplayFormatError(
      `${at} ${isLast ? 'is the last reply of its turn, but has calls' : 'has no calls'}`,
    );
  }
}

function checkOrigin(value: unknown): void {
  const origin = fields(value, 'origin', { kind: isText, model: isText, date: isText }, ['kind']);
  if (origin.kind === 'scripted') return;
  if (origin.kind !== 'recorded') throw new ReplayFormatError('origin.kind must be "scripted" or "recorded"');
  fields(origin, 'origin', { kind: isText, model: isText, date: isText }, ['model', 'date']);
}

/** @throws {ReplayFormatError} unless the value is a replay file of the version read here. */
export function checkReplayFile(value: unknown): asserts value is ReplayFile {
  const file = fields(
    value,
    'the file',
    {
      $comment: isText,
      format: (format) => format === 'baton-replay',
      version: (version) => version === 1,
      origin: isFields,
      pieceDelayMs: isCount,
      turns: Array.isArray,
    },
    ['format', 'version', 'origin', 'turns'],
  );
  checkOrigin(file.origin);
  list(file.turns, 'turns').forEach((turn, t) => {
    const { replies } = fields(turn, `turns[${t}]`, { prompt: isText, replies: Array.isArray }, ['replies']);
    const all = list(replies, `turns[${t}].replies`);
    if (all.length === 0) throw new ReplayFormatError(`turns[${t}].replies is empty`);
    all.forEach((reply, r) => checkReply(reply, `turns[${t}].replies[${r}]`, r === all.length - 1));
  });
}
