/** Every variable that steers Baton, for `baton doctor` and the documentation. Values of secrets are never shown. */
export interface VariableRow {
  name: string;
  meaning: string;
  fallback: string;
  secret?: true;
}

export const VARIABLES: readonly VariableRow[] = [
  { name: 'BATON_BACKEND', meaning: 'agent that runs everything: agy, gemini, baton', fallback: 'agy' },
  {
    name: 'BATON_MODEL',
    meaning: 'model of baton-agent, as provider/model',
    fallback: 'the only provider with a key',
  },
  {
    name: 'BATON_IMAGE_MODEL',
    meaning: 'model of baton-agent that makes images, as provider/model',
    fallback: 'by keys',
  },
  { name: 'BATON_RIGHTS', meaning: 'ceiling of what runs may do: plan, workspace, full', fallback: 'full' },
  {
    name: 'BATON_CONFIRM',
    meaning:
      '1: a person confirms runs that may change more than their workspace; refused where a client cannot ask',
    fallback: '0',
  },
  {
    name: 'BATON_STATE_DIR',
    meaning: 'folder of jobs, conversations and locks',
    fallback: '$XDG_STATE_HOME/baton',
  },
  { name: 'BATON_MAX_JOBS', meaning: 'runs at once on this machine', fallback: '4' },
  { name: 'BATON_RETENTION', meaning: 'how long ended jobs are kept, from their end', fallback: '24h' },
  { name: 'BATON_RESULT_LIMIT', meaning: 'characters of an answer in one reply', fallback: '60000' },
  { name: 'BATON_OUTPUT_LIMIT', meaning: 'bytes of output before a run is stopped', fallback: '268435456' },
  { name: 'BATON_LOG', meaning: 'log level of the server: debug, info, warn, error, off', fallback: 'info' },
  {
    name: 'BATON_ROOT',
    meaning: 'folder that @file references of relay tools stay in',
    fallback: 'the server’s folder',
  },
  { name: 'BATON_AGENT_PATH', meaning: 'another baton-agent', fallback: 'the one of this package' },
  { name: 'BATON_HTTP_TOKEN', meaning: 'bearer token of HTTP mode', fallback: 'none', secret: true },
  { name: 'BATON_HTTP_TOKEN_FILE', meaning: 'file with that token', fallback: 'none' },
  { name: 'AGY_MCP_AGY_PATH', meaning: 'path of agy, read first by job tools', fallback: 'agy on PATH' },
  { name: 'AGY_CLI_PATH', meaning: 'path of agy, read first by relay tools', fallback: 'agy on PATH' },
  {
    name: 'AGY_MCP_STATE_DIR',
    meaning: 'state folder, before BATON_STATE_DIR',
    fallback: 'see BATON_STATE_DIR',
  },
  { name: 'AGY_MCP_DEFAULT_MODEL', meaning: 'model of agy runs that name none', fallback: 'agy’s own' },
  {
    name: 'AGY_MCP_SYNC_WAIT_CAP',
    meaning: 'longest inline wait, over what is known of clients',
    fallback: 'by client',
  },
  { name: 'AGY_MCP_HTTP_TOKEN', meaning: 'bearer token of HTTP mode', fallback: 'none', secret: true },
  {
    name: 'AGY_MCP_WAIT_READY_FILE',
    meaning: 'file that waiting commands create when signals are handled',
    fallback: 'none',
  },
  {
    name: 'GEMINI_MCP_BACKEND',
    meaning: 'agent of relay tools when BATON_BACKEND is unset',
    fallback: 'by date',
  },
  { name: 'GEMINI_MCP_TIMEOUT', meaning: 'deadline of a relay run, in minutes', fallback: '45' },
  {
    name: 'AGY_PRINT_TIMEOUT',
    meaning: 'agy’s own limit of a relay run, as a Go duration below that deadline',
    fallback: 'a minute less',
  },
  {
    name: 'AGY_MCP_PTY',
    meaning: '1 = an agy that prints nothing is run once more under a terminal',
    fallback: 'off',
  },
  {
    name: 'GEMINI_MCP_TEST_TOOLS',
    meaning: 'anything = gemini-timeout-test is offered as well',
    fallback: 'none',
  },
  { name: 'GEMINI_CLI_PATH', meaning: 'path of the legacy gemini CLI', fallback: 'gemini on PATH' },
  { name: 'BATON_MODEL_RETRIES', meaning: 'attempts after a failed model request', fallback: 'see docs' },
  {
    name: 'BATON_MODEL_IDLE_TIMEOUT',
    meaning: 'silence of a model stream before it counts as lost',
    fallback: 'see docs',
  },
  {
    name: 'BATON_CONTEXT_WINDOW',
    meaning: 'tokens that fit in one request of the model',
    fallback: 'what is known of it',
  },
  {
    name: 'BATON_CONVERSATIONS_MAX',
    meaning: 'what conversations of baton-agent may take on disk',
    fallback: '1GiB',
  },
  { name: 'BATON_OPENAI_API', meaning: 'OpenAI wire: responses or chat', fallback: 'by address' },
  { name: 'OPENAI_API_KEY', meaning: 'key of OpenAI and compatible servers', fallback: 'none', secret: true },
  { name: 'OPENAI_BASE_URL', meaning: 'address of an OpenAI-compatible server', fallback: 'OpenAI' },
  { name: 'GEMINI_API_KEY', meaning: 'key of Google’s Gemini API', fallback: 'none', secret: true },
  { name: 'GOOGLE_API_KEY', meaning: 'the same', fallback: 'none', secret: true },
  { name: 'GOOGLE_GENERATIVE_AI_API_KEY', meaning: 'the same', fallback: 'none', secret: true },
  { name: 'GOOGLE_GEMINI_BASE_URL', meaning: 'address of a Gemini-compatible server', fallback: 'Google' },
  { name: 'ANTHROPIC_API_KEY', meaning: 'key of Anthropic', fallback: 'none', secret: true },
  { name: 'ANTHROPIC_BASE_URL', meaning: 'address of an Anthropic-compatible server', fallback: 'Anthropic' },
  { name: 'OLLAMA_HOST', meaning: 'address of Ollama', fallback: '127.0.0.1:11434' },
  { name: 'LMSTUDIO_BASE_URL', meaning: 'address of LM Studio', fallback: 'its standard port' },
];

/** A value as it may be shown: secrets only as being set, passwords in addresses cut out. */
export function shownValue(row: VariableRow, value: string): string {
  if (row.secret) return `set (${value.length} characters)`;
  return value.replace(/\/\/[^/@\s]+@/, '//***@');
}
