import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { EXIT } from '../../contract/outcome.ts';
import { errorMessage } from '../../platform/errors.ts';
import type { Effort } from '../models/types.ts';
import type { Mode } from '../permissions/types.ts';
import type { Caps } from './caps.ts';
import type { Diagnostics } from './diagnostics.ts';
import { RunError } from './failures.ts';
import type { FlagValues } from './flags.ts';
import { OUTPUT_FORMATS, type OutputFormat } from './output.ts';
import { UsageError } from './parse-flags.ts';

export const DEFAULT_TIMEOUT_MS = 5 * 60_000;

/** The two formats: everything that is needed before anything can be reported. */
export interface Formats {
  input: 'text' | 'stream-json';
  output: OutputFormat;
}

/** What a run was asked for, checked. Paths are absolute. */
export interface PrintOptions {
  model: string | undefined;
  effort: Effort | undefined;
  /** Absolute, links followed. */
  cwd: string;
  addDirs: string[];
  timeoutMs: number;
  mode: Mode;
  skipPermissions: boolean;
  sandbox: boolean;
  allow: string[];
  deny: string[];
  caps: Caps;
  conversation: { kind: 'new' } | { kind: 'latest' } | { kind: 'id'; id: string };
  fork: boolean;
  ephemeral: boolean;
  agent: string | undefined;
  jsonSchema: string | undefined;
  slashCommands: boolean;
  systemPromptFile: string | undefined;
  mcpConfigs: string[];
  noMcp: boolean;
  record: string | undefined;
  geminiDir: string | undefined;
}

/** @throws {UsageError} */
export function readFormats(values: FlagValues): Formats {
  const input = values.text['input-format'] ?? 'text';
  if (input !== 'text' && input !== 'stream-json') {
    throw new UsageError(`unknown --input-format ${JSON.stringify(input)} (valid: text, stream-json)`);
  }
  const output = values.text['output-format'] ?? 'text';
  if (input === 'stream-json' && output !== 'stream-json') {
    throw new UsageError('--input-format stream-json requires --output-format stream-json');
  }
  const format = OUTPUT_FORMATS.find((name) => name === output);
  if (!format) {
    throw new UsageError(
      `unknown --output-format ${JSON.stringify(output)} (valid: ${OUTPUT_FORMATS.join(', ')})`,
    );
  }
  return { input, output: format };
}

function readEffort(values: FlagValues): Effort | undefined {
  const effort = values.text.effort;
  if (effort === undefined || effort === '') return undefined;
  if (effort === 'low' || effort === 'medium' || effort === 'high') return effort;
  throw new RunError(
    `${selectionFrame(values.text.model, effort)}: invalid --effort ${JSON.stringify(effort)} (valid: low, medium, high)`,
  );
}

/** How every refusal of a model begins. */
export function selectionFrame(model = '', effort = ''): string {
  return `invalid model selection (--model ${JSON.stringify(model)} --effort ${JSON.stringify(effort)})`;
}

function folderOf(flag: string, path: string, base: string): string {
  const absolute = resolve(base, path);
  try {
    if (statSync(absolute).isDirectory()) return realpathSync(absolute);
  } catch (error) {
    throw new RunError(`${flag} ${JSON.stringify(path)} cannot be used: ${errorMessage(error)}`, {
      cause: error,
    });
  }
  throw new RunError(`${flag} ${JSON.stringify(path)} cannot be used: it is no folder`);
}

function readMode(values: FlagValues, diagnostics: Diagnostics): Mode {
  const mode = values.text.mode ?? '';
  if (mode === '' || mode === 'default') return 'default';
  if (mode === 'accept-edits' || mode === 'plan') return mode;
  diagnostics.warn(`unrecognized --mode value ${JSON.stringify(mode)} (valid: accept-edits, plan)`);
  return 'default';
}

function readConversation(values: FlagValues): PrintOptions['conversation'] {
  const id = values.text.conversation;
  if (id !== undefined && id !== '') return { kind: 'id', id };
  return values.switches.continue ? { kind: 'latest' } : { kind: 'new' };
}

function warnOfForeignFlags(values: FlagValues, diagnostics: Diagnostics): void {
  if (values.text['prompt-interactive'] !== undefined) {
    diagnostics.warn('--prompt-interactive is ignored: there is no interactive mode, only --print');
  }
  for (const [flag, isGiven] of [
    ['--project', values.text.project !== undefined],
    ['--new-project', values.switches['new-project'] === true],
  ] as const) {
    if (isGiven) diagnostics.warn(`${flag} is ignored: there are no projects here`);
  }
}

/**
 * The checks behind the command line's own: what fails here is reported in the chosen output format.
 * @param here the folder the program was called in, absolute
 * @throws {RunError}
 */
export function readOptions(values: FlagValues, here: string, diagnostics: Diagnostics): PrintOptions {
  const { text, switches, lists, numbers } = values;
  const effort = readEffort(values);
  const at = (path: string | undefined): string | undefined =>
    path === undefined || path === '' ? undefined : resolve(here, path);
  warnOfForeignFlags(values, diagnostics);
  const conversation = readConversation(values);
  const fork = switches.fork ?? false;
  if (fork && conversation.kind === 'new') {
    throw new RunError('--fork needs a conversation to copy: give --conversation <id> or --continue');
  }
  if (switches.ephemeral && conversation.kind !== 'new') {
    throw new RunError('--ephemeral keeps nothing, so it cannot go with --conversation or --continue');
  }
  return {
    model: text.model === '' ? undefined : text.model,
    effort,
    cwd: folderOf('--cwd', text.cwd ?? '.', here),
    addDirs: (lists['add-dir'] ?? []).map((path) => folderOf('--add-dir', path, here)),
    timeoutMs: numbers['print-timeout'] ?? DEFAULT_TIMEOUT_MS,
    mode: readMode(values, diagnostics),
    skipPermissions: switches['dangerously-skip-permissions'] ?? false,
    sandbox: switches.sandbox ?? false,
    allow: lists.allow ?? [],
    deny: lists.deny ?? [],
    caps: {
      maxTurns: numbers['max-turns'],
      maxTokens: numbers['max-tokens'],
      maxCost: numbers['max-cost'],
    },
    conversation,
    fork,
    ephemeral: switches.ephemeral ?? false,
    agent: text.agent === '' ? undefined : text.agent,
    jsonSchema: text['json-schema'],
    slashCommands: !switches['disable-slash-commands'],
    systemPromptFile: at(text['system-prompt-file']),
    mcpConfigs: (lists['mcp-config'] ?? []).map((path) => resolve(here, path)),
    noMcp: switches['no-mcp'] ?? false,
    record: at(text.record),
    geminiDir: at(text.gemini_dir),
  };
}

/** A prompt that is none ends the run. @throws {RunError} */
export function requirePrompt(prompt: string): string {
  if (prompt.trim() === '') throw new RunError('empty prompt', { exit: EXIT.error });
  return prompt;
}
