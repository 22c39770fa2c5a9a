import type { Environment } from './types.ts';

// Marks of an agent that Baton may itself have been started from. A nested agent that sees them refuses to start,
// stops writing its transcript, or takes itself for a part of the outer one.
const NESTING = [
  /^CLAUDECODE$/,
  /^CLAUDE_CODE_/,
  /^ANTIGRAVITY_(AGENT|CONVERSATION_ID|TRAJECTORY_ID|PROJECT_ID|LS_ADDRESS|CSRF_TOKEN|SOURCE_METADATA|APP_DATA_DIR)$/,
  /^GEMINI_CLI$/,
  /^CURSOR_AGENT$/,
  /^CURSOR_TRACE_ID$/,
];
// Secrets of this server, no business of a job.
const OWN_SECRETS = [/^AGY_MCP_HTTP_TOKEN/, /^BATON_(?:\w+_)?TOKEN(?:_\w+)?$/];

/**
 * What every run's environment differs in from its caller's: nesting marks and our own tokens removed, no browser
 * window from a run that nobody watches. Undefined removes a variable.
 */
export function childEnvironment(environment: Environment): Record<string, string | undefined> {
  const changes: Record<string, string | undefined> = {};
  const unwanted = [...NESTING, ...OWN_SECRETS];
  for (const name of Object.keys(environment)) {
    if (unwanted.some((pattern) => pattern.test(name))) changes[name] = undefined;
  }
  if (process.platform !== 'win32') changes.BROWSER = 'false';
  return changes;
}

/** An environment with changes applied, for commands that are started directly. */
export function applyEnvironment(
  environment: Environment,
  changes: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...environment, ...changes })) {
    if (value !== undefined) result[name] = value;
  }
  return result;
}
