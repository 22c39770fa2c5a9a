import type { ObjectSchema, ToolDefinition } from '../tool.ts';

type RelayToolParts = Omit<ToolDefinition, 'inputSchema' | 'wording'> & {
  properties?: ObjectSchema['properties'];
  required?: readonly string[];
};

/** A `gemini-*` tool: unknown arguments are dropped, and every error names the tool that it came from. */
export function relayTool({ properties = {}, required, ...rest }: RelayToolParts): ToolDefinition {
  const failed = (message: string): string =>
    message.startsWith('Error executing ') ? message : `Error executing ${rest.name}: ${message}`;
  return {
    ...rest,
    inputSchema: { type: 'object', properties, ...(required && { required }), additionalProperties: true },
    wording: {
      invalid: (fault) => failed(`Invalid arguments for ${rest.name}: ${fault}`),
      failed,
    },
  };
}
