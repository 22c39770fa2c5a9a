// The smallest stdio server on the SDK that Baton uses, as its documentation shows it: what `baton serve` is held against.
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const server = new McpServer({ name: 'smallest', version: '1.0.0' });
server.registerTool(
  'echo',
  { description: 'Says the text again.', inputSchema: z.object({ text: z.string() }) },
  async ({ text }) => ({ content: [{ type: 'text', text }] }),
);
await server.connect(new StdioServerTransport());
