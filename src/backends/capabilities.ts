import type { Capabilities } from './types.ts';

/** What a program offers of which nothing is known. */
export function noCapabilities(): Capabilities {
  return allCapabilities(false);
}

/** Every capability set to the same value. */
export function allCapabilities(value: boolean): Capabilities {
  return {
    outputFormat: value,
    streamJsonInput: value,
    model: value,
    effort: value,
    jsonSchema: value,
    mode: value,
    addDir: value,
    conversation: value,
    continueLatest: value,
    printTimeout: value,
    sandbox: value,
    dangerouslySkipPermissions: value,
    disableSlashCommands: value,
    agent: value,
    maxTurns: value,
    maxTokens: value,
    maxCost: value,
  };
}

/** Flags of our own agent that agy has not: caps of a run. */
export const NO_CAPS = { maxTurns: false, maxTokens: false, maxCost: false } as const;

/** Whether a help text names a flag as a word of its own (`--mode` is not in `--model`). */
function names(help: string, flag: string): boolean {
  return new RegExp(`(?:^|[^\\w-])--?${flag}(?![\\w-])`, 'm').test(help);
}

/**
 * Reads from a help text which flags this build has. Undefined when the text names none of them: then it is no help
 * text of a headless agent, and says nothing about the flags.
 */
export function readCapabilities(help: string): Capabilities | undefined {
  const has = (flag: string): boolean => names(help, flag);
  const found: Capabilities = {
    outputFormat: has('output-format') && /\bjson\b/.test(help),
    streamJsonInput: has('input-format') && /\bstream-json\b/.test(help),
    model: has('model'),
    effort: has('effort'),
    jsonSchema: has('json-schema'),
    mode: has('mode'),
    addDir: has('add-dir'),
    conversation: has('conversation'),
    continueLatest: has('continue') || has('c'),
    printTimeout: has('print-timeout'),
    sandbox: has('sandbox'),
    dangerouslySkipPermissions: has('dangerously-skip-permissions'),
    disableSlashCommands: has('disable-slash-commands'),
    agent: has('agent'),
    maxTurns: has('max-turns'),
    maxTokens: has('max-tokens'),
    maxCost: has('max-cost'),
  };
  return Object.values(found).some(Boolean) ? found : undefined;
}
