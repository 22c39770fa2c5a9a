import { spawn } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { newJobId } from '../../src/jobs/job-folder.ts';
import type { Bench, Measure } from '../harness/bench.ts';
import { type House, openHouse, sleep } from '../harness/house.ts';
import { initializeMs, type McpServer } from '../harness/mcp-server.ts';
import { end, nodeCommand, wallMs } from '../harness/programs.ts';
import { atMostTimes, type Result, row } from '../harness/rows.ts';
import { interleave } from '../harness/samples.ts';

const COUNTS = [10, 100, 1000] as const;

/** Adds copies of a finished job until there are so many. */
function fill(house: House, model: string, count: number): void {
  const jobs = join(house.stateDir, 'jobs');
  for (let index = 1; index < count; index++) {
    const id = newJobId(Date.now() - index * 1000);
    cpSync(join(jobs, model), join(jobs, id), { recursive: true });
    for (const name of ['job.json', 'result.json']) {
      const path = join(jobs, id, name);
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll(model, id));
    }
  }
}

function connects(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

async function restartMs(bench: Bench, house: House): Promise<number> {
  const from = performance.now();
  const child = spawn(process.execPath, [bench.dist('supervisor.js'), house.stateDir], {
    cwd: '/',
    env: { PATH: process.env.PATH },
    stdio: 'ignore',
  });
  while (!(await connects(house.socket))) await sleep(0.5);
  const ms = performance.now() - from;
  await end(child, 'SIGTERM');
  return ms;
}

interface Filled {
  count: number;
  house: House;
  server: McpServer;
  model: string;
}

/** Whether things become slow with the jobs that have been. */
export const growth: Measure = {
  name: 'growth',
  title: 'Growth with finished jobs in the state folder',
  async run(bench) {
    const filled: Filled[] = [];
    const results: Result[] = [];
    try {
      for (const count of COUNTS) {
        const house = openHouse(bench, 'instant-agent.sh');
        const server = await house.serve();
        const model = await house.finishedJob(server);
        fill(house, model, count);
        filled.push({ count, house, server, model });
      }
      const rounds = bench.rounds(15);
      const compare = async (what: string, measure: (given: Filled) => Promise<number>): Promise<void> => {
        const values = await interleave(
          rounds,
          Object.fromEntries(filled.map((given) => [String(given.count), () => measure(given)])),
        );
        const [least, ...more] = COUNTS;
        for (const count of more) {
          results.push(
            row(`${what}, ${count} jobs`, 'ms', values(String(count)), {
              against: { what: `${least} jobs`, values: values(String(least)) },
              target: atMostTimes(1.3),
            }),
          );
        }
      };
      const timed = async (work: () => Promise<unknown>): Promise<number> => {
        const from = performance.now();
        await work();
        return performance.now() - from;
      };
      await compare('`agy_jobs`, the newest 10', ({ server }) =>
        timed(() => server.call('agy_jobs', { limit: 10 })),
      );
      await compare('a job, call to reply', ({ server, house }) => timed(() => house.finishedJob(server)));
      await compare('start of `baton serve`', ({ house }) =>
        initializeMs(
          nodeCommand([bench.dist('baton.js'), 'serve'], { cwd: house.home, env: house.environment }),
        ),
      );
      await compare('`baton wait-job`, job over', ({ house, model }) =>
        wallMs(
          nodeCommand([bench.dist('baton.js'), 'wait-job', model], {
            cwd: house.home,
            env: house.environment,
          }),
        ),
      );
      for (const { house } of filled) await house.close();
      await compare('start of the supervisor', ({ house }) => restartMs(bench, house));
      return results;
    } finally {
      for (const { house } of filled) await house.close();
    }
  },
};
