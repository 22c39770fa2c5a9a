import { type ChildProcess, spawn } from 'node:child_process';
import type { Command } from './programs.ts';

const PROTOCOL = '2025-06-18';

const INITIALIZE = {
  protocolVersion: PROTOCOL,
  capabilities: {},
  clientInfo: { name: 'baton-bench', version: '1' },
};

interface Reply {
  id?: unknown;
  result?: Record<string, unknown>;
  error?: { message?: string };
}

/** A server process on stdio, spoken to line by line: no client library adds its own time. */
export interface McpServer {
  child: ChildProcess;
  /** @throws when the server answers with an error or ends */
  request(method: string, params: object): Promise<Record<string, unknown>>;
  /** Calls a tool. @throws when the tool reports an error */
  call(name: string, args: object): Promise<Record<string, unknown>>;
  /** The same, asking for progress notifications. */
  follow(name: string, args: object): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

export async function startServer(command: Command): Promise<McpServer> {
  const child = spawn(command.program, command.args, {
    cwd: command.cwd,
    env: command.env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const waiting = new Map<number, { resolve: (reply: Reply) => void; reject: (error: Error) => void }>();
  let rest = '';
  let stderr = '';
  let nextId = 1;
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  child.stdin.on('error', () => {});
  child.stdout.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const reply: Reply = JSON.parse(line);
      if (typeof reply.id === 'number') waiting.get(reply.id)?.resolve(reply);
    }
  });
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error(`the server ended: ${stderr.slice(-1000)}`));
  });
  const send = (message: object): void => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  };
  const request: McpServer['request'] = async (method, params) => {
    const id = nextId++;
    const reply = await new Promise<Reply>((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      send({ id, method, params });
    });
    waiting.delete(id);
    if (reply.error) throw new Error(`${method}: ${reply.error.message}`);
    return reply.result ?? {};
  };
  const callTool = async (name: string, params: object): Promise<Record<string, unknown>> => {
    const result = await request('tools/call', params);
    if (result.isError === true) throw new Error(`${name}: ${JSON.stringify(result.content)}`);
    return result;
  };
  await request('initialize', INITIALIZE);
  send({ method: 'notifications/initialized' });
  return {
    child,
    request,
    call: (name, args) => callTool(name, { name, arguments: args }),
    follow: (name, args) =>
      callTool(name, { name, arguments: args, _meta: { progressToken: `progress-${nextId}` } }),
    async close() {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      if (child.exitCode === null && child.signalCode === null) {
        child.stdin.end();
        await gone;
      }
    },
  };
}

/** Time from the spawn of a server to its answer to `initialize`, in milliseconds. */
export async function initializeMs(command: Command): Promise<number> {
  const from = performance.now();
  const child = spawn(command.program, command.args, {
    cwd: command.cwd,
    env: command.env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.stdin.write(
    `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: INITIALIZE })}\n`,
  );
  const text = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()));
    child.once('exit', (code) =>
      reject(new Error(`${command.args.join(' ')}: exit ${code} without a reply`)),
    );
  });
  const ms = performance.now() - from;
  if (!text.includes('serverInfo')) throw new Error(`no answer to initialize: ${text.slice(0, 300)}`);
  // As clients end their servers; a server that is killed in its first two seconds keeps no compiled code.
  child.stdin.end();
  await gone;
  return ms;
}
