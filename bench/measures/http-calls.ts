import { type ChildProcess, spawn } from 'node:child_process';
import { Agent, request } from 'node:http';
import type { Measure } from '../harness/bench.ts';
import { openHouse } from '../harness/house.ts';
import { end } from '../harness/programs.ts';
import { atLeastTimes, row } from '../harness/rows.ts';
import { interleave } from '../harness/samples.ts';

const CLIENTS = 50;
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'baton-bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

interface Target {
  url: string;
  agent: Agent;
  tool: string;
  args: object;
  expect: string;
}

function callTool({ url, agent, tool, args, expect }: Target, id: number): Promise<void> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: tool, arguments: args, _meta: ENVELOPE },
  });
  return new Promise((resolve, reject) => {
    const asked = request(
      `${url}/mcp`,
      {
        method: 'POST',
        agent,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': tool,
        },
      },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        response.once('end', () =>
          text.includes(expect)
            ? resolve()
            : reject(new Error(`${response.statusCode}: ${text.slice(0, 300)}`)),
        );
      },
    );
    asked.once('error', reject);
    asked.end(body);
  });
}

/** Calls a second of so many clients, each with one call at a time. */
async function throughput(target: Target, calls: number): Promise<number> {
  let next = 0;
  const from = performance.now();
  const client = async (): Promise<void> => {
    while (next < calls) await callTool(target, ++next);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return (calls * 1000) / (performance.now() - from);
}

/** The address that a server prints when it listens. */
function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const look = (chunk: Buffer): void => {
      text += chunk.toString();
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0];
      if (url !== undefined) resolve(url);
    };
    child.stdout?.on('data', look);
    child.stderr?.on('data', look);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${text}`)));
  });
}

/** Many clients at one HTTP server. */
export const httpCalls: Measure = {
  name: 'http-calls',
  title: `\`agy_status\` over HTTP, ${CLIENTS} clients`,
  async run(bench) {
    const house = openHouse(bench, 'instant-agent.sh');
    const children: ChildProcess[] = [];
    const agents: Agent[] = [];
    const start = async (args: string[]): Promise<{ url: string; agent: Agent }> => {
      const child = spawn(process.execPath, args, {
        cwd: house.home,
        env: house.environment,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      children.push(child);
      const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
      agents.push(agent);
      return { url: await addressOf(child), agent };
    };
    try {
      const id = await house.finishedJob(await house.serve());
      const ours: Target = {
        ...(await start([bench.dist('baton.js'), 'serve', '--http=127.0.0.1:0'])),
        tool: 'agy_status',
        args: { job_id: id },
        expect: '"state":"done"',
      };
      const smallest: Target = {
        ...(await start([bench.program('smallest-http-server.mjs')])),
        tool: 'nothing',
        args: {},
        expect: 'done',
      };
      const calls = bench.isQuick ? 300 : 2000;
      const values = await interleave(bench.rounds(7), {
        ours: () => throughput(ours, calls),
        smallest: () => throughput(smallest, calls),
      });
      return [
        row('`agy_status` of a finished job', 'calls/s', values('ours'), {
          against: { what: 'empty tool of the smallest server on the SDK', values: values('smallest') },
          target: atLeastTimes(0.7),
        }),
      ];
    } finally {
      for (const agent of agents) agent.destroy();
      for (const child of children) await end(child, 'SIGTERM');
      await house.close();
    }
  },
};
