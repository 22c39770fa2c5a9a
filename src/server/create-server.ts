import {
  type jsonSchemaValidator,
  type McpRequestContext,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { isFields } from '../contract/fields.ts';
import { VERSION } from '../platform/version.ts';
import { callTool } from './call-tool.ts';
import type { ServerCore } from './core.ts';
import { INSTRUCTIONS } from './instructions.ts';
import { servePrompts } from './prompts/serve-prompts.ts';
import { serveResources } from './resources/serve-resources.ts';
import { BatonServer } from './tasks/baton-server.ts';
import { jobTasks, serveTasks } from './tasks/serve-tasks.ts';
import { createToolTable, type ToolTable } from './tool-table.ts';

/** The tools, prompts and templates of a process never change, so a client may keep the lists. */
const UNCHANGING = { ttlMs: 300_000, cacheScope: 'private' } as const;

// The SDK's interface has these type parameters.
/* oxlint-disable typescript/no-unnecessary-type-parameters */
/** The one form that is ever shown has no fields, so whatever object comes back fits it. */
const isFormAnswer = <T>(input: unknown): input is T => isFields(input);

const formAnswers: jsonSchemaValidator = {
  getValidator:
    <T>() =>
    (input: unknown) =>
      isFormAnswer<T>(input)
        ? { valid: true, data: input, errorMessage: undefined }
        : { valid: false, data: undefined, errorMessage: 'the answer to a form must be an object' },
};
/* oxlint-enable typescript/no-unnecessary-type-parameters */

/** Makes the server of one connection or request; without a context, one of the older protocol era. */
export type ServerFactory = (context?: Pick<McpRequestContext, 'era'>) => Server;

/**
 * Makes the function that the SDK calls for each connection (stdio) or request (HTTP): one factory for both protocol
 * eras. What it does per call is little: the tools, their schemas and the instructions are shared.
 * @param onActive told when a tool call begins (1) and ends (-1)
 */
export function createServerFactory(
  core: ServerCore,
  onActive: (change: 1 | -1) => void = () => {},
): ServerFactory {
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
        jsonSchemaValidator: formAnswers,
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
        return await callTool(core, server, tool, given, context);
      } finally {
        onActive(-1);
      }
    });
    serveResources(server, core, era);
    servePrompts(server, core, () => table().prompts);
    if (era === 'modern') serveTasks(server, jobTasks(core));
    return server;
  };
}
