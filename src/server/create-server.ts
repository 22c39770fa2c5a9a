import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import { isFields } from '../contract/fields.ts';
import { errorMessage } from '../platform/errors.ts';
import { VERSION } from '../platform/version.ts';
import { checkArguments } from './check-arguments.ts';
import type { ServerCore } from './core.ts';
import { INSTRUCTIONS } from './instructions.ts';
import { createProgressReporter, type ProgressReporter } from './progress.ts';
import type { ObjectSchema, ToolAnswer, ToolDefinition } from './tool.ts';
import type { ToolCall } from './tool-call.ts';
import { createTools } from './tools/index.ts';

const CLIENT_INFO_KEY = 'io.modelcontextprotocol/clientInfo';
/** The tools of a process never change, so a client may keep the list. */
const LIST_TTL_MS = 300_000;

/** Called only for answers to elicitations, which no tool of ours asks for through the old push interface. */
const noElicitation = {
  getValidator: () => () => ({
    valid: false as const,
    data: undefined,
    errorMessage: 'this server checks no elicitation answers',
  }),
};

/** Everything about the tools that is the same for each connection and request: made once per process, on first use. */
interface ToolTable {
  list: Tool[];
  byName: Map<string, ToolDefinition>;
}

type JsonSchema = Tool['inputSchema'];

function isJsonSchema(value: unknown): value is JsonSchema {
  return isFields(value) && value.type === 'object';
}

/** The same schema as plain JSON: what the SDK takes, and what goes over the wire. */
function toJson(schema: ObjectSchema): JsonSchema {
  const plain: unknown = JSON.parse(JSON.stringify(schema));
  if (!isJsonSchema(plain)) throw new TypeError('a tool schema must describe an object');
  return plain;
}

function listedTool(tool: ToolDefinition): Tool {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: toJson(tool.inputSchema),
    ...(tool.outputSchema && { outputSchema: toJson(tool.outputSchema) }),
    annotations: { title: tool.title, ...tool.annotations },
    ...(tool.meta && { _meta: { ...tool.meta } }),
  };
}

function toResult(answer: ToolAnswer): CallToolResult {
  if ('text' in answer) {
    return { content: [{ type: 'text', text: answer.text }], ...(answer.isError && { isError: true }) };
  }
  return {
    content: [{ type: 'text', text: JSON.stringify(answer.structured) }],
    structuredContent: answer.structured,
  };
}

function errorResult(message: string): CallToolResult {
  return { content: [{ type: 'text', text: message }], isError: true };
}

function clientOf(server: Server, context: ServerContext): ToolCall['client'] {
  const envelope: unknown = context.mcpReq.envelope;
  const info = isFields(envelope) ? envelope[CLIENT_INFO_KEY] : server.getClientVersion();
  if (!isFields(info) || typeof info.name !== 'string') return undefined;
  return { name: info.name, version: typeof info.version === 'string' ? info.version : '' };
}

function progressOf(context: ServerContext): ProgressReporter | undefined {
  const token = context.mcpReq._meta?.progressToken;
  // 0 and '' are tokens like any other.
  if (token === undefined) return undefined;
  return createProgressReporter(({ progress, message }) =>
    context.mcpReq.notify({
      method: 'notifications/progress',
      params: { progressToken: token, progress, message },
    }),
  );
}

async function callTool(
  core: ServerCore,
  tool: ToolDefinition,
  given: unknown,
  call: ToolCall,
): Promise<CallToolResult> {
  const checked = checkArguments(given, tool.inputSchema);
  if (!checked.ok) return errorResult(checked.fault);
  try {
    return toResult(await tool.run(checked.arguments, call));
  } catch (error) {
    core.log.info('tool call failed', { tool: tool.name, error: errorMessage(error).slice(0, 300) });
    return errorResult(errorMessage(error));
  }
}

/**
 * Makes the function that the SDK calls for each connection (stdio) or request (HTTP): one factory for both protocol
 * eras. What it does per call is little: the tools, their schemas and the instructions are shared.
 * @param onActive told when a tool call begins (1) and ends (-1)
 */
export function createServerFactory(
  core: ServerCore,
  onActive: (change: 1 | -1) => void = () => {},
): () => Server {
  let made: ToolTable | undefined;
  const table = (): ToolTable => {
    if (!made) {
      const tools = createTools(core);
      made = { list: tools.map(listedTool), byName: new Map(tools.map((tool) => [tool.name, tool])) };
    }
    return made;
  };
  return () => {
    const server = new Server(
      { name: core.name, title: 'Baton', version: VERSION },
      {
        capabilities: { tools: {} },
        instructions: INSTRUCTIONS,
        jsonSchemaValidator: noElicitation,
        cacheHints: { 'tools/list': { ttlMs: LIST_TTL_MS, cacheScope: 'private' } },
      },
    );
    server.setRequestHandler('tools/list', () => ({ tools: table().list }));
    server.setRequestHandler('tools/call', async (request, context) => {
      const { name, arguments: given } = request.params;
      const tool = table().byName.get(name);
      if (!tool)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown tool ${JSON.stringify(name)}`);
      onActive(1);
      try {
        return await callTool(core, tool, given, {
          signal: context.mcpReq.signal,
          client: clientOf(server, context),
          progress: progressOf(context),
          arrivedAt: performance.now(),
          environment: core.environment,
        });
      } finally {
        onActive(-1);
      }
    });
    return server;
  };
}
