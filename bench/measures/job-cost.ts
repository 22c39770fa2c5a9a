import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, Measure } from '../harness/bench.ts';
import { type House, jobIdOf, openHouse, sleep } from '../harness/house.ts';
import { end } from '../harness/programs.ts';
import { atMost, type Result, row } from '../harness/rows.ts';

const SYNCS = /^(?:\[pid +\d+\] |\d+ +)?(fsync|fdatasync)\(/gm;

function canTrace(): boolean {
  return spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0;
}

/** Pids of the living processes whose environment carries a state folder, ours and the benchmark's own left out. */
function processesOf(house: House, others: readonly (number | undefined)[]): number {
  let count = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || others.includes(Number(name))) continue;
    try {
      const text =
        readFileSync(`/proc/${name}/environ`, 'latin1') + readFileSync(`/proc/${name}/cmdline`, 'latin1');
      if (text.includes(house.stateDir)) count++;
    } catch {
      // It ended, or belongs to somebody else.
    }
  }
  return count;
}

/** Times that the threads of a process went to sleep by themselves, so far. */
function sleeps(pid: number): number {
  return readdirSync(`/proc/${pid}/task`)
    .map((task) => readFileSync(`/proc/${pid}/task/${task}/status`, 'utf8'))
    .map((status) => Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1]))
    .reduce((sum, count) => sum + count, 0);
}

/** Bytes of a job's folder that are not the agent's own output. */
function ownBytes(house: House, id: string): number {
  const folder = join(house.stateDir, 'jobs', id);
  return readdirSync(folder)
    .filter((name) => name !== 'events.ndjson' && name !== 'stderr.log')
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

async function syncsOfJobs(bench: Bench): Promise<Result> {
  const what = 'syncs to disk of one job';
  if (!canTrace()) return { what, skipped: 'strace is not installed or not allowed' };
  const house = openHouse(bench, 'instant-agent.sh');
  const log = join(house.home, 'trace');
  mkdirSync(house.stateDir, { mode: 0o700 });
  const traced: ChildProcess = spawn(
    'strace',
    [
      '-f',
      '-qq',
      '-e',
      'trace=fsync,fdatasync',
      '-o',
      log,
      process.execPath,
      bench.dist('supervisor.js'),
      house.stateDir,
    ],
    { cwd: '/', env: { PATH: process.env.PATH }, stdio: 'ignore' },
  );
  try {
    for (let round = 0; !existsSync(house.socket) && round < 500; round++) await sleep(20);
    const server = await house.serve();
    const count = (): number => readFileSync(log, 'utf8').match(SYNCS)?.length ?? 0;
    const values: number[] = [];
    for (let round = -1; round < bench.rounds(10); round++) {
      const before = count();
      await house.finishedJob(server);
      await sleep(200);
      if (round >= 0) values.push(count() - before);
    }
    return row(what, 'count', values);
  } finally {
    await house.close();
    await end(traced, 'SIGTERM');
  }
}

/** What one job leaves and takes besides its agent. */
export const jobCost: Measure = {
  name: 'job-cost',
  title: 'What a job costs besides its agent',
  async run(bench) {
    if (process.platform !== 'linux')
      return [{ what: 'processes', skipped: 'read from /proc, which only Linux has' }];
    const house = openHouse(bench, 'instant-agent.sh');
    try {
      const server = await house.serve();
      const id = await house.finishedJob(server);
      const known = [server.child.pid, process.pid, house.supervisorPid()];
      const afterwards = processesOf(house, known);
      const jobs = ['1', '2', '3'].map(async () =>
        jobIdOf((await server.call('agy_run', { prompt: 'SLEEP 600' })).structuredContent),
      );
      const running = await Promise.all(jobs);
      await sleep(500);
      const during = running.map((job) =>
        Number(readFileSync(join(house.stateDir, 'jobs', job, 'started'), 'utf8')),
      );
      // Each agent and the `sleep` that it started.
      const besides = processesOf(house, [...known, ...during]) - during.length;
      for (const job of running) await server.call('agy_cancel', { job_id: job });
      for (const job of running) await server.call('agy_wait', { job_id: job, wait: '10s' });
      const seconds = bench.isQuick ? 5 : 20;
      await sleep(1000);
      const [idleSupervisor, idleServer] = [house.supervisorPid(), server.child.pid ?? 0];
      const before = [sleeps(idleSupervisor), sleeps(idleServer)];
      await sleep(seconds * 1000);
      const aMinute = (pid: number, index: number): number =>
        ((sleeps(pid) - (before[index] ?? 0)) * 60) / seconds;
      return [
        row('processes besides supervisor and agents while three jobs run', 'count', besides, {
          target: atMost(0),
        }),
        row('processes besides the supervisor after a job', 'count', afterwards, { target: atMost(0) }),
        row('wake-ups a minute of the idle supervisor', 'count', aMinute(idleSupervisor, 0), {
          target: atMost(2),
        }),
        row('wake-ups a minute of the idle server', 'count', aMinute(idleServer, 1)),
        row("bytes on disk after a job, besides the agent's output", 'bytes', ownBytes(house, id)),
        await syncsOfJobs(bench),
      ];
    } finally {
      await house.close();
    }
  },
};
