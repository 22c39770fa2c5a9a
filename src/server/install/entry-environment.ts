import { findAgy } from '../../backends/agy/find-agy.ts';
import { BackendError, type Environment } from '../../backends/types.ts';
import { KEY_VARIABLES } from '../../contract/provider-keys.ts';
import { stateDir } from '../../platform/paths.ts';
import type { InstallClient } from './clients.ts';

/**
 * Settings that an entry takes over from the shell that installs it, when they are set there: the client may be started
 * from somewhere that knows nothing of them. No secrets, and nothing that may hold one (addresses of proxies do).
 */
const CARRIED = [
  'BATON_BACKEND',
  'BATON_MODEL',
  'BATON_IMAGE_MODEL',
  'BATON_RIGHTS',
  'BATON_CONFIRM',
  'BATON_ROOT',
  'BATON_MAX_JOBS',
  'BATON_RETENTION',
  'BATON_AGENT_PATH',
  'GEMINI_MCP_BACKEND',
  'AGY_MCP_AGY_PATH',
  'AGY_CLI_PATH',
  'AGY_MCP_DEFAULT_MODEL',
  'AGY_MCP_SYNC_WAIT_CAP',
  'GEMINI_CLI_PATH',
  'XDG_CONFIG_HOME',
] as const;

/** Variables that say where the state folder is. The wake hook needs the same one as the server. */
export const STATE_VARIABLES = ['AGY_MCP_STATE_DIR', 'BATON_STATE_DIR'] as const;

/** The state folder as a variable, when it is another one than a bare environment leads to. */
export function stateVariable(environment: Environment): Record<string, string> {
  const folder = stateDir(environment);
  if (folder === stateDir({ HOME: environment.HOME })) return {};
  // The variable that wins stays the one that is set.
  return { [environment.AGY_MCP_STATE_DIR ? 'AGY_MCP_STATE_DIR' : 'BATON_STATE_DIR']: folder };
}

/** The settings of the installing shell that a client's entry carries. */
export function carriedEnvironment(environment: Environment): Record<string, string> {
  const carried: Record<string, string> = { ...stateVariable(environment) };
  for (const name of CARRIED) {
    const value = environment[name];
    if (value) carried[name] = value;
  }
  return carried;
}

function hasAgy(environment: Environment): boolean {
  try {
    findAgy(environment, false);
    return true;
  } catch (error) {
    if (error instanceof BackendError) return false;
    throw error;
  }
}

/** What an entry says where neither the shell nor an entry that is there already does. */
export function defaultEnvironment(client: InstallClient, environment: Environment): Record<string, string> {
  return {
    // Without agy there would be nothing to run jobs with.
    ...(!hasAgy(environment) && { BATON_BACKEND: 'baton' }),
    ...(client.liftsCallLimit && { AGY_MCP_SYNC_WAIT_CAP: '10m' }),
    ...(client.poorPath && environment.PATH && { PATH: environment.PATH }),
  };
}

/** The provider keys that are set in this shell. */
export function setKeys(environment: Environment): string[] {
  return Object.values(KEY_VARIABLES)
    .flat()
    .filter((name) => (environment[name] ?? '').trim() !== '');
}
