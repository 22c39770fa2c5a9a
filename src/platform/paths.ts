import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

type Environment = Readonly<Record<string, string | undefined>>;

function xdg(environment: Environment, name: string, fallback: string): string {
  const value = environment[name];
  // The XDG specification says that a relative value is to be ignored.
  return value && isAbsolute(value) ? value : join(environment.HOME || homedir(), fallback);
}

/**
 * The folder of jobs, conversations and locks: `AGY_MCP_STATE_DIR`, else `BATON_STATE_DIR`, else
 * `$XDG_STATE_HOME/<name>`, else `~/.local/state/<name>`. Absolute; it need not exist.
 * @param name `baton`, or `agy-mcp` for the bin of that name.
 */
export function stateDir(environment: Environment, name: 'baton' | 'agy-mcp' = 'baton'): string {
  const given = environment.AGY_MCP_STATE_DIR || environment.BATON_STATE_DIR;
  if (given) return resolve(given);
  return join(xdg(environment, 'XDG_STATE_HOME', '.local/state'), name);
}

/** The folder of settings: `$XDG_CONFIG_HOME/baton`, else `~/.config/baton`. */
export function configDir(environment: Environment): string {
  return join(xdg(environment, 'XDG_CONFIG_HOME', '.config'), 'baton');
}

/** The folder of what can be made again: `$XDG_CACHE_HOME/baton`, else `~/.cache/baton`. */
export function cacheDir(environment: Environment): string {
  return join(xdg(environment, 'XDG_CACHE_HOME', '.cache'), 'baton');
}

let root: string | undefined;

/** The installed package's folder, found from this file upward (the same from src/ and from dist/). */
export function packageRoot(): string {
  if (root) return root;
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest) && readFileSync(manifest, 'utf8').includes('"name": "baton-mcp"')) break;
    const parent = dirname(folder);
    if (parent === folder)
      throw new Error(`the package.json of baton-mcp was not found above ${import.meta.url}`);
    folder = parent;
  }
  root = folder;
  return root;
}
