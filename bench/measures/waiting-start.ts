import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { supervisorSocketPath } from '../../src/platform/socket-path.ts';
import type { Bench, Measure } from '../harness/bench.ts';
import { jobIdOf, openHouse, sleep } from '../harness/house.ts';
import { type Command, end, nodeCommand, residentMb, wallMs } from '../harness/programs.ts';
import { atMostTimes, type Result, row } from '../harness/rows.ts';
import { interleave } from '../harness/samples.ts';

function canConnect(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** From the spawn of a supervisor to the first connection that it takes. */
async function supervisorStartMs(bench: Bench): Promise<number> {
  const home = bench.newFolder('supervisor');
  const stateDir = join(home, 'state');
  const socket = supervisorSocketPath(stateDir);
  mkdirSync(stateDir, { mode: 0o700 });
  const from = performance.now();
  const child = spawn(process.execPath, [bench.dist('supervisor.js'), stateDir], {
    cwd: '/',
    env: { PATH: process.env.PATH },
    stdio: 'ignore',
  });
  while (!(await canConnect(socket))) {
    if (child.exitCode !== null) throw new Error(`the supervisor ended with ${child.exitCode}`);
    await sleep(0.5);
  }
  const ms = performance.now() - from;
  await end(child, 'SIGTERM');
  return ms;
}

const SETTLED_MS = 2000;

async function idleMb(command: Command): Promise<number> {
  const child: ChildProcess = spawn(command.program, command.args, {
    cwd: command.cwd,
    env: command.env,
    stdio: 'ignore',
  });
  await sleep(SETTLED_MS);
  const mb = residentMb(child.pid ?? 0);
  await end(child);
  return mb;
}

/** What others wait for, or what stays resident: neither may load the MCP library. */
export const waitingStart: Measure = {
  name: 'waiting-start',
  title: 'Waiting commands on a finished job, and the supervisor: start and idle memory',
  async run(bench) {
    const house = openHouse(bench, 'instant-agent.sh');
    const results: Result[] = [];
    try {
      const server = await house.serve();
      const job = await house.finishedJob(server);
      const baton = bench.dist('baton.js');
      const rest = { cwd: house.home, env: house.environment };
      const payload = JSON.stringify({
        tool_name: 'mcp__baton__agy_run',
        tool_response: JSON.stringify({ job_id: job }),
      });
      const node = nodeCommand(['-e', '0'], rest);
      const wait = nodeCommand([baton, 'wait-job', job], { ...rest, expect: 'done' });
      const hook = nodeCommand([baton, 'hook-wait'], { ...rest, stdin: payload, good: [2] });
      const values = await interleave(bench.rounds(25), {
        node: () => wallMs(node),
        wait: () => wallMs(wait),
        hook: () => wallMs(hook),
        supervisor: () => supervisorStartMs(bench),
      });
      const against = { what: '`node -e 0`', values: values('node') };
      const target = atMostTimes(1.3);
      results.push(
        row('`baton wait-job`, job over', 'ms', values('wait'), { against, target }),
        row('`baton hook-wait`, job over', 'ms', values('hook'), { against, target }),
        row('supervisor, until it takes a connection', 'ms', values('supervisor'), { against, target }),
      );
      if (process.platform !== 'linux') {
        results.push({ what: 'idle memory', skipped: 'read from /proc, which only Linux has' });
        return results;
      }
      const { structuredContent } = await server.call('agy_run', { prompt: 'SLEEP 600' });
      const running = jobIdOf(structuredContent);
      const rounds = bench.rounds(5);
      const idle = await interleave(rounds, {
        node: () => idleMb(nodeCommand(['-e', 'setInterval(() => {}, 1e9)'], rest)),
        wait: () => idleMb(nodeCommand([baton, 'wait-job', running], rest)),
        supervisor: () =>
          idleMb(
            nodeCommand([bench.dist('supervisor.js'), bench.newFolder('idle')], {
              cwd: '/',
              env: { PATH: process.env.PATH ?? '' },
            }),
          ),
      });
      await server.call('agy_cancel', { job_id: running });
      const idleNode = { what: 'idle node', values: idle('node') };
      const idleTarget = atMostTimes(1.6);
      results.push(
        row('`baton wait-job`, job running, idle', 'MB', idle('wait'), {
          against: idleNode,
          target: idleTarget,
        }),
        row('supervisor, idle', 'MB', idle('supervisor'), { against: idleNode, target: idleTarget }),
        row('`baton serve`, idle after one job', 'MB', residentMb(server.child.pid ?? 0), {
          against: idleNode,
        }),
      );
      return results;
    } finally {
      await house.close();
    }
  },
};
