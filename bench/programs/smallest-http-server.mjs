// The smallest HTTP server on the SDK that Baton uses, with one empty tool. Says on stdout where it listens.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const handler = toNodeHandler(
  createMcpHandler(() => {
    const server = new McpServer({ name: 'smallest', version: '1.0.0' });
    server.registerTool('nothing', { description: 'Does nothing.', inputSchema: z.object({}) }, async () => ({
      content: [{ type: 'text', text: 'done' }],
    }));
    return server;
  }),
);
const server = createServer((request, response) => void handler(request, response));
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
