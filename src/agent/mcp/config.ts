import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Fields, isFields } from '../../contract/fields.ts';
import { errorCode, errorMessage } from '../../platform/errors.ts';
import { parseRelaxedJson } from '../relaxed-json.ts';

/** A configuration of MCP servers that was named for this run, or is ours, and cannot be used. */
export class McpConfigError extends Error {
  override name = 'McpConfigError';
}

type Environment = Readonly<Record<string, string | undefined>>;

export interface StdioServer {
  type: 'stdio';
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** `env` as it stands in the file, variables not filled in. */
  writtenEnv: Readonly<Record<string, string>>;
  cwd: string | undefined;
}

export interface HttpServer {
  type: 'http';
  url: URL;
  headers: Readonly<Record<string, string>>;
}

export interface ServerConfig {
  name: string;
  /** The file it stands in. */
  source: string;
  /** It came with the repository: it is started only by a rule of the user. */
  fromWorkspace: boolean;
  transport: StdioServer | HttpServer;
  /** Longest wait for an answer, in milliseconds. */
  timeoutMs: number;
  /** Offer its tools to the model directly: all of them, or those named. */
  eager: boolean | ReadonlySet<string>;
  isOffered(tool: string): boolean;
}

export interface McpConfig {
  servers: readonly ServerConfig[];
  /** Lines for stderr. */
  notices: readonly string[];
}

export interface McpConfigOptions {
  environment: Environment;
  /** `$XDG_CONFIG_HOME/baton` */
  config: string;
  /** `~/.gemini` */
  gemini: string;
  /** Workspace folders. */
  workspace: readonly string[];
  /** Files named for this run, `--mcp-config`. */
  named: readonly string[];
}

interface Source {
  path: string;
  /** Whether what is wrong with it stops the run. */
  strict: boolean;
  /** Whether it has to exist. */
  required: boolean;
  fromWorkspace: boolean;
}

const DEFAULT_TIMEOUT_MS = 300_000;

/** `$V`, `${V}`, `${V:-default}`, and `%V%` on Windows. */
function expand(text: string, environment: Environment): string {
  const posix = text.replaceAll(
    /\$(?:\{([A-Za-z_]\w*)(?::-([^}]*))?\}|([A-Za-z_]\w*))/g,
    (_, braced: string | undefined, fallback: string | undefined, plain: string | undefined) =>
      environment[braced ?? plain ?? ''] || fallback || '',
  );
  if (process.platform !== 'win32') return posix;
  return posix.replaceAll(/%([A-Za-z_]\w*)%/g, (_, name: string) => environment[name] ?? '');
}

function readTexts(value: unknown, name: string): string[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw new McpConfigError(`${name} must be a list of texts`);
}

function readMap(value: unknown, name: string, fill: (text: string) => string): Record<string, string> {
  if (value === undefined) return {};
  if (!isFields(value)) throw new McpConfigError(`${name} must be an object`);
  const entries = Object.entries(value).map(([key, item]): [string, string] => {
    if (typeof item === 'string' || typeof item === 'number' || typeof item === 'boolean')
      return [key, fill(String(item))];
    throw new McpConfigError(`${name}.${key} must be a text`);
  });
  return Object.fromEntries(entries);
}

function readTransport(entry: Fields, environment: Environment): StdioServer | HttpServer {
  const address = entry.serverUrl ?? entry.url ?? entry.httpUrl;
  if (typeof entry.command === 'string' && entry.command !== '') {
    return {
      type: 'stdio',
      command: entry.command,
      args: readTexts(entry.args, 'args'),
      env: readMap(entry.env, 'env', (text) => expand(text, environment)),
      writtenEnv: readMap(entry.env, 'env', (text) => text),
      cwd: typeof entry.cwd === 'string' ? entry.cwd : undefined,
    };
  }
  if (typeof address !== 'string') throw new McpConfigError('it has neither command nor serverUrl');
  if (entry.authProviderType !== undefined || entry.oauth !== undefined)
    throw new McpConfigError(
      'it signs in with a browser, which a headless run cannot; give a header with a token',
    );
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw new McpConfigError(`serverUrl ${JSON.stringify(address)} is no http or https address`);
  return {
    type: 'http',
    url: new URL(address),
    headers: readMap(entry.headers, 'headers', (text) => expand(text, environment)),
  };
}

function readTimeout(entry: Fields): number {
  const seconds = entry.timeoutSeconds;
  const milliseconds = typeof seconds === 'number' ? seconds * 1_000 : entry.timeout;
  if (milliseconds === undefined || milliseconds === -1) return DEFAULT_TIMEOUT_MS;
  if (typeof milliseconds === 'number' && milliseconds > 0) return milliseconds;
  throw new McpConfigError('timeout must be a number of milliseconds (or timeoutSeconds of seconds) above 0');
}

/** `"eager": true` for all tools, `"tools": {"name": {"eager": true}}` or `"tools": [{"name": …, "eager": true}]` for some. */
function readEager(entry: Fields): boolean | ReadonlySet<string> {
  if (entry.eager === true) return true;
  const { tools } = entry;
  const named: [unknown, unknown][] = Array.isArray(tools)
    ? tools.filter(isFields).map((tool) => [tool.name, tool.eager])
    : isFields(tools)
      ? Object.entries(tools).map(([name, tool]) => [name, isFields(tool) ? tool.eager : undefined])
      : [];
  const names = named.flatMap(([name, eager]) => (eager === true && typeof name === 'string' ? [name] : []));
  return names.length > 0 ? new Set(names) : false;
}

function readServer(name: string, entry: Fields, source: Source, environment: Environment): ServerConfig {
  const enabled =
    entry.enabledTools === undefined ? undefined : new Set(readTexts(entry.enabledTools, 'enabledTools'));
  const disabled = new Set(readTexts(entry.disabledTools, 'disabledTools'));
  return {
    name,
    source: source.path,
    fromWorkspace: source.fromWorkspace,
    transport: readTransport(entry, environment),
    timeoutMs: readTimeout(entry),
    eager: readEager(entry),
    isOffered: (tool) => !disabled.has(tool) && (enabled?.has(tool) ?? true),
  };
}

function readFile(source: Source): Fields | undefined {
  let text: string;
  try {
    text = readFileSync(source.path, 'utf8');
  } catch (error) {
    const isMissing = errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR';
    if (isMissing && !source.required) return undefined;
    throw new McpConfigError(isMissing ? 'it does not exist' : errorMessage(error));
  }
  let value: unknown;
  try {
    value = text.trim() === '' ? {} : parseRelaxedJson(text);
  } catch (error) {
    throw new McpConfigError(`it is no valid JSON (${errorMessage(error)})`);
  }
  const servers = isFields(value) ? (value.mcpServers ?? {}) : undefined;
  if (!isFields(servers)) throw new McpConfigError('it must be an object with mcpServers');
  return servers;
}

/**
 * Reads the MCP servers of a run. Of several with one name the first counts: named files, ours, agy's, the workspace's.
 * @throws {McpConfigError} for a named file or one of ours that cannot be used; others give a notice
 */
export function readMcpConfig(options: McpConfigOptions): McpConfig {
  const { environment } = options;
  const sources: Source[] = [
    ...options.named.map((path) => ({ path, strict: true, required: true, fromWorkspace: false })),
    { path: join(options.config, 'mcp_config.json'), strict: true, required: false, fromWorkspace: false },
    {
      path: join(options.gemini, 'config', 'mcp_config.json'),
      strict: false,
      required: false,
      fromWorkspace: false,
    },
    ...options.workspace.map((folder) => ({
      path: join(folder, '.agents', 'mcp_config.json'),
      strict: false,
      required: false,
      fromWorkspace: true,
    })),
  ];
  const servers = new Map<string, ServerConfig>();
  const notices: string[] = [];
  const seen = new Set<string>();
  const complain = (source: Source, what: string, error: unknown): void => {
    const message = `${what}${source.path} cannot be used: ${errorMessage(error)}`;
    if (source.strict) throw new McpConfigError(message, { cause: error });
    notices.push(message);
  };
  for (const source of sources) {
    let entries: Fields = {};
    try {
      entries = readFile(source) ?? {};
    } catch (error) {
      complain(source, 'the MCP configuration ', error);
    }
    for (const [name, entry] of Object.entries(entries)) {
      if (seen.has(name)) continue;
      seen.add(name);
      try {
        if (name === '' || name.includes('/')) throw new McpConfigError('a server name holds no /');
        if (!isFields(entry)) throw new McpConfigError('it must be an object');
        if (entry.disabled !== true) servers.set(name, readServer(name, entry, source, environment));
      } catch (error) {
        complain(source, `the MCP server "${name}" of `, error);
      }
    }
  }
  return { servers: [...servers.values()], notices };
}
