import type { Capabilities } from './types.ts';

const FLAGS = {
  model: 'model',
  effort: 'effort',
  jsonSchema: 'json-schema',
  mode: 'mode',
  addDir: 'add-dir',
  conversation: 'conversation',
  printTimeout: 'print-timeout',
  sandbox: 'sandbox',
  dangerouslySkipPermissions: 'dangerously-skip-permissions',
  disableSlashCommands: 'disable-slash-commands',
  agent: 'agent',
} as const;

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
  };
}

/** Whether a help text names a flag as a word of its own (`--mode` is not in `--model`). */
function names(help: string, flag: string): boolean {
  return new RegExp(`(?:^|[^\\w-])--?${flag}(?![\\w-])`, 'm').test(help);
}

/**
 * Reads from a help text which flags this build has. Undefined when the text names none of them: then it is no help
 * text of a headless agent, and says nothing about the flags.
 */
export function readCapabilities(help: string): Capabilities | undefined {
  const found = noCapabilities();
  found.outputFormat = names(help, 'output-format') && /\bjson\b/.test(help);
  found.streamJsonInput = names(help, 'input-format') && /\bstream-json\b/.test(help);
  found.continueLatest = names(help, 'continue') || names(help, 'c');
  found.model = names(help, FLAGS.model);
  found.effort = names(help, FLAGS.effort);
  found.jsonSchema = names(help, FLAGS.jsonSchema);
  found.mode = names(help, FLAGS.mode);
  found.addDir = names(help, FLAGS.addDir);
  found.conversation = names(help, FLAGS.conversation);
  found.printTimeout = names(help, FLAGS.printTimeout);
  found.sandbox = names(help, FLAGS.sandbox);
  found.dangerouslySkipPermissions = names(help, FLAGS.dangerouslySkipPermissions);
  found.disableSlashCommands = names(help, FLAGS.disableSlashCommands);
  found.agent = names(help, FLAGS.agent);
  return Object.values(found).some(Boolean) ? found : undefined;
}
