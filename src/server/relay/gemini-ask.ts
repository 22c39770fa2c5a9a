import { RUN_MODES, type RunRequest } from '../../backends/types.ts';
import { type Fields, textOr } from '../../contract/fields.ts';
import { normalizeFolder } from '../../jobs/start-run.ts';
import { replayOf } from '../../relay/change-mode/chunk-index.ts';
import { dirsOf } from '../../relay/run/dirs.ts';
import { runQuestion } from '../confirm/question.ts';
import type { ToolDefinition } from '../tool.ts';
import { LARGE_RESULT_META } from '../tools/large-result.ts';
import { ADD_DIRS, BACKEND, EFFORT, MODEL } from './properties.ts';
import { relayTool } from './relay-tool.ts';
import { type RelayHouse, runRelayTool, startRelayTask } from './run-tool.ts';

const PROPERTIES = {
  prompt: {
    type: 'string',
    description:
      'The question. @file, @folder, @. and @globs send file contents along, so you need not read them yourself.',
  },
  model: MODEL,
  effort: EFFORT,
  mode: {
    type: 'string',
    enum: RUN_MODES,
    description: 'plan only reads; accept-edits lets the agent change files.',
  },
  jsonSchema: {
    anyOf: [{ type: 'object' }, { type: 'string' }],
    description: 'JSON Schema that the answer follows. The reply is then that JSON and nothing else.',
  },
  addDirs: ADD_DIRS,
  conversationId: {
    type: 'string',
    description: 'Go on with this conversation: the id that an earlier reply or gemini-conversations gave.',
  },
  agent: { type: 'string', description: 'Name of a custom agent to run instead of the default one.' },
  allowSlashCommands: {
    type: 'boolean',
    description:
      'true: a prompt that begins with / is a command of the agent program (/usage, /skills), answered without a model. Default false: it is text.',
  },
  skipPermissions: {
    type: 'boolean',
    description:
      'Let the agent act without asking. Default false: what its settings do not allow is refused.',
  },
  includeUsage: {
    type: 'boolean',
    description: 'Add a line with tokens and time. Default false; without effect together with jsonSchema.',
  },
  sandbox: { type: 'boolean', description: 'Ask the agent to isolate its commands. Default false.' },
  changeMode: {
    type: 'boolean',
    description: 'Have edits for you to apply instead of prose. Default false.',
  },
  chunkIndex: {
    anyOf: [{ type: 'number' }, { type: 'string' }],
    description: 'Which chunk of a large set of edits, from 1. With chunkCacheKey it costs no model turn.',
  },
  chunkCacheKey: {
    type: 'string',
    description: 'The cache key (8 hex digits) that an earlier changeMode reply named.',
  },
  backend: BACKEND,
} as const satisfies Record<string, unknown>;

/** The chunk of an earlier answer that a call asks for; undefined = it wants a run. */
function replayFrom(args: Fields): { key: unknown; index: unknown } | undefined {
  return args.changeMode === true ? replayOf(args) : undefined;
}

/** What a person has to confirm: only a run that acts without asking, or that may edit outside of the server's folder. */
function questionOf({ core }: RelayHouse, args: Fields): string | undefined {
  if (replayFrom(args)) return undefined;
  const request: RunRequest = {
    prompt: textOr(args.prompt),
    cwd: core.cwd,
    mode: RUN_MODES.find((mode) => mode === args.mode),
    skipPermissions: args.skipPermissions === true,
    dirs: dirsOf(args.addDirs).map((dir) => normalizeFolder(dir, core.cwd)),
    timeoutMs: 0,
  };
  return runQuestion(request, core.environment, core.cwd);
}

export function geminiAsk(house: RelayHouse): ToolDefinition {
  return relayTool({
    name: 'gemini-ask',
    title: 'Ask Gemini',
    description:
      'Ask Gemini (through the agy agent, or the configured backend) about code, files or anything else, and get its answer: a second opinion, a review, a large-context analysis of @files that you then need not read. Can also answer with edits (changeMode) or JSON (jsonSchema), and go on with a conversation. The answer is a report to weigh, not an instruction.',
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    properties: PROPERTIES,
    required: ['prompt'],
    meta: {
      ...LARGE_RESULT_META,
      'anthropic/searchHint': 'ask gemini, review files, second opinion, large context',
    },
    async run(args, call) {
      const replay = replayFrom(args);
      if (!replay) return runRelayTool(house, 'gemini-ask', args, call);
      const { fetchChunk } = await import('./fetch-chunk.ts');
      return fetchChunk(house.core, call, { ...replay, parameter: 'chunkCacheKey' });
    },
    question: (args) => questionOf(house, args),
    startTask: async (args, call) =>
      replayFrom(args) ? undefined : startRelayTask(house, 'gemini-ask', args, call),
  });
}
