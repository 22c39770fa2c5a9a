import { readFileSync } from 'node:fs';
import type { Environment } from '../../backends/types.ts';
import { errorMessage } from '../../platform/errors.ts';
import { ConfigurationError } from '../open-core.ts';

function fromFile(path: string, source: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new ConfigurationError(`${source} ${JSON.stringify(path)}: ${errorMessage(error)}`);
  }
  if (text === '')
    throw new ConfigurationError(`${source} ${JSON.stringify(path)} is empty; want the token in it`);
  return text;
}

/**
 * The bearer token of HTTP mode, or undefined for none: the flag (an empty one forces none), else a file named by a flag,
 * else `AGY_MCP_HTTP_TOKEN`, `BATON_HTTP_TOKEN`, `BATON_HTTP_TOKEN_FILE`. A token in a file or variable is not seen in
 * the process list, as the flag is.
 * @throws {ConfigurationError} for a file that cannot be read or is empty
 */
export function readToken(
  flags: { token?: string; tokenFile?: string },
  environment: Environment,
): string | undefined {
  if (flags.token !== undefined) return flags.token || undefined;
  if (flags.tokenFile) return fromFile(flags.tokenFile, '--http-token-file');
  const given = environment.AGY_MCP_HTTP_TOKEN || environment.BATON_HTTP_TOKEN;
  if (given) return given;
  const file = environment.BATON_HTTP_TOKEN_FILE;
  return file ? fromFile(file, 'BATON_HTTP_TOKEN_FILE') : undefined;
}
