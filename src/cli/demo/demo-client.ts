import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type Fields, isFields } from '../../contract/fields.ts';
import { VERSION } from '../../platform/version.ts';

/** An MCP client of the demo: the same library and wire that other clients use, nothing of the server's own. */
export interface DemoClient {
  listTools(): Promise<{ name: string; title: string }[]>;
  /** Calls a tool and gives its structured content. @throws Error with the tool's own words when it refuses */
  call(name: string, args: Fields, onProgress: (message: string) => void): Promise<Fields>;
  /** What the server wrote on stderr. */
  log(): string;
  serverName: string;
  protocol: string;
  close(): Promise<void>;
}

const REVISION = '2026-07-28';

/** Starts a server as any client would, over stdin and stdout, and says hello. */
export async function startClient(
  command: readonly string[],
  options: { cwd: string; env: Record<string, string> },
): Promise<DemoClient> {
  const [program = '', ...args] = command;
  const transport = new StdioClientTransport({ command: program, args, ...options, stderr: 'pipe' });
  let log = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  const client = new Client(
    { name: 'baton-demo', version: VERSION },
    { versionNegotiation: { mode: { pin: REVISION } } },
  );
  await client.connect(transport);
  return {
    serverName: client.getServerVersion()?.name ?? 'the server',
    protocol: REVISION,
    log: () => log,
    async listTools() {
      const { tools } = await client.listTools();
      return tools.map((tool) => ({ name: tool.name, title: tool.title ?? '' }));
    },
    async call(name, args_, onProgress) {
      const reply = await client.callTool(
        { name, arguments: args_ },
        {
          timeout: 600_000,
          resetTimeoutOnProgress: true,
          onprogress: (update) => onProgress(update.message ?? ''),
        },
      );
      const [block] = reply.content;
      const text = block?.type === 'text' ? block.text : '';
      if (reply.isError) throw new Error(text);
      return isFields(reply.structuredContent) ? reply.structuredContent : {};
    },
    close: () => client.close(),
  };
}
