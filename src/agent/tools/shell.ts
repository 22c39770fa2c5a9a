import { existsSync } from 'node:fs';
import type { Dialect } from '../permissions/shell/types.ts';

export interface Shell {
  /** How permissions read a command line for it; undefined when they cannot. */
  dialect: Dialect | undefined;
  /** For the model. */
  name: string;
  /** The program and arguments that run a command line, standard error joined to standard output. */
  argv(commandLine: string): string[];
}

const BASH = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'];

let found: Shell | undefined;

/** The shell that runs command lines: bash where there is one, else sh; PowerShell on Windows. */
export function findShell(): Shell {
  if (found) return found;
  if (process.platform === 'win32') {
    const flags = ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command'];
    found = {
      dialect: undefined,
      name: 'PowerShell',
      argv: (line) => ['powershell.exe', ...flags, `& { ${line} } 2>&1`],
    };
    return found;
  }
  const bash = BASH.find((path) => existsSync(path));
  const shell = bash ?? '/bin/sh';
  // One shell more, replaced at once, so that both streams come through one pipe and keep their order.
  found = {
    dialect: bash === undefined ? 'posix' : 'bash',
    name: bash === undefined ? 'sh' : 'bash',
    argv: (line) => ['/bin/sh', '-c', 'exec "$0" -c "$1" 2>&1', shell, line],
  };
  return found;
}
