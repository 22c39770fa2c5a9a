import {
  type Backend,
  BackendError,
  EFFORTS,
  type Effort,
  RUN_MODES,
  type RunRequest,
} from '../../backends/types.ts';
import { type Fields, textOr } from '../../contract/fields.ts';
import { changeModePrompt } from '../change-mode/template.ts';
import { BLANK_PROMPT_TEXTS } from '../prompts/blank-prompt.ts';
import { type BrainstormArguments, brainstormPrompt, brainstormStartMessage } from '../prompts/brainstorm.ts';
import { type ImageArguments, imagePrompt, imageStartMessage } from '../prompts/image.ts';
import { planPrompt, planStartMessage } from '../prompts/plan.ts';
import type { RelayRunTool } from '../replies/run-tools.ts';
import { dirsOf } from './dirs.ts';

/** What a relay tool wants run, before any file was read. */
export interface RelayTask {
  /** As the caller wrote it. */
  prompt: string;
  /** What goes to the agent: the same, or the tool's own template around it. References are still in it. */
  text: string;
  request: Pick<
    RunRequest,
    | 'model'
    | 'effort'
    | 'mode'
    | 'agent'
    | 'sandbox'
    | 'conversationId'
    | 'allowSlashCommands'
    | 'skipPermissions'
    | 'jsonSchema'
  >;
  /** Further folders, as they were given. */
  dirs: string[];
  /** The first words of progress. */
  startMessage: string;
}

type Maker = (args: Fields, backend: Backend) => RelayTask;

const makers: Record<RelayRunTool, Maker> = {
  'gemini-ask': askTask,
  'gemini-plan': planTask,
  'gemini-brainstorm': brainstormTask,
  'gemini-image': imageTask,
};

/**
 * The arguments of a call as a task.
 * @param args checked against the tool's schema.
 * @throws {BackendError} for a blank prompt, and for arguments that exclude each other.
 */
export function relayTask(tool: RelayRunTool, args: Fields, backend: Backend): RelayTask {
  if (textOr(tool === 'gemini-plan' ? args.task : args.prompt).trim() === '')
    throw new BackendError(BLANK_PROMPT_TEXTS[tool]);
  return makers[tool](args, backend);
}

const filled = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;

const effortOf = (value: unknown): Effort | undefined => EFFORTS.find((effort) => effort === value);

function schemaOf(value: unknown): string | undefined {
  if (typeof value === 'string') return filled(value);
  return value === undefined ? undefined : JSON.stringify(value);
}

function askTask(args: Fields): RelayTask {
  const prompt = textOr(args.prompt);
  const jsonSchema = schemaOf(args.jsonSchema);
  if (args.changeMode === true && jsonSchema !== undefined) {
    throw new BackendError(
      'changeMode and jsonSchema exclude each other: the reply is either edits or JSON. Leave one of them out',
    );
  }
  return {
    prompt,
    text: args.changeMode === true ? changeModePrompt(prompt) : prompt,
    request: {
      model: filled(args.model),
      effort: effortOf(args.effort),
      mode: RUN_MODES.find((mode) => mode === args.mode),
      agent: filled(args.agent),
      sandbox: args.sandbox === true || undefined,
      conversationId: filled(args.conversationId),
      allowSlashCommands: args.allowSlashCommands === true || undefined,
      skipPermissions: args.skipPermissions === true || undefined,
      jsonSchema,
    },
    dirs: dirsOf(args.addDirs),
    startMessage: '🧠 Gemini is analyzing your request...',
  };
}

function planTask(args: Fields, backend: Backend): RelayTask {
  const prompt = textOr(args.task);
  const effort = effortOf(args.effort) ?? 'high';
  return {
    prompt,
    text: planPrompt({ task: prompt, context: textOr(args.context) }),
    request: { model: filled(args.model) ?? backend.pinnedModel, effort, mode: 'plan' },
    dirs: dirsOf(args.addDirs),
    startMessage: planStartMessage(effort),
  };
}

function brainstormTask(args: Fields): RelayTask {
  const wanted: BrainstormArguments = {
    prompt: textOr(args.prompt),
    methodology: filled(args.methodology),
    domain: filled(args.domain),
    constraints: filled(args.constraints),
    existingContext: filled(args.existingContext),
    ideaCount: typeof args.ideaCount === 'number' ? args.ideaCount : undefined,
    includeAnalysis: args.includeAnalysis !== false,
  };
  return {
    prompt: wanted.prompt,
    text: brainstormPrompt(wanted),
    request: { model: filled(args.model), effort: effortOf(args.effort) },
    dirs: [],
    startMessage: brainstormStartMessage(wanted),
  };
}

function imageTask(args: Fields, backend: Backend): RelayTask {
  const wanted: ImageArguments = {
    prompt: textOr(args.prompt),
    aspectRatio: filled(args.aspectRatio),
    size: filled(args.size),
  };
  return {
    prompt: wanted.prompt,
    text: imagePrompt(wanted),
    request: { model: backend.pinnedModel },
    dirs: [],
    startMessage: imageStartMessage(wanted),
  };
}
