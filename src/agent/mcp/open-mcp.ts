import { commandRequests } from '../permissions/command-requests.ts';
import { quoteShellWord } from '../permissions/rule-words.ts';
import type { Decision, PermissionRequest } from '../permissions/types.ts';
import type { Tool } from '../tools/types.ts';
import { waitAtMost } from '../tools/wait.ts';
import { type McpConfigOptions, readMcpConfig, type ServerConfig, type StdioServer } from './config.ts';
import { createMcpServer, type ServerHost } from './server.ts';
import { createCallMcpTool, createDirectTool, createListMcpTools, type McpToolsHost } from './tools.ts';
import type { McpServer, McpTool } from './types.ts';

/** How long the first turn may be held up by servers whose tools are offered directly. */
const EAGER_MS = 10_000;

export interface McpOptions extends McpConfigOptions {
  conversationId: string;
  conversationFolder: string;
  home: string;
  decide(requests: readonly PermissionRequest[]): Decision;
  /** A line for stderr. */
  notice(message: string): void;
  /** Milliseconds; for tests. */
  eagerLimitMs?: number;
}

export interface McpTools {
  readonly tools: readonly Tool[];
  /** Ends every server. Idempotent, never rejects. */
  close(): Promise<void>;
}

/** What starting a server runs, as a command line; values of variables as they stand in the file, not filled in. */
function commandLineOf({ command, args, writtenEnv }: StdioServer): string {
  const assignments = Object.entries(writtenEnv).map(([name, value]) => `${name}=${quoteShellWord(value)}`);
  return [...assignments, ...[command, ...args].map(quoteShellWord)].join(' ');
}

/** Starting a server that a repository brings runs a program of its choice, so it needs the rule which that needs. */
async function refusalToStart(config: ServerConfig, options: McpOptions): Promise<string | undefined> {
  if (!config.fromWorkspace) return undefined;
  const { transport } = config;
  const cwd = options.workspace[0] ?? '/';
  const requests: PermissionRequest[] =
    transport.type === 'http'
      ? [{ action: 'read_url', url: transport.url.href }]
      : await commandRequests(commandLineOf(transport), { cwd, home: options.home, dialect: 'bash' });
  const decision = options.decide(requests);
  if (decision.verdict === 'allow') return undefined;
  const way = decision.rules.length > 0 ? `; it would be with ${decision.rules.join(', ')}` : '';
  return `the MCP server "${config.name}" comes with the workspace (${config.source}) and is not started without a rule${way}`;
}

interface Eager {
  server: McpServer;
  tools: readonly McpTool[];
}

/** The tools to be offered directly, from the servers that answer in time. All start side by side. */
async function listEager(
  pairs: readonly { config: ServerConfig; server: McpServer }[],
  options: McpOptions,
): Promise<Eager[]> {
  const limit = options.eagerLimitMs ?? EAGER_MS;
  const found = new Map<string, Eager>();
  const failed = new Set<string>();
  const never = new AbortController().signal;
  const wanted = pairs.filter(({ config }) => config.eager !== false);
  const listing = wanted.map(async ({ config, server }) => {
    try {
      const tools = await server.listTools(never);
      const { eager } = config;
      const chosen = typeof eager === 'boolean' ? tools : tools.filter((tool) => eager.has(tool.name));
      found.set(server.name, { server, tools: chosen });
    } catch {
      // The server has been named already.
      failed.add(server.name);
    }
  });
  await waitAtMost(Promise.all(listing), never, limit);
  for (const { server } of wanted) {
    if (!found.has(server.name) && !failed.has(server.name))
      options.notice(
        `the MCP server "${server.name}" did not list its tools within ${limit / 1_000} s; the run goes on without offering them directly`,
      );
  }
  return wanted.flatMap(({ server }) => found.get(server.name) ?? []);
}

/**
 * The MCP servers of a run as tools. Servers start when they are first needed; only those whose tools are offered
 * directly start at once, side by side, and hold the run up for a bounded time.
 * @returns no tools when no server is configured; then nothing is loaded either
 * @throws {McpConfigError}
 */
export async function openMcp(options: McpOptions): Promise<McpTools> {
  const config = readMcpConfig(options);
  for (const notice of config.notices) options.notice(notice);
  const host: ServerHost = {
    environment: options.environment,
    conversationId: options.conversationId,
    cwd: options.workspace[0] ?? '/',
    onDead: (message) => options.notice(message),
  };
  const pairs: { config: ServerConfig; server: McpServer }[] = [];
  for (const entry of config.servers) {
    const refusal = await refusalToStart(entry, options);
    if (refusal === undefined) pairs.push({ config: entry, server: createMcpServer(entry, host) });
    else options.notice(refusal);
  }
  if (pairs.length === 0) return { tools: [], close: async () => {} };
  const servers = pairs.map(({ server }) => server);
  const close = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.close()));
  };
  const toolsHost: McpToolsHost = { servers, conversationFolder: options.conversationFolder };
  const tools: Tool[] = [createListMcpTools(toolsHost), createCallMcpTool(toolsHost)];
  for (const { server, tools: listed } of await listEager(pairs, options)) {
    for (const tool of listed) {
      const taken = new Set(tools.map(({ declaration }) => declaration.name));
      tools.push(createDirectTool(toolsHost, server, tool, taken));
    }
  }
  return { tools, close };
}
