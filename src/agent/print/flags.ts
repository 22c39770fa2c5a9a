/**
 * The command line of baton-agent as data: parser, help text and documentation read this one table.
 * The first group is the contract's (docs/agent.md, "Flags"); the second is our own.
 */

export type FlagKind = 'text' | 'switch' | 'duration' | 'count' | 'money' | 'list';

export interface FlagSpec {
  /** Without dashes; the name under which the value is kept. */
  name: string;
  /** Other names of the same flag. One letter may carry its value attached (`-phello`). */
  aliases?: readonly string[];
  kind: FlagKind;
  help: string;
  /** As shown in the help; the parser leaves an unset flag unset. */
  default?: string;
  /** Accepted, not shown in the help. */
  hidden?: boolean;
}

export const FLAGS = [
  { name: 'add-dir', kind: 'list', help: 'Add a folder to the workspace (repeatable)', default: '[]' },
  { name: 'agent', kind: 'text', help: 'Run as the custom agent of this name (see: baton-agent agents)' },
  {
    name: 'continue',
    aliases: ['c'],
    kind: 'switch',
    help: 'Continue the most recent conversation of this folder',
  },
  { name: 'conversation', kind: 'text', help: 'Resume the conversation with this id' },
  {
    name: 'dangerously-skip-permissions',
    kind: 'switch',
    help: 'Approve every tool call without asking; deny rules still bind',
  },
  {
    name: 'disable-slash-commands',
    kind: 'switch',
    help: 'Take a prompt that starts with a slash as plain text (switches skills off too)',
  },
  { name: 'effort', kind: 'text', help: 'Reasoning effort of the model: low, medium or high' },
  { name: 'input-format', kind: 'text', help: 'Form of stdin: text or stream-json', default: 'text' },
  {
    name: 'json-schema',
    kind: 'text',
    help: 'Constrain the answer: JSON Schema, path of a .json file, or string, number, integer, boolean',
  },
  { name: 'log-file', kind: 'text', help: 'Append diagnostics to this file as well' },
  { name: 'mode', kind: 'text', help: 'Permission mode of the run: accept-edits or plan' },
  {
    name: 'model',
    kind: 'text',
    help: 'Model as provider/model, slug or display name (see: baton-agent models)',
  },
  { name: 'output-format', kind: 'text', help: 'Form of stdout: text, json or stream-json', default: 'text' },
  {
    name: 'print',
    aliases: ['p', 'prompt'],
    kind: 'text',
    help: 'Run a single prompt non-interactively and print the response',
  },
  {
    name: 'print-timeout',
    kind: 'duration',
    help: 'Longest wait for a response, for each turn; 0s is no limit',
    default: '5m0s',
  },
  {
    name: 'sandbox',
    kind: 'switch',
    help: 'Run commands in a sandbox of the operating system, or not at all',
  },
  // From here on: not in agy.
  { name: 'allow', kind: 'list', help: 'Permission rule action(target) to allow in this run (repeatable)' },
  { name: 'cwd', kind: 'text', help: 'Work in this folder instead of the current one' },
  { name: 'deny', kind: 'list', help: 'Permission rule action(target) to deny in this run (repeatable)' },
  { name: 'ephemeral', kind: 'switch', help: 'Keep nothing of the conversation on disk' },
  {
    name: 'fork',
    kind: 'switch',
    help: 'With --conversation or --continue: go on in a copy under a new id, the original stays as it is',
  },
  { name: 'max-cost', kind: 'money', help: 'Stop the run once it has cost this many US dollars' },
  { name: 'max-tokens', kind: 'count', help: 'Stop the run once it has used this many tokens in total' },
  { name: 'max-turns', kind: 'count', help: 'Stop a turn after this many calls of the model' },
  { name: 'mcp-config', kind: 'list', help: 'Read MCP servers from this file as well (repeatable)' },
  { name: 'no-mcp', kind: 'switch', help: 'Start no MCP server' },
  { name: 'prompt-file', kind: 'text', help: 'Read the prompt from this file (- is stdin)' },
  {
    name: 'record',
    kind: 'text',
    help: 'Write the exchange with the model to this file, for --model replay/<file>',
  },
  { name: 'system-prompt-file', kind: 'text', help: 'Replace the built-in system prompt by this file' },
  // Taken so that scripts written for agy start, with a warning where they would mean something there.
  { name: 'prompt-interactive', aliases: ['i'], kind: 'text', help: '', hidden: true },
  { name: 'project', kind: 'text', help: '', hidden: true },
  { name: 'new-project', kind: 'switch', help: '', hidden: true },
  { name: 'gemini_dir', kind: 'text', help: '', hidden: true },
  { name: 'v', kind: 'count', help: '', hidden: true },
] as const satisfies readonly FlagSpec[];

type Flag = (typeof FLAGS)[number];
type NameOf<K extends FlagKind> = Extract<Flag, { kind: K }>['name'];
export type TextFlag = NameOf<'text'>;
export type SwitchFlag = NameOf<'switch'>;
export type ListFlag = NameOf<'list'>;
/** Durations are milliseconds, money is US dollars. */
export type NumberFlag = NameOf<'duration' | 'count' | 'money'>;

/** What was given on a command line. Flags that were not given are absent. */
export interface FlagValues {
  text: Partial<Record<TextFlag, string>>;
  switches: Partial<Record<SwitchFlag, boolean>>;
  lists: Partial<Record<ListFlag, string[]>>;
  numbers: Partial<Record<NumberFlag, number>>;
}

export const SUBCOMMANDS = [
  { name: 'agents', help: 'List the custom agents' },
  { name: 'conversations', help: 'List, show, export or prune conversations' },
  { name: 'help', help: 'Show this text' },
  { name: 'models', help: 'List the models that can be used' },
] as const;

export const PROGRAM = 'baton-agent';
