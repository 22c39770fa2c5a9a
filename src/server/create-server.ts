import {
  type CallToolResult,
  type McpRequestContext,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Fields } from '../contract/fields.ts';
import { isTerminal } from '../contract/outcome.ts';
import { errorMessage } from '../platform/errors.ts';
import { VERSION } from '../platform/version.ts';
import { toolCallOf } from './call-context.ts';
import { checkArguments } from './check-arguments.ts';
import type { ServerCore } from './core.ts';
import { INSTRUCTIONS } from './instructions.ts';
import { jobAnswer } from './job-answer.ts';
import { servePrompts } from './prompts/serve-prompts.ts';
import { serveResources } from './resources/serve-resources.ts';
import { BatonServer } from './tasks/baton-server.ts';
import { takesTasks } from './tasks/extension.ts';
import { serveTasks, taskOf } from './tasks/serve-tasks.ts';
import type { ToolDefinition } from './tool.ts';
import type { ToolCall } from './tool-call.ts';
import { errorResult, knowsLinks, toResult } from './tool-result.ts';
import { createToolTable, type ToolTable } from './tool-table.ts';

/** The tools, prompts and templates of a process never change, so a client may keep the lists. */
const UNCHANGING = { ttlMs: 300_000, cacheScope: 'private' } as const;

/** Called only for answers to elicitations, which no tool of ours asks for through the old push interface. */
const noElicitation = {
  getValidator: () => () => ({
    valid: false as const,
    data: undefined,
    errorMessage: 'this server checks no elicitation answers',
  }),
};

/** The call as a task: its job is begun (or found), and the client asks for it from then on. */
async function answerWithTask(
  core: ServerCore,
  start: NonNullable<ToolDefinition['startTask']>,
  args: Fields,
  call: ToolCall,
): Promise<CallToolResult> {
  const status = await start(args, call);
  if (isTerminal(status.state)) return toResult(jobAnswer(core, call.environment, status), true);
  // The SDK knows no task handle: to its types this is a result without content (see BatonServer).
  return { resultType: 'task', ...taskOf(core, status), content: [] };
}

async function callTool(
  core: ServerCore,
  tool: ToolDefinition,
  given: unknown,
  call: ToolCall,
  client: { takesTasks: boolean; knowsLinks: boolean },
): Promise<CallToolResult> {
  const checked = checkArguments(given, tool.inputSchema);
  if (!checked.ok) return errorResult(checked.fault);
  try {
    if (client.takesTasks && tool.startTask)
      return await answerWithTask(core, tool.startTask, checked.arguments, call);
    return toResult(await tool.run(checked.arguments, call), client.knowsLinks);
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
): (context?: Pick<McpRequestContext, 'era'>) => Server {
  let made: ToolTable | undefined;
  const table = (): ToolTable => {
    made ??= createToolTable(core);
    return made;
  };
  return ({ era } = { era: 'legacy' }) => {
    const server = new BatonServer(
      { name: core.name, title: 'Baton', version: VERSION },
      {
        capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} },
        instructions: INSTRUCTIONS,
        jsonSchemaValidator: noElicitation,
        cacheHints: {
          'tools/list': UNCHANGING,
          'prompts/list': UNCHANGING,
          'resources/templates/list': UNCHANGING,
        },
      },
    );
    server.setRequestHandler('tools/list', () => ({ tools: table().list }));
    server.setRequestHandler('tools/call', async (request, context: ServerContext) => {
      const { name, arguments: given } = request.params;
      const tool = table().byName.get(name);
      if (!tool)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown tool ${JSON.stringify(name)}`);
      onActive(1);
      try {
        const call = toolCallOf(core, server, context);
        return await callTool(core, tool, given, call, {
          takesTasks: takesTasks(context),
          knowsLinks: knowsLinks(server.getNegotiatedProtocolVersion()),
        });
      } finally {
        onActive(-1);
      }
    });
    serveResources(server, core, era);
    servePrompts(server, core);
    if (era === 'modern') serveTasks(server, core);
    return server;
  };
}
