import { readFileSync } from 'node:fs';
import { type Fields, isFields, parseJson } from '../../../contract/fields.ts';
import { writeFileAtomic } from '../../../platform/atomic-file.ts';
import { errorCode, errorMessage } from '../../../platform/errors.ts';
import {
  type Message,
  type Model,
  ModelError,
  type ModelPart,
  type ModelRequest,
  type ToolResult,
} from '../types.ts';
import {
  checkReplayFile,
  type ReplayCall,
  type ReplayFile,
  type ReplayReply,
  type ReplayTurn,
} from './format.ts';
import { type Places, resultHash, withoutFolders } from './normalise.ts';

function failed(path: string, reason: string, cause?: unknown): ModelError {
  return new ModelError('invalid_request', `cannot record to ${path}: ${reason}`, { cause });
}

/** The recording so far, or a new one. */
function openRecording(path: string, model: string): ReplayFile {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw failed(path, errorMessage(error), error);
    const date = new Date().toISOString().slice(0, 10);
    return { format: 'baton-replay', version: 1, origin: { kind: 'recorded', model, date }, turns: [] };
  }
  const file = parseJson(text);
  try {
    checkReplayFile(file);
  } catch (error) {
    throw failed(
      path,
      `the file exists and is no recording (${errorMessage(error)}); choose another name`,
      error,
    );
  }
  const { origin } = file;
  if (origin.kind === 'scripted') throw failed(path, 'the file is a script; choose another name');
  if (origin.model !== model) {
    throw failed(path, `the file is a recording of ${origin.model}, not of ${model}; choose another name`);
  }
  return file;
}

function save(path: string, file: ReplayFile): void {
  try {
    writeFileAtomic(path, `${JSON.stringify(file, undefined, 2)}\n`);
  } catch (error) {
    throw failed(path, errorMessage(error), error);
  }
}

function portableText(text: string, workspace: string): string {
  return workspace.length < 2 ? text : text.replaceAll(workspace, () => '${workspace}');
}

function portable(value: unknown, workspace: string): unknown {
  if (typeof value === 'string') return portableText(value, workspace);
  if (Array.isArray(value)) return value.map((item) => portable(item, workspace));
  return isFields(value) ? portableFields(value, workspace) : value;
}

function portableFields(value: Fields, workspace: string): Fields {
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, portable(field, workspace)]));
}

interface Gathered {
  reasoning: string;
  text: string;
  calls: Extract<ModelPart, { type: 'tool_call' }>[];
  finish: Extract<ModelPart, { type: 'finish' }>;
}

function toReply({ reasoning, text, finish }: Gathered, workspace: string): ReplayReply {
  const { input_tokens, output_tokens, thinking_tokens, cache_read_tokens } = finish.usage;
  return {
    ...(reasoning === '' ? {} : { reasoning: portableText(reasoning, workspace) }),
    ...(text === '' ? {} : { text: portableText(text, workspace) }),
    usage: { input_tokens, output_tokens, thinking_tokens, cache_read_tokens },
    ...(finish.reason === 'length' || finish.reason === 'content_filter' ? { finish: finish.reason } : {}),
  };
}

function toCall(
  { id, name, arguments: given }: Gathered['calls'][number],
  results: readonly ToolResult[],
  places: Places,
): ReplayCall {
  const result = results.find((candidate) => candidate.id === id);
  if (!result) throw new Error(`the call ${id} (${name}) has no result`);
  if (typeof given === 'string')
    throw new Error(`the call ${id} (${name}) has arguments that are no JSON object`);
  return {
    id,
    name,
    arguments: typeof given === 'string' ? given : portableFields(given, places.workspace),
    expect: resultHash(result, places),
    ...(result.isError ? { isError: true } : {}),
  };
}

/** The turn that has just ended: the user's message, each earlier reply with its calls, and the last one. */
function toTurn(
  messages: readonly Message[],
  last: Gathered,
  earlier: ReadonlyMap<string, Gathered>,
  places: Places,
): ReplayTurn {
  const at = messages.findLastIndex((message) => message.role === 'user');
  const asked = messages[at];
  const since = messages.slice(at + 1);
  const results = since.flatMap((message) => (message.role === 'tool' ? message.results : []));
  const replies = since.flatMap((message): ReplayReply[] => {
    if (message.role !== 'assistant') return [];
    const firstCall = message.blocks.find((block) => block.type === 'tool_call');
    const gathered = firstCall && earlier.get(firstCall.id);
    if (!gathered) throw new Error('an earlier reply of this turn was not seen');
    const calls = gathered.calls.map((call) => toCall(call, results, places));
    return [{ ...toReply(gathered, places.workspace), calls }];
  });
  return {
    prompt: asked?.role === 'user' ? withoutFolders(asked.text, places) : '',
    replies: [...replies, toReply(last, places.workspace)],
  };
}

/**
 * The same model, with each turn that ends well written to a replay file (see {@link ReplayFile}), so that
 * `replay/<path>` plays it back. An existing recording of the same model is appended to; anything else is left alone.
 * @throws {ModelError} `invalid_request` here when the file cannot be recorded to, and at the end of a turn when it could
 *   not be written (the reply itself has been passed on by then).
 */
export function recordModel(model: Model, path: string, places: Places): Model {
  // Found now, not after the model was paid for.
  save(path, openRecording(path, model.id));
  const earlier = new Map<string, Gathered>();

  async function* record(parts: AsyncIterable<ModelPart>, request: ModelRequest): AsyncGenerator<ModelPart> {
    let reasoning = '';
    let text = '';
    const calls: Gathered['calls'] = [];
    for await (const part of parts) {
      if (part.type === 'text') text += part.text;
      else if (part.type === 'reasoning') reasoning += part.text;
      else if (part.type === 'tool_call') calls.push(part);
      else {
        const gathered: Gathered = { reasoning, text, calls, finish: part };
        const [first] = calls;
        if (first) earlier.set(first.id, gathered);
        else appendTurn(request.messages, gathered);
      }
      yield part;
    }
  }

  function appendTurn(messages: readonly Message[], last: Gathered): void {
    let turn: ReplayTurn;
    try {
      turn = toTurn(messages, last, earlier, places);
    } catch (error) {
      throw failed(path, `${errorMessage(error)}, so the turn cannot be played back`, error);
    }
    const file = openRecording(path, model.id);
    file.turns.push(turn);
    save(path, file);
  }

  return {
    ...model,
    stream: (request, onAttemptFailed) => record(model.stream(request, onAttemptFailed), request),
  };
}
