import { join } from 'node:path';
import { readRegistered } from '../../src/jobs/start-supervisor.ts';
import { supervisorSocketPath } from '../../src/platform/socket-path.ts';
import type { Bench } from './bench.ts';
import { type McpServer, startServer } from './mcp-server.ts';
import { nodeCommand } from './programs.ts';

/** A home with a state folder, servers on it, and the supervisor that they start. */
export interface House {
  home: string;
  stateDir: string;
  socket: string;
  environment: Record<string, string>;
  /** Starts `baton serve`. */
  serve(): Promise<McpServer>;
  supervisorPid(): number;
  /** Starts a job and waits for its end. @returns its id */
  finishedJob(server: McpServer, prompt?: string): Promise<string>;
  close(): Promise<void>;
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** @param agent the stand-in that jobs run: a name in bench/programs */
export function openHouse(bench: Bench, agent: string, more: Record<string, string> = {}): House {
  const home = bench.newFolder('house');
  const stateDir = join(home, 'state');
  const environment = bench.environment(home, { AGY_MCP_AGY_PATH: bench.program(agent), ...more });
  const servers: McpServer[] = [];
  const house: House = {
    home,
    stateDir,
    socket: supervisorSocketPath(stateDir),
    environment,
    async serve() {
      const command = nodeCommand([bench.dist('baton.js'), 'serve'], { cwd: home, env: environment });
      const server = await startServer(command);
      servers.push(server);
      return server;
    },
    supervisorPid() {
      const pid = readRegistered(stateDir)?.pid;
      if (pid === undefined) throw new Error('no supervisor has registered');
      return pid;
    },
    async finishedJob(server, prompt = 'Say done.') {
      const { structuredContent } = await server.call('agy_run_sync', { prompt, wait: '1m' });
      return jobIdOf(structuredContent);
    },
    async close() {
      for (const server of servers) await server.close();
      const pid = readRegistered(stateDir)?.pid;
      if (pid === undefined || !isAlive(pid)) return;
      process.kill(pid, 'SIGTERM');
      while (isAlive(pid)) await sleep(5);
    },
  };
  return house;
}

export function jobIdOf(structured: unknown): string {
  if (typeof structured === 'object' && structured !== null && 'job_id' in structured)
    return String(structured.job_id);
  throw new Error(`no job_id in ${JSON.stringify(structured)}`);
}
