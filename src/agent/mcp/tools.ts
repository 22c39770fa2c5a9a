import { isFields, parseJson } from '../../contract/fields.ts';
import { errorMessage } from '../../platform/errors.ts';
import { readArguments } from '../tools/arguments.ts';
import { settle, succeeded } from '../tools/outcome.ts';
import { type PreparedCall, type Tool, ToolInputError } from '../tools/types.ts';
import { cutText, toOutcome } from './result.ts';
import type { McpServer, McpTool } from './types.ts';

const DISPLAY_NAME = 'CallMcpTool';

export interface McpToolsHost {
  servers: readonly McpServer[];
  conversationFolder: string;
}

function findServer({ servers }: McpToolsHost, name: string): McpServer {
  const server = servers.find((candidate) => candidate.name === name);
  if (server) return server;
  throw new ToolInputError(
    `there is no MCP server ${JSON.stringify(name)}; there are: ${servers.map((known) => known.name).join(', ')}`,
  );
}

function prepareCall(
  host: McpToolsHost,
  server: McpServer,
  tool: string,
  args: Record<string, unknown>,
): PreparedCall {
  return {
    requests: [{ action: 'mcp', server: server.name, tool }],
    parameters: { ServerName: server.name, ToolName: tool, Arguments: args },
    run: ({ signal }) =>
      settle(signal, errorMessage, async () =>
        toOutcome(await server.callTool(tool, args, signal), host.conversationFolder),
      ),
  };
}

/** Models give the arguments as an object, or as the text of one. */
function readCallArguments(value: unknown): Record<string, unknown> {
  const decoded = typeof value === 'string' ? parseJson(value) : (value ?? {});
  if (isFields(decoded)) return decoded;
  throw new ToolInputError('Arguments must be an object with the arguments of the tool');
}

export function createCallMcpTool(host: McpToolsHost): Tool {
  const names = host.servers.map(({ name }) => name).join(', ');
  return {
    displayName: DISPLAY_NAME,
    declaration: {
      name: 'call_mcp_tool',
      description: `Calls a tool of an MCP server. The servers are: ${names}. See list_mcp_tools for their tools and arguments.`,
      parameters: {
        type: 'object',
        properties: {
          ServerName: { type: 'string', description: 'The name of the server' },
          ToolName: { type: 'string', description: 'The name of the tool' },
          Arguments: { type: 'object', description: 'The arguments of the tool' },
        },
        required: ['ServerName', 'ToolName', 'Arguments'],
      },
    },
    async prepare(raw) {
      const args = readArguments(raw);
      const server = findServer(host, args.text('ServerName'));
      return prepareCall(host, server, args.text('ToolName'), readCallArguments(args.value('Arguments')));
    },
  };
}

function describeTools(server: McpServer, tools: readonly McpTool[]): string {
  const lines = tools.map(
    ({ name, description, inputSchema }) =>
      `## ${name}\n${description}\nArguments: ${JSON.stringify(inputSchema)}`,
  );
  return [`The MCP server "${server.name}" has ${tools.length} tools.`, ...lines].join('\n\n');
}

export function createListMcpTools(host: McpToolsHost): Tool {
  return {
    displayName: 'ListMcpTools',
    declaration: {
      name: 'list_mcp_tools',
      description: 'Lists the tools of an MCP server with their arguments, for call_mcp_tool.',
      parameters: {
        type: 'object',
        properties: { ServerName: { type: 'string', description: 'The name of the server' } },
        required: ['ServerName'],
      },
    },
    async prepare(raw) {
      const server = findServer(host, readArguments(raw).text('ServerName'));
      return {
        requests: [],
        parameters: { ServerName: server.name },
        run: ({ signal }) =>
          settle(signal, errorMessage, async () => {
            const tools = await server.listTools(signal);
            const { text, fullOutputPath } = cutText(describeTools(server, tools), host.conversationFolder);
            return succeeded(text, {
              displayOutput: `${tools.length} tools`,
              ...(fullOutputPath === undefined ? {} : { fullOutputPath }),
            });
          }),
      };
    },
  };
}

/** Names that every provider takes: letters, digits, `_` and `-`, at most 64. */
function directName(server: string, tool: string, taken: ReadonlySet<string>): string {
  const plain = `mcp_${server}_${tool}`.replaceAll(/[^\w-]/g, '_').slice(0, 60);
  let name = plain;
  for (let count = 2; taken.has(name); count++) name = `${plain}_${count}`;
  return name;
}

/** A tool of a server as one of ours, for tools marked `eager`. */
export function createDirectTool(
  host: McpToolsHost,
  server: McpServer,
  tool: McpTool,
  taken: ReadonlySet<string>,
): Tool {
  return {
    displayName: DISPLAY_NAME,
    declaration: {
      name: directName(server.name, tool.name, taken),
      description: tool.description || `The tool ${tool.name} of the MCP server ${server.name}`,
      parameters: { properties: {}, ...tool.inputSchema, type: 'object' },
    },
    prepare: async (args) => prepareCall(host, server, tool.name, args),
  };
}
