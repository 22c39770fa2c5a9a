/** The slash commands that are answered without a model, under the names by which they are reported. */
const ANSWERED = new Map<string, SlashCommand>([
  ['usage', 'usage'],
  ['quota', 'usage'],
  ['model', 'model'],
  ['effort', 'effort'],
  ['skills', 'skills'],
  ['help', 'help'],
  ['agents', 'agents'],
  ['permissions', 'permissions'],
]);

export type SlashCommand = 'usage' | 'model' | 'effort' | 'skills' | 'help' | 'agents' | 'permissions';

/** What needs a terminal or has no meaning here, and what to do instead. */
const REFUSED = new Map<string, string>([
  ['clear', 'a run starts a fresh conversation unless it is given --conversation or --continue'],
  ['new', 'a run starts a fresh conversation unless it is given --conversation or --continue'],
  ['resume', 'use --conversation <id> or --continue'],
  ['fork', 'use --conversation <id> --fork'],
  ['rewind', 'use --conversation <id> --fork to go on in a copy'],
  ['compact', 'long conversations are compacted by themselves'],
  ['context', 'use --output-format json and read usage'],
  ['btw', 'send a prompt of its own'],
  ['tasks', 'background commands end with the run'],
  ['export', 'use: baton-agent conversations export <id>'],
  ['settings', 'edit settings.json'],
  ['config', 'edit settings.json'],
  ['hooks', 'there are no hooks here'],
  ['mcp', 'use --mcp-config <file>'],
  ['theme', 'it only changes an interactive screen'],
  ['keybindings', 'it only changes an interactive screen'],
  ['vim', 'it only changes an interactive screen'],
  ['copy', 'it needs an interactive screen'],
  ['open', 'it needs an interactive screen'],
  ['exit', 'a run ends by itself'],
  ['quit', 'a run ends by itself'],
  ['login', 'set the key of a provider in the environment'],
  ['logout', 'keys are in the environment, nothing is stored'],
  ['credits', 'there is no account here; ask your provider'],
  ['feedback', 'it needs an interactive screen'],
  ['changelog', 'read CHANGELOG.md of the package'],
]);

export interface SlashPrompt {
  /** Without the slash. */
  name: string;
  /** What follows the name, without the blanks around it. */
  args: string;
}

/** A prompt of the form `/name arguments`; undefined for any other text (a path, for one). */
export function readSlash(prompt: string): SlashPrompt | undefined {
  const match = /^\/([A-Za-z][\w-]*)(?:\s+([\s\S]*))?$/.exec(prompt.trim());
  return match?.[1] === undefined ? undefined : { name: match[1], args: (match[2] ?? '').trim() };
}

/** The command that answers this slash command, or undefined. */
export function answeredBy({ name }: SlashPrompt): SlashCommand | undefined {
  return ANSWERED.get(name);
}

/** Why a slash command cannot be used in print mode, or undefined when it is none that is known. */
export function refusalOf({ name }: SlashPrompt): string | undefined {
  const instead = REFUSED.get(name);
  return instead === undefined ? undefined : `/${name} is not available in print mode (${instead})`;
}

/** Why a command that the CLI answers cannot be used in a stream of prompts. */
export function streamRefusal({ name }: SlashPrompt): string {
  return (
    `/${name} is answered by the CLI itself and is unavailable with --input-format stream-json; ` +
    `run it as its own --print /${name} invocation`
  );
}

/** For `/help`: names and one line each. */
export const SLASH_HELP: readonly { name: SlashCommand | 'plan'; description: string }[] = [
  { name: 'agents', description: 'List the custom agents' },
  { name: 'effort', description: 'Show the reasoning effort of the run' },
  { name: 'help', description: 'List the slash commands' },
  { name: 'model', description: 'Show the model that a run would use' },
  { name: 'permissions', description: 'Show the permission mode and rules' },
  { name: 'plan', description: 'Plan the task that follows, changing nothing' },
  { name: 'skills', description: 'List the skills' },
  { name: 'usage', description: 'Show what the conversations kept here have used, by model' },
];
