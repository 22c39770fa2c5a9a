import { KEY_VARIABLES } from '../../contract/provider-keys.ts';

/** Keys of model providers and tokens of ours: commands have no need of them, and their output goes to a model. */
const KEYS = new Set<string>(Object.values(KEY_VARIABLES).flat());
/** Other spellings of the same, and keys of providers that are reached by an address. */
const SECRET =
  /^((OPENAI|ANTHROPIC|GEMINI|GOOGLE|GOOGLE_GENERATIVE_AI|GOOGLE_AI|OPENROUTER|GROQ|MISTRAL|DEEPSEEK|XAI|TOGETHER|TOGETHER_AI|FIREWORKS|AZURE_OPENAI|OLLAMA|COHERE|PERPLEXITY|CEREBRAS|LMSTUDIO|LLAMACPP)_(API_?KEYS?|AUTH_TOKEN|ADMIN_KEY|TOKEN|ACCESS_TOKEN)|(BATON|AGY)_.*(TOKEN|KEY|SECRET|PASSWORD).*|ANTIGRAVITY_CSRF_TOKEN)$/i;

/** Variables through which a shell reads a file of somebody's choice before the command, or finds other folders. */
const STEERING = new Set(['BASH_ENV', 'ENV', 'CDPATH']);

/** The variable by which the processes of a run are found again, whatever became of their parents. */
export const RUN_MARK = 'BATON_COMMANDS_OF';

/**
 * A setting for every git that a command runs. Without `safe.bareRepository=explicit` a folder with the files of a bare
 * repository, which may be written like any other, decides what `git status` starts in it.
 */
function addGitSetting(environment: Record<string, string>, name: string, value: string): void {
  const given = Number(environment.GIT_CONFIG_COUNT ?? '0');
  const count = Number.isSafeInteger(given) && given > 0 ? given : 0;
  environment[`GIT_CONFIG_KEY_${count}`] = name;
  environment[`GIT_CONFIG_VALUE_${count}`] = value;
  environment.GIT_CONFIG_COUNT = String(count + 1);
}

/**
 * The environment of a command: that of the agent without its secrets, and marked so that the command can see that it
 * runs inside an agent.
 * @param runMark unique for the run
 */
export function childEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  conversationId: string,
  runMark: string,
): Record<string, string> {
  const child: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && !KEYS.has(name) && !SECRET.test(name) && !STEERING.has(name))
      child[name] = value;
  }
  child.ANTIGRAVITY_AGENT = '1';
  child.ANTIGRAVITY_CONVERSATION_ID = conversationId;
  child.PAGER = 'cat';
  child.GIT_PAGER = 'cat';
  // No prompt can be answered, so git fails at once in place of waiting for a name.
  child.GIT_TERMINAL_PROMPT ??= '0';
  addGitSetting(child, 'safe.bareRepository', 'explicit');
  child[RUN_MARK] = runMark;
  return child;
}
