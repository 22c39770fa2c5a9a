import type { Writable } from 'node:stream';
import type { ServerCore } from '../../server/core.ts';
import { currentFolder } from '../current-folder.ts';
import { CommandError } from '../exit.ts';
import { type FlagTable, type ParsedFlags, UsageError } from '../flags.ts';

export const SERVE_FLAGS: FlagTable = {
  http: { kind: 'optional' },
  'http-token': { kind: 'string' },
  'http-token-file': { kind: 'string' },
  tools: { kind: 'string' },
};

async function overStdio(core: ServerCore, output: Writable): Promise<void> {
  const { serveOverStdio } = await import('../../server/stdio.ts');
  await serveOverStdio(core, output);
}

async function overHttp(core: ServerCore, address: string, flags: ParsedFlags): Promise<void> {
  const { checkAddress, DEFAULT_HTTP_ADDRESS } = await import('../../server/http/address.ts');
  const { readToken } = await import('../../server/http/token.ts');
  const checked = await checkAddress(address || DEFAULT_HTTP_ADDRESS);
  const token = readToken(
    { token: flags.text('http-token'), tokenFile: flags.text('http-token-file') },
    core.environment,
  );
  const { serveHttp } = await import('../../server/http/serve-http.ts');
  const running = await serveHttp(core, { address: checked, token });
  const why = await new Promise<string>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => resolve(signal));
  });
  core.log.info('ending', { why });
  await running.close();
}

/** The address of HTTP mode ('' = the default one), or undefined for stdio. */
function httpAddress(name: 'baton' | 'agy-mcp', flags: ParsedFlags): string | undefined {
  const given = flags.text('http');
  // The Go server takes an empty address for "no HTTP", and has no use for further arguments.
  if (name === 'agy-mcp') return given || undefined;
  const [behind, ...others] = flags.rest;
  if (behind === undefined) return given;
  if (given === '' && others.length === 0 && /:\d+$/.test(behind)) return behind;
  throw new UsageError(
    `serve takes no arguments, got ${JSON.stringify(behind)}; an HTTP address is written --http=127.0.0.1:8765`,
  );
}

/**
 * Serves MCP over this process's stdin and stdout until the client goes, or over HTTP until a signal comes.
 * @param name the bin that was started: decides the state folder and the server's name
 */
export async function serve(name: 'baton' | 'agy-mcp', flags: ParsedFlags): Promise<number> {
  const address = httpAddress(name, flags);
  // Before anything else is loaded: from here on nobody else prints to stdout.
  const { claimStdout } = await import('../../server/protocol-output.ts');
  const output = claimStdout();
  const { ConfigurationError, openCore } = await import('../../server/open-core.ts');
  try {
    const opened = openCore({
      name,
      environment: process.env,
      cwd: currentFolder(),
      tools: flags.text('tools'),
      http: address !== undefined,
    });
    await (address === undefined ? overStdio(opened.core, output) : overHttp(opened.core, address, flags));
    await opened.close();
  } catch (error) {
    if (error instanceof ConfigurationError) throw new CommandError(error.message);
    throw error;
  }
  return process.exit(0);
}
