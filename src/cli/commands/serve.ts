import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { keepCompiledCode } from '../../platform/code-cache.ts';
import { VERSION } from '../../platform/version.ts';
import { CommandError } from '../exit.ts';
import { type FlagTable, parseFlags } from '../flags.ts';

export const SERVE_FLAGS: FlagTable = {
  http: { kind: 'optional' },
  'http-token': { kind: 'string' },
  'http-token-file': { kind: 'string' },
};

/**
 * Serves MCP over this process's stdin and stdout until the client goes.
 * @param name the bin that was started: decides the state folder and the server's name
 */
export async function serve(name: 'baton' | 'agy-mcp', argv: readonly string[]): Promise<number> {
  parseFlags(argv, SERVE_FLAGS, { interspersed: true, command: `${name} serve` });
  // In the package this file is one of the chunks, and they lie beside it.
  keepCompiledCode(dirname(fileURLToPath(import.meta.url)), VERSION, process.env);
  // Before anything else is loaded: from here on nobody else prints to stdout.
  const { claimStdout } = await import('../../server/protocol-output.ts');
  const output = claimStdout();
  const { ConfigurationError, openCore } = await import('../../server/open-core.ts');
  let opened: ReturnType<typeof openCore>;
  try {
    opened = openCore({ name, environment: process.env, cwd: process.cwd() });
  } catch (error) {
    if (error instanceof ConfigurationError) throw new CommandError(error.message);
    throw error;
  }
  const { serveOverStdio } = await import('../../server/stdio.ts');
  await serveOverStdio(opened.core, output);
  await opened.close();
  process.exit(0);
}
