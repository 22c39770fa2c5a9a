import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isFields } from '../../contract/fields.ts';
import { configDir, stateDir } from '../../platform/paths.ts';
import { savedKeysFile } from '../../platform/saved-keys.ts';
import { supervisorSocketPath } from '../../platform/socket-path.ts';
import { readSettings } from '../permissions/settings.ts';
import type { Mode } from '../permissions/types.ts';
import { followLinks } from '../tools/resolve-path.ts';
import type { LaunchPlan, Operations } from '../tools/types.ts';
import { createWorkspace } from '../tools/workspace.ts';
import { bubblewrapArguments, explainBubblewrap, findBubblewrap } from './bubblewrap.ts';
import { SEATBELT, seatbeltCommand } from './seatbelt.ts';
import { secretPaths } from './secret-paths.ts';
import { type SandboxLimits, SandboxUnavailableError } from './types.ts';

export interface SandboxOptions {
  environment: Readonly<Record<string, string | undefined>>;
  /** The workspace folders. */
  folders: readonly string[];
  /** In plan mode even the workspace is read-only. */
  mode: Mode;
  /** Whether commands may use the network; when missing, what the settings say, else no. */
  network?: boolean;
  /** Where bubblewrap is looked for; for tests. */
  find?: typeof findBubblewrap;
}

export interface Sandbox extends Operations {
  /** Removes the run's temporary folder. Idempotent. */
  close(): void;
}

/** Doors to programs outside: agents that hold keys, message buses, displays. */
const DOORS = [
  'SSH_AUTH_SOCK',
  'GPG_AGENT_INFO',
  'DBUS_SESSION_BUS_ADDRESS',
  'XDG_RUNTIME_DIR',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'DOCKER_HOST',
  'CONTAINER_HOST',
];

function real(path: string): string {
  try {
    return followLinks(path);
  } catch {
    return path;
  }
}

/** What no command may see: keys and sign-ins, and everything of ours. */
function hiddenPaths(environment: SandboxOptions['environment']): string[] {
  const home = environment.HOME || homedir();
  const states = [stateDir(environment), stateDir(environment, 'agy-mcp')];
  const sockets = states.map((folder) => supervisorSocketPath(real(folder)));
  const own = process.platform === 'win32' ? [] : sockets.map((socket) => dirname(socket));
  const system = [
    '/etc/shadow',
    '/etc/gshadow',
    '/etc/shadow-',
    '/etc/gshadow-',
    '/etc/ssl/private',
    '/root/.ssh',
  ];
  return [
    ...new Set([...secretPaths(home), savedKeysFile(environment), ...states, ...own, ...system].map(real)),
  ];
}

function sandboxEnvironment(plan: LaunchPlan, temporary: string): Record<string, string> {
  const environment: Record<string, string> = { ...plan.environment };
  for (const name of DOORS) delete environment[name];
  environment.TMPDIR = temporary;
  environment.TMP = temporary;
  environment.TEMP = temporary;
  // Caches below the home folder cannot be written, and many tools fail where theirs cannot.
  environment.XDG_CACHE_HOME = join(temporary, '.cache');
  environment.npm_config_cache = join(temporary, '.npm');
  return environment;
}

/** Starts the sandbox once around nothing, since whether it works shows only then. */
async function probe(
  command: readonly string[],
  environment: Record<string, string>,
): Promise<string | undefined> {
  const { spawnSync } = await import('node:child_process');
  const [program = '', ...args] = command;
  const result = spawnSync(program, [...args, '/bin/sh', '-c', 'exit 0'], {
    cwd: '/',
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 10_000,
    encoding: 'utf8',
  });
  if (result.error) return result.error.message;
  return result.status === 0 ? undefined : result.stderr || `it ended with code ${result.status}`;
}

const WITHOUT = 'Commands are not run without it; leave out --sandbox to run them unprotected.';

async function checkedCommand(
  options: SandboxOptions,
  limits: SandboxLimits,
): Promise<{ name: string; command: string[] }> {
  const plain = { PATH: options.environment.PATH ?? '' };
  if (process.platform === 'linux') {
    const program = (options.find ?? findBubblewrap)(options.environment.PATH, limits.workspace);
    if (program === undefined)
      throw new SandboxUnavailableError(
        `--sandbox needs bubblewrap, which is not installed: install it (apt install bubblewrap, dnf install bubblewrap, ` +
          `pacman -S bubblewrap). ${WITHOUT}`,
      );
    const command = [program, ...bubblewrapArguments(limits)];
    const failure = await probe(command, plain);
    if (failure !== undefined)
      throw new SandboxUnavailableError(
        `--sandbox: ${program} does not work here: ${explainBubblewrap(failure)}. ${WITHOUT}`,
      );
    return { name: 'bubblewrap', command };
  }
  if (process.platform === 'darwin') {
    if (!existsSync(SEATBELT))
      throw new SandboxUnavailableError(
        `--sandbox needs ${SEATBELT}, which this macOS does not have. ${WITHOUT}`,
      );
    const command = seatbeltCommand(limits);
    const failure = await probe(command, plain);
    if (failure !== undefined)
      throw new SandboxUnavailableError(
        `--sandbox: ${SEATBELT} does not work here: ${failure.trim()}. ${WITHOUT}`,
      );
    return { name: 'sandbox-exec', command };
  }
  throw new SandboxUnavailableError(`--sandbox: there is no sandbox for ${process.platform}. ${WITHOUT}`);
}

/** `BATON_SANDBOX_NETWORK=on`, else `"sandbox": {"network": true}` in our settings. */
function isNetworkAllowed(environment: SandboxOptions['environment']): boolean {
  const given = environment.BATON_SANDBOX_NETWORK;
  if (given === 'on' || given === 'off') return given === 'on';
  if (given !== undefined && given !== '')
    throw new SandboxUnavailableError(`BATON_SANDBOX_NETWORK=${JSON.stringify(given)} is neither on nor off`);
  const settings = readSettings(join(configDir(environment), 'settings.json'));
  return isFields(settings?.sandbox) && settings.sandbox.network === true;
}

/**
 * Prepares the sandbox for the commands of a run.
 * @throws {SandboxUnavailableError} when it cannot be had: nothing is run unprotected instead.
 */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const temporary = realpathSync(mkdtempSync(join(tmpdir(), 'baton-sandbox-')));
  const close = (): void => {
    process.removeListener('exit', close);
    rmSync(temporary, { recursive: true, force: true });
  };
  // A run that ends before it was put together closes nothing.
  process.once('exit', close);
  try {
    const limits: SandboxLimits = {
      workspace: createWorkspace(options.folders).folders,
      readOnly: options.mode === 'plan',
      network: options.network ?? isNetworkAllowed(options.environment),
      hidden: hiddenPaths(options.environment),
      temporary,
    };
    const { name, command } = await checkedCommand(options, limits);
    const inside = name === 'bubblewrap' ? '/tmp' : temporary;
    return {
      sandbox: name,
      launch: (plan) => ({
        // The arguments are made anew for each command: what is to be hidden may have come up since.
        argv: [
          ...(name === 'bubblewrap'
            ? [command[0] ?? '', '--chdir', plan.cwd, ...bubblewrapArguments(limits)]
            : command),
          ...plan.argv,
        ],
        cwd: name === 'bubblewrap' ? '/' : plan.cwd,
        environment: sandboxEnvironment(plan, inside),
      }),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}
