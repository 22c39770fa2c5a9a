import type { Tool } from '@modelcontextprotocol/server';
import { isFields } from '../contract/fields.ts';
import type { ServerCore } from './core.ts';
import { JOB_PROMPTS } from './prompts/job-prompts.ts';
import type { PromptDefinition } from './prompts/prompt.ts';
import { relayPrompts } from './relay/relay-prompts.ts';
import type { ObjectSchema, ToolDefinition } from './tool.ts';
import { createTools } from './tools/index.ts';

/** Everything about the tools that is the same for each connection and request: made once per process, on first use. */
export interface ToolTable {
  list: Tool[];
  byName: Map<string, ToolDefinition>;
  prompts: readonly PromptDefinition[];
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

export function createToolTable(core: ServerCore): ToolTable {
  const tools = createTools(core);
  return {
    list: tools.map(listedTool),
    byName: new Map(tools.map((tool) => [tool.name, tool])),
    prompts: [
      ...(core.toolSets.includes('jobs') ? JOB_PROMPTS : []),
      ...(core.toolSets.includes('relay') ? relayPrompts(tools) : []),
    ],
  };
}
