import { join } from 'node:path';
import { findAgy } from '../../backends/agy/find-agy.ts';
import { BackendError } from '../../backends/types.ts';
import { packageRoot } from '../../platform/paths.ts';

/** A word as a shell takes it literally. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function hasAgy(): boolean {
  try {
    findAgy(process.env, false);
    return true;
  } catch (error) {
    if (error instanceof BackendError) return false;
    throw error;
  }
}

/** Node and the server's file by their absolute paths: a client's PATH may know neither. */
export function serverCommand(): string[] {
  return [process.execPath, join(packageRoot(), 'dist', 'baton.js'), 'serve'];
}

/** How this very installation is added to clients: a shell line and a configuration entry. */
export function addLines(): { claude: string; cursor: string; live: string } {
  const [program = '', ...args] = serverCommand();
  // Without agy the server would have nothing to run jobs with.
  const env = hasAgy() ? undefined : { BATON_BACKEND: 'baton' };
  const environment = env ? '-e BATON_BACKEND=baton ' : '';
  return {
    claude: `claude mcp add baton ${environment}-- ${[program, ...args].map(quoted).join(' ')}`,
    live: `${serverCommand().slice(0, 2).map(quoted).join(' ')} demo --live "What does this project do?"`,
    cursor: JSON.stringify({ mcpServers: { baton: { command: program, args, ...(env && { env }) } } }),
  };
}
