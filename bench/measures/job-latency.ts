import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, Measure } from '../harness/bench.ts';
import { jobIdOf, openHouse } from '../harness/house.ts';
import { atMost, atMostTimes, type Result, row } from '../harness/rows.ts';
import { interleave, quantile } from '../harness/samples.ts';

/** The same agent by itself: a spawn with its output to a file, up to its end. */
function bareSpawnMs(program: string, folder: string): Promise<number> {
  const input = openSync('/dev/null', 'r');
  const output = openSync(join(folder, 'bare.out'), 'w', 0o600);
  const from = performance.now();
  const child = spawn(program, ['-p'], { stdio: [input, output, output], cwd: folder });
  closeSync(input);
  closeSync(output);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => resolve(performance.now() - from));
  });
}

async function callToReply(bench: Bench): Promise<Result[]> {
  const house = openHouse(bench, 'instant-agent.sh');
  try {
    const server = await house.serve();
    await house.finishedJob(server);
    const agent = bench.program('instant-agent.sh');
    const values = await interleave(bench.rounds(100), {
      job: async () => {
        const from = performance.now();
        await house.finishedJob(server);
        return performance.now() - from;
      },
      bare: () => bareSpawnMs(agent, house.home),
    });
    const [job, bare] = [values('job'), values('bare')];
    const base = quantile(bare, 0.5);
    return [
      row('`agy_run_sync` on an instant agent, call to reply', 'ms', job, {
        against: { what: 'bare spawn of it, output to a file', values: bare },
        target: atMostTimes(1.5),
      }),
      row(
        'the same, over the bare spawn',
        'ms',
        job.map((ms) => ms - base),
        { target: atMost(25) },
      ),
    ];
  } finally {
    await house.close();
  }
}

async function exitToReply(bench: Bench): Promise<Result[]> {
  const what = "agent's exit to the reply of `agy_wait`";
  const stamp = join(bench.newFolder('stamp'), 'ended');
  const house = openHouse(bench, 'stamping-agent.sh', { BENCH_STAMP: stamp });
  try {
    const server = await house.serve();
    const ms: number[] = [];
    for (let round = -1; round < bench.rounds(200); round++) {
      rmSync(stamp, { force: true });
      const { structuredContent } = await server.call('agy_run', { prompt: 'Say done.' });
      await server.call('agy_wait', { job_id: jobIdOf(structuredContent), wait: '1m' });
      const replied = performance.timeOrigin + performance.now();
      const ended = Number(readFileSync(stamp, 'utf8')) / 1000;
      if (!(ended > 0)) return [{ what, skipped: 'bash here does not know EPOCHREALTIME (bash 5)' }];
      if (round >= 0) ms.push(replied - ended);
    }
    return [
      row(what, 'ms', ms, { target: atMost(8) }),
      row(`${what}, 99th of a hundred`, 'ms', quantile(ms, 0.99), { target: atMost(30) }),
    ];
  } finally {
    await house.close();
  }
}

/** What a job adds to the run of its agent. */
export const jobLatency: Measure = {
  name: 'job-latency',
  title: 'One job: its time besides that of its agent, supervisor warm',
  async run(bench) {
    return [...(await callToReply(bench)), ...(await exitToReply(bench))];
  },
};
