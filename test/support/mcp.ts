import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { isFields } from '../../src/contract/fields.ts';
import { endSupervisors, programs } from './jobs.ts';

export const bins = fileURLToPath(new URL('../../dist/', import.meta.url));
export const STAND_IN = join(programs, 'agy-stand-in.mjs');
export type Era = 'legacy' | 'modern';
export const ERAS: readonly Era[] = ['legacy', 'modern'];

export interface Progress {
  progress: number;
  message?: string;
}

export interface ToolReply {
  isError: boolean;
  text: string;
  /** Structured content; {} when there was none. */
  value: Record<string, unknown>;
}

export interface Session {
  client: Client;
  pid: number;
  stderr(): string;
  /** Calls a tool; progress is asked for only when a list to collect it in is given. */
  call(
    name: string,
    args?: Record<string, unknown>,
    options?: { progress?: Progress[]; signal?: AbortSignal },
  ): Promise<ToolReply>;
  close(): Promise<void>;
}

export interface ServerHouse {
  folder: string;
  home: string;
  /** A folder that runs can work in. */
  work: string;
  stateDir: string;
  /** What servers and commands of this house are started with. */
  environment(changes?: Record<string, string | undefined>): Record<string, string>;
  connect(options?: {
    era?: Era;
    clientName?: string;
    environment?: Record<string, string | undefined>;
    command?: string[];
  }): Promise<Session>;
  /** The command line of the server. */
  command(): string[];
  remove(): Promise<void>;
}

function withoutUndefined(values: Record<string, string | undefined>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) if (value !== undefined) kept[name] = value;
  return kept;
}

/** A temporary home, work and state folder, with real server processes in it whose agent is the stand-in. */
export function serverHouse(defaults: Record<string, string | undefined> = {}): ServerHouse {
  const folder = mkdtempSync(join(tmpdir(), 'baton-server-'));
  const [home, work, stateDir] = ['home', 'work', 'state'].map((name) => join(folder, name));
  for (const made of [home, work]) mkdirSync(made!);
  const sessions = new Set<Session>();
  const environment: ServerHouse['environment'] = (changes = {}) =>
    withoutUndefined({
      PATH: process.env.PATH,
      HOME: home,
      AGY_MCP_STATE_DIR: stateDir,
      AGY_MCP_AGY_PATH: STAND_IN,
      ...defaults,
      ...changes,
    });
  const serve = (): string[] => [process.execPath, join(bins, 'baton.js'), 'serve'];
  return {
    folder,
    command: serve,
    home: home!,
    work: work!,
    stateDir: stateDir!,
    environment,
    async connect({ era = 'legacy', clientName = 'baton-test', environment: changes, command } = {}) {
      const [program, ...args] = command ?? serve();
      const transport = new StdioClientTransport({
        command: program!,
        args,
        cwd: work,
        env: environment(changes),
        stderr: 'pipe',
      });
      let stderr = '';
      transport.stderr?.on('data', (chunk: Buffer) => {
        stderr += chunk.toString();
      });
      const client = new Client(
        { name: clientName, version: '1.0.0' },
        { versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' } },
      );
      await client.connect(transport);
      const session: Session = {
        client,
        pid: transport.pid ?? 0,
        stderr: () => stderr,
        async call(name, args_ = {}, options = {}) {
          const reply = await client.callTool(
            { name, arguments: args_ },
            {
              timeout: 60_000,
              ...(options.signal && { signal: options.signal }),
              ...(options.progress && {
                onprogress: (update: Progress) => options.progress?.push(update),
                resetTimeoutOnProgress: true,
              }),
            },
          );
          const [block] = reply.content;
          return {
            isError: reply.isError === true,
            text: block?.type === 'text' ? block.text : '',
            value: isFields(reply.structuredContent) ? reply.structuredContent : {},
          };
        },
        async close() {
          sessions.delete(session);
          await client.close();
        },
      };
      sessions.add(session);
      return session;
    },
    async remove() {
      for (const session of sessions) await session.close();
      await endSupervisors(stateDir!);
      rmSync(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 });
    },
  };
}

/** A prompt for the stand-in: what it does before it ends. */
export function script(...steps: Record<string, unknown>[]): string {
  return `Do as told.\nDO ${JSON.stringify(steps)}`;
}
