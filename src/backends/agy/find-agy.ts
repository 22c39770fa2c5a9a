import { isAbsolute, join, resolve } from 'node:path';
import { executableProblem, findProgram, homeFolder } from '../find-program.ts';
import { BackendError, type Environment } from '../types.ts';

const INSTALL = 'curl -fsSL https://antigravity.google/cli/install.sh | bash';
const OTHER_WAY = 'To run jobs with the agent that comes with this package instead, set BATON_BACKEND=baton.';

/** Where installers and package managers put agy, for clients whose PATH does not name it. */
function installPlaces(environment: Environment): string[] {
  const home = homeFolder(environment);
  if (process.platform === 'win32') {
    const local = environment.LOCALAPPDATA;
    return [
      ...(local
        ? [join(local, 'agy', 'bin'), join(local, 'Antigravity'), join(local, 'Programs', 'agy')]
        : []),
      join(home, '.local', 'bin'),
    ];
  }
  return [
    join(home, '.local', 'bin'),
    join(home, '.antigravity', 'bin'),
    '/usr/local/bin',
    '/opt/homebrew/bin',
  ];
}

/** The variable that names agy, in the order in which a caller reads the two. */
function namedPath(environment: Environment, forRelay: boolean): { name: string; value: string } | undefined {
  const names = forRelay ? ['AGY_CLI_PATH', 'AGY_MCP_AGY_PATH'] : ['AGY_MCP_AGY_PATH', 'AGY_CLI_PATH'];
  for (const name of names) {
    const value = environment[name];
    if (value) return { name, value };
  }
  return undefined;
}

function resolveNamed(name: string, value: string, environment: Environment): string {
  // A bare name is looked up like a command; anything with a separator is a path.
  const bare = !/[\\/]/.test(value);
  if (bare) {
    const search = findProgram(value, environment);
    if (search.path !== undefined) return search.path;
  }
  // Configuration files are read without a shell, so nobody else expands the tilde.
  const expanded = value.replace(/^~(?=[\\/])/, homeFolder(environment));
  const path = isAbsolute(expanded) ? expanded : resolve(expanded);
  const problem = executableProblem(path);
  if (problem === undefined) return path;
  const looked = bare ? `not found on PATH, and ${path}: ${problem}` : problem;
  throw new BackendError(`config: ${name} "${value}": ${looked}`, 'not_found');
}

function notFound(forRelay: boolean, tried: string[], relative?: string): BackendError {
  const looked = tried.length === 0 ? 'PATH is empty' : `no executable "agy" in ${tried.join(', ')}`;
  if (relative !== undefined) {
    const variable = forRelay ? 'AGY_CLI_PATH' : 'AGY_MCP_AGY_PATH';
    return new BackendError(
      'agy is on PATH only through a relative entry, which cannot be used because each job runs in its own working ' +
        `directory; set ${variable} to an absolute path: the PATH entry is ${JSON.stringify(relative)}`,
      'not_found',
    );
  }
  if (!forRelay) {
    return new BackendError(
      `agy not found on PATH; set AGY_MCP_AGY_PATH: ${looked}. ${OTHER_WAY}`,
      'not_found',
    );
  }
  return new BackendError(
    [
      'Could not find the "agy" executable.',
      `This server sees the PATH that its client was started with: ${looked}.`,
      `Find it in a terminal with: ${process.platform === 'win32' ? 'where agy' : 'which agy'}`,
      `Not installed? ${INSTALL}`,
      'Installed elsewhere? Set AGY_CLI_PATH to its absolute path.',
      'The older Gemini CLI can be used with GEMINI_MCP_BACKEND=gemini (https://goo.gle/gemini-cli-migration).',
      OTHER_WAY,
    ].join('\n'),
    'not_found',
  );
}

/**
 * The absolute path of agy: from the variable of the caller's kind, else of the other kind, else PATH, else the usual
 * install places. A variable that names something unusable is an error, never passed over.
 * @throws {BackendError} `not_found`, with the places that were tried.
 */
export function findAgy(environment: Environment, forRelay: boolean): string {
  const named = namedPath(environment, forRelay);
  if (named) return resolveNamed(named.name, named.value, environment);
  const search = findProgram('agy', environment, installPlaces(environment));
  if (search.path !== undefined) return search.path;
  throw notFound(forRelay, search.tried, search.relative);
}

/**
 * What is wrong with an explicit AGY_MCP_AGY_PATH or AGY_CLI_PATH, for a check at the start of the server; undefined =
 * nothing, or none is set. A missing agy on PATH is no problem at the start: it may be installed later.
 */
export function explicitAgyProblem(environment: Environment): string | undefined {
  for (const name of ['AGY_MCP_AGY_PATH', 'AGY_CLI_PATH']) {
    const value = environment[name];
    if (!value) continue;
    try {
      resolveNamed(name, value, environment);
    } catch (error) {
      if (error instanceof BackendError) return error.message;
      throw error;
    }
  }
  return undefined;
}
