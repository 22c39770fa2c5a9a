import { readFileSync } from 'node:fs';
import type { Usage } from '../../../contract/events.ts';
import { parseJson } from '../../../contract/fields.ts';
import { errorMessage } from '../../../platform/errors.ts';
import {
  type Message,
  type Model,
  ModelError,
  type ModelPart,
  type ModelRequest,
  type ToolResult,
} from '../types.ts';
import { findReplay, replayNames } from './find.ts';
import {
  checkReplayFile,
  type ReplayCall,
  type ReplayFile,
  type ReplayReply,
  type ReplayTurn,
  type ReplayUsage,
} from './format.ts';
import { normalise, type Places, resultHash, withoutFolders } from './normalise.ts';
import { fillArguments, fillText, type TemplateContext, TemplateError } from './template.ts';

/** Length of a streamed piece of text, in characters: a few words. */
const PIECE_LENGTH = 24;

function mismatch(message: string): ModelError {
  return new ModelError('replay_mismatch', message);
}

function usageOf(usage: ReplayUsage = {}): Usage {
  const { input_tokens = 0, output_tokens = 0, thinking_tokens = 0, cache_read_tokens = 0 } = usage;
  return {
    input_tokens,
    output_tokens,
    thinking_tokens,
    cache_read_tokens,
    total_tokens: input_tokens + output_tokens,
  };
}

/** Cuts between words where it can, never within a character. */
function* pieces(text: string): Generator<string> {
  let rest = text;
  while (rest.length > PIECE_LENGTH) {
    const space = rest.lastIndexOf(' ', PIECE_LENGTH);
    let cut = space > 0 ? space + 1 : PIECE_LENGTH;
    if (/[\uD800-\uDBFF]/.test(rest.charAt(cut - 1))) cut++;
    yield rest.slice(0, cut);
    rest = rest.slice(cut);
  }
  if (rest !== '') yield rest;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}

function shown(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}

function chooseTurn(
  file: ReplayFile,
  messages: readonly Message[],
  name: string,
  places: Places,
): ReplayTurn {
  const asked = messages
    .filter((message) => message.role === 'user')
    .map((message) => withoutFolders(message.text, places).trim());
  const prompt = asked.at(-1) ?? '';
  const answers = (turn: ReplayTurn | undefined): turn is ReplayTurn =>
    turn !== undefined &&
    (turn.prompt === undefined || withoutFolders(turn.prompt, places).trim() === prompt);
  const inPlace = file.turns[asked.length - 1];
  if (answers(inPlace)) return inPlace;
  // Another place, or another conversation: the same question asked again gets the next answer to it.
  const pinned = file.turns.filter((turn) => turn.prompt !== undefined && answers(turn));
  const before = asked.filter((earlier) => earlier === prompt).length - 1;
  const chosen = pinned[Math.min(before, pinned.length - 1)];
  if (chosen) return chosen;
  const known = file.turns.flatMap((turn) => (turn.prompt === undefined ? [] : [shown(turn.prompt)]));
  throw mismatch(
    `${name} holds no answer to the prompt ${shown(prompt)}; ${
      known.length > 0 ? `it answers: ${known.join(', ')}` : `it holds ${file.turns.length} turns`
    }. For any other question choose a real model with --model or BATON_MODEL.`,
  );
}

function checkResult(
  call: ReplayCall,
  result: ToolResult | undefined,
  name: string,
  places: Places,
): ToolResult {
  const which = `call ${call.id} (${call.name})`;
  if (!result) throw mismatch(`${name}: ${which} got no result, expected sha256 ${call.expect}`);
  const got = resultHash(result, places);
  const failed =
    result.isError === (call.isError ?? false) ? '' : result.isError ? ' (it failed)' : ' (it did not fail)';
  if (got !== call.expect || failed !== '') {
    throw mismatch(
      `${name}: the result of ${which} is not the expected one: expected sha256 ${call.expect}, got ${got}${failed}. ` +
        `The result begins: ${shown(normalise(result.output, places))}`,
    );
  }
  return result;
}

/** Where the request stands in its turn, with all results so far checked. */
function position(
  turn: ReplayTurn,
  messages: readonly Message[],
  name: string,
  places: Places,
): { reply: ReplayReply; results: Map<string, ToolResult> } {
  const since = messages.slice(messages.findLastIndex((message) => message.role === 'user') + 1);
  const given = since.flatMap((message) => (message.role === 'tool' ? message.results : []));
  const count = since.filter((message) => message.role === 'assistant').length;
  const results = new Map<string, ToolResult>();
  for (const { calls = [] } of turn.replies.slice(0, count)) {
    for (const call of calls) {
      const result = given.find(({ id }) => id === call.id);
      results.set(call.id, checkResult(call, result, name, places));
    }
  }
  const reply = turn.replies[count];
  if (!reply)
    throw mismatch(`${name}: the turn has ${turn.replies.length} replies, and a further one was asked for`);
  return { reply, results };
}

async function* playReply(
  reply: ReplayReply,
  context: TemplateContext,
  delayMs: number,
  signal: AbortSignal,
): AsyncGenerator<ModelPart> {
  // Everything is put together before the first piece goes out: a reply that cannot be made answers nothing.
  const text = fillText(reply.text ?? '', context);
  const calls = (reply.calls ?? []).map((call) => ({
    ...call,
    arguments: typeof call.arguments === 'string' ? call.arguments : fillArguments(call.arguments, context),
  }));
  const parts: ModelPart[] = [
    ...[...pieces(reply.reasoning ?? '')].map((piece) => ({ type: 'reasoning' as const, text: piece })),
    ...[...pieces(text)].map((piece) => ({ type: 'text' as const, text: piece })),
    ...calls.map(({ id, name, arguments: given }) => ({
      type: 'tool_call' as const,
      id,
      name,
      arguments: given,
    })),
  ];
  for (const part of parts) {
    await pause(delayMs, signal);
    if (signal.aborted) throw new ModelError('aborted', 'the replay was stopped');
    yield part;
  }
  const reason = reply.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop');
  yield { type: 'finish', reason, usage: usageOf(reply.usage) };
}

async function* play(
  file: ReplayFile,
  request: ModelRequest,
  name: string,
  places: Places,
): AsyncGenerator<ModelPart> {
  if (request.signal.aborted) throw new ModelError('aborted', 'the replay was stopped');
  const turn = chooseTurn(file, request.messages, name, places);
  const { reply, results } = position(turn, request.messages, name, places);
  try {
    yield* playReply(reply, { ...places, results }, file.pieceDelayMs ?? 0, request.signal);
  } catch (error) {
    if (error instanceof TemplateError) throw mismatch(`${name}: ${error.message}`);
    throw error;
  }
}

function load(path: string, name: string): ReplayFile {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new ModelError(
      'unknown_model',
      `unknown model ${JSON.stringify(`replay/${name}`)}: ${errorMessage(error)}. Scripts of this installation: ${
        replayNames().join(', ') || 'none'
      }`,
      { cause: error },
    );
  }
  const file = parseJson(text);
  try {
    checkReplayFile(file);
    return file;
  } catch (error) {
    throw new ModelError(
      'invalid_request',
      `${path} is no replay file of version 1: ${errorMessage(error)}`,
      {
        cause: error,
      },
    );
  }
}

function noticeOf(file: ReplayFile, id: string): string {
  const { origin } = file;
  return origin.kind === 'recorded'
    ? `recorded from ${origin.model} on ${origin.date} (${id}): its words are played back, the tools and their results are real`
    : `scripted model ${id}: its words come from a script, the tools and their results are real`;
}

/**
 * The model that plays a replay file (see {@link ReplayFile}). Stateless: where it stands follows from the messages.
 * @param name a script of the package, or a path (with a slash, or ending in `.json`).
 * @throws {ModelError} `unknown_model` when there is no such file, `invalid_request` when it is no replay file.
 */
export function createReplayModel(name: string, options: Places): Model {
  const id = `replay/${name}`;
  const file = load(findReplay(name), name);
  return {
    id,
    notice: noticeOf(file, id),
    stream: (request) => play(file, request, id, options),
  };
}
