import { type ChildProcess, spawn } from 'node:child_process';
import { isFields, parseJson } from '../../src/contract/fields.ts';
import { until } from './jobs.ts';

/** A server process spoken to by hand, line by line: for what no well-behaved client would do or notice. */
export interface RawServer {
  process: ChildProcess;
  /** All of stdout so far. */
  stdout(): string;
  stderr(): string;
  messages(): Record<string, unknown>[];
  send(message: Record<string, unknown>): void;
  /** Sends a request and waits for its reply. */
  request(
    id: number | string,
    method: string,
    params?: Record<string, unknown>,
  ): Promise<Record<string, unknown>>;
  initialize(clientName?: string): Promise<void>;
  /** Exit code or signal, and how long after now it came, in milliseconds. */
  ended(): Promise<{ code: number | null; signal: NodeJS.Signals | null; afterMs: number }>;
  kill(): void;
}

export function startRaw(
  command: readonly string[],
  options: { cwd: string; env: Record<string, string> },
): RawServer {
  const [program, ...args] = command;
  const child = spawn(program!, args, { ...options, stdio: 'pipe' });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  child.stdin.on('error', () => {});
  const over = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const messages = (): Record<string, unknown>[] =>
    stdout
      .split('\n')
      .slice(0, -1)
      .map(parseJson)
      .filter((value) => isFields(value));
  const server: RawServer = {
    process: child,
    stdout: () => stdout,
    stderr: () => stderr,
    messages,
    send(message) {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    },
    async request(id, method, params = {}) {
      server.send({ id, method, params });
      return until(
        () => messages().find((message) => message.id === id && !('method' in message)),
        `the reply to ${method}; stderr: ${stderr}`,
      );
    },
    async initialize(clientName = 'raw') {
      await server.request('init', 'initialize', {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: clientName, version: '1' },
      });
      server.send({ method: 'notifications/initialized' });
    },
    async ended() {
      const from = performance.now();
      const { code, signal } = await over;
      return { code, signal, afterMs: performance.now() - from };
    },
    kill() {
      child.kill('SIGKILL');
    },
  };
  return server;
}
