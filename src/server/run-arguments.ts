import { EFFORTS, type Effort, RUN_MODES, type RunMode, type RunRequest } from '../backends/types.ts';
import { DurationError, parseDuration } from '../contract/duration.ts';
import type { Fields } from '../contract/fields.ts';
import { normalizeFolder } from '../jobs/start-run.ts';
import { ToolError } from './tool.ts';

export const DEFAULT_TIMEOUT_MS = 30 * 60_000;
export const MAX_TIMEOUT_MS = 24 * 3_600_000;

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

function parseEffort(value: unknown): Effort | undefined {
  const given = text(value);
  const effort = EFFORTS.find((known) => known === given);
  if (given !== undefined && effort === undefined)
    throw new ToolError(`invalid effort ${JSON.stringify(given)}: want low, medium or high`);
  return effort;
}

function parseMode(value: unknown): RunMode | undefined {
  const given = text(value);
  const mode = RUN_MODES.find((known) => known === given);
  if (given !== undefined && mode === undefined)
    throw new ToolError(`invalid mode ${JSON.stringify(given)}: want accept-edits or plan`);
  return mode;
}

function parseTimeout(value: unknown): number {
  const given = text(value);
  if (given === undefined) return DEFAULT_TIMEOUT_MS;
  const shown = JSON.stringify(given);
  let ms: number;
  try {
    ms = parseDuration(given);
  } catch (error) {
    if (error instanceof DurationError) throw new ToolError(`invalid timeout ${shown}: ${error.message}`);
    throw error;
  }
  if (ms <= 0) throw new ToolError(`invalid timeout ${shown}: want a positive Go duration like 20m`);
  if (ms > MAX_TIMEOUT_MS) throw new ToolError(`timeout ${shown} exceeds the maximum of 24h0m0s`);
  return ms;
}

/** A cap is a positive number; none at all is no cap. */
function cap(args: Fields, name: string): number | undefined {
  const value = args[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value;
  throw new ToolError(`invalid ${name} ${JSON.stringify(value)}: want a number above 0`);
}

function parseDirs(value: unknown, cwd: string): string[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  // The agent runs in cwd, so that is what a relative folder means to it.
  return value
    .filter((dir): dir is string => typeof dir === 'string')
    .map((dir) => normalizeFolder(dir, cwd));
}

/**
 * The arguments of a running tool as a request, checked in the order effort, mode, timeout.
 * @param args checked against the tool's schema
 * @param serverFolder where a relative or absent `cwd` is resolved
 * @throws {ToolError}
 */
export function readRunArguments(args: Fields, serverFolder: string): RunRequest {
  const effort = parseEffort(args.effort);
  const mode = parseMode(args.mode);
  const timeoutMs = parseTimeout(args.timeout);
  const cwd = normalizeFolder(text(args.cwd) ?? '.', serverFolder);
  return {
    prompt: typeof args.prompt === 'string' ? args.prompt : '',
    cwd,
    model: text(args.model),
    effort,
    mode,
    agent: text(args.agent),
    sandbox: args.sandbox === true || undefined,
    maxTurns: cap(args, 'max_turns'),
    maxTokens: cap(args, 'max_tokens'),
    maxCost: cap(args, 'max_cost'),
    dirs: parseDirs(args.dirs, cwd),
    conversationId: text(args.conversation_id),
    continueLatest: args.continue_latest === true || undefined,
    timeoutMs,
    jsonSchema: text(args.json_schema),
  };
}
