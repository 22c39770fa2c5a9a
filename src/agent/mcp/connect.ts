import {
  Client,
  ProtocolError,
  SdkError,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { errorCode, errorMessage } from '../../platform/errors.ts';
import { VERSION } from '../../platform/version.ts';
import type { HttpServer, ServerConfig, StdioServer } from './config.ts';

/** The revision without a handshake. */
const MODERN = '2026-07-28';
/** What a server said on its standard error at last, for its error message. */
const STDERR_KEPT = 2_000;

export interface Connection {
  client: Client;
  /** The process of a local server. */
  pid: number | undefined;
  close(): Promise<void>;
}

/** Never asked: answers go to a model, which takes them as they are, so they are requested without a check. */
const noValidation = {
  getValidator: () => () => ({
    valid: false as const,
    data: undefined,
    errorMessage: 'answers are not checked against their schema',
  }),
};

function createClient(modern: boolean): Client {
  return new Client(
    { name: 'baton-agent', version: VERSION },
    {
      jsonSchemaValidator: noValidation,
      ...(modern ? { versionNegotiation: { mode: { pin: MODERN } } } : {}),
    },
  );
}

interface Attempt {
  transport: Transport;
  pid: () => number | undefined;
  /** More about a failure, '' when there is nothing. */
  detail: () => string;
}

function stdioAttempt(server: StdioServer, environment: Record<string, string>, cwd: string): Attempt {
  const transport = new StdioClientTransport({
    command: server.command,
    args: [...server.args],
    env: { ...environment, ...server.env },
    cwd: server.cwd ?? cwd,
    stderr: 'pipe',
  });
  let said = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString('utf8')).slice(-STDERR_KEPT);
  });
  return {
    transport,
    pid: () => transport.pid ?? undefined,
    detail: () => (said.trim() === '' ? '' : `; it said: ${said.trim().split('\n').slice(-3).join(' | ')}`),
  };
}

function httpAttempt(server: HttpServer, kind: 'streamable' | 'sse'): Attempt {
  const requestInit = { headers: { ...server.headers } };
  const transport =
    kind === 'streamable'
      ? new StreamableHTTPClientTransport(server.url, { requestInit })
      : new SSEClientTransport(server.url, { requestInit });
  return { transport, pid: () => undefined, detail: () => '' };
}

function explain(error: unknown): string {
  if (error instanceof UnauthorizedError)
    return 'it asks for a sign-in; give a header with a token in its configuration';
  if (error instanceof SdkHttpError) return `${errorMessage(error)} (status ${error.status})`;
  if (errorCode(error) === 'ENOENT') return 'its command was not found';
  const cause = error instanceof Error && error.cause ? ` (${errorMessage(error.cause)})` : '';
  return `${errorMessage(error)}${cause}`;
}

/** Whether the server refused the way it was spoken to, so that another way may work. */
function isDialectProblem(error: unknown): boolean {
  if (error instanceof SdkHttpError) return [400, 404, 405, 406, 415].includes(error.status);
  return error instanceof ProtocolError || (error instanceof SdkError && /version|era/i.test(error.message));
}

/**
 * Starts or reaches a server and agrees on a protocol: that of 2025 first, which nearly all speak, then the one without
 * a handshake, and for an address the older event stream.
 * @throws {Error} with the cause in words, after everything was ended again
 */
export async function connect(
  config: ServerConfig,
  options: { environment: Record<string, string>; cwd: string; timeoutMs: number; signal: AbortSignal },
): Promise<Connection> {
  const { transport: server } = config;
  const ways: { modern: boolean; attempt: () => Attempt }[] =
    server.type === 'stdio'
      ? [false, true].map((modern) => ({
          modern,
          attempt: () => stdioAttempt(server, options.environment, options.cwd),
        }))
      : [
          { modern: false, attempt: () => httpAttempt(server, 'streamable') },
          { modern: true, attempt: () => httpAttempt(server, 'streamable') },
          { modern: false, attempt: () => httpAttempt(server, 'sse') },
        ];
  let failure: Error | undefined;
  for (const { modern, attempt } of ways) {
    const client = createClient(modern);
    const { transport, pid, detail } = attempt();
    try {
      await client.connect(transport, { timeout: options.timeoutMs, signal: options.signal });
      return { client, pid: pid(), close: () => client.close() };
    } catch (error) {
      await client.close().catch(() => {});
      await transport.close().catch(() => {});
      options.signal.throwIfAborted();
      failure ??= new Error(`${explain(error)}${detail()}`, { cause: error });
      if (!isDialectProblem(error)) break;
    }
  }
  throw failure ?? new Error('it could not be reached');
}
