import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, Measure } from '../harness/bench.ts';
import { eventLines } from '../harness/events.ts';
import { jobIdOf, openHouse } from '../harness/house.ts';
import { cpuSeconds, residentMb } from '../harness/programs.ts';
import { atMost, atMostTimes, type Result, row } from '../harness/rows.ts';

const JOBS = 50;
const PIECES = 40;
const EVENTS_A_PIECE = 50;

/** Processor time of reading and parsing the same bytes, in seconds. */
function plainLoop(paths: readonly string[]): number {
  const before = process.cpuUsage();
  for (const path of paths) {
    for (const line of readFileSync(path, 'utf8').split('\n')) if (line !== '') JSON.parse(line);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** @param follow whether a client waits for each job and is told its progress all the time */
async function runMany(bench: Bench, jobs: number, follow: boolean): Promise<Result[]> {
  const piece = join(bench.newFolder('events'), 'piece');
  writeFileSync(piece, eventLines(EVENTS_A_PIECE));
  const house = openHouse(bench, 'busy-agent.sh', { BATON_MAX_JOBS: String(jobs), BENCH_EVENTS: piece });
  try {
    const server = await house.serve();
    await server.call('agy_jobs', {});
    // The supervisor is started by the first job; it is short.
    const first = openHouse(bench, 'instant-agent.sh', { BATON_STATE_DIR: house.stateDir });
    const starter = await first.serve();
    await first.finishedJob(starter);
    await starter.close();
    const supervisor = house.supervisorPid();
    const serverPid = server.child.pid ?? 0;
    const before = {
      supervisor: cpuSeconds(supervisor),
      server: cpuSeconds(serverPid),
      memory: residentMb(supervisor),
    };
    const started = await Promise.all(
      Array.from({ length: jobs }, () => server.call('agy_run', { prompt: 'Be busy.' })),
    );
    const ids = started.map(({ structuredContent }) => jobIdOf(structuredContent));
    if (follow) {
      await Promise.all(ids.map((id) => server.follow('agy_wait', { job_id: id, wait: '2m' })));
    }
    for (const id of ids) await server.call('agy_wait', { job_id: id, wait: '2m' });
    const used = {
      supervisor: cpuSeconds(supervisor) - before.supervisor,
      server: cpuSeconds(serverPid) - before.server,
    };
    const grown = residentMb(supervisor) - before.memory;
    const paths = ids.map((id) => join(house.stateDir, 'jobs', id, 'events.ndjson'));
    const against = { what: 'reading and parsing the same bytes', values: plainLoop(paths) };
    const name = follow ? 'all are followed' : 'nobody follows';
    const cpu = follow ? used.supervisor + used.server : used.supervisor;
    return [
      row(`${jobs} jobs, ${name}: ${follow ? 'supervisor and server' : 'supervisor'}`, 's CPU', cpu, {
        against,
        target: atMostTimes(follow ? 2 : 0.5),
      }),
      ...(follow ? [] : [row('the same: server', 's CPU', used.server, { against })]),
      row(`${jobs} jobs, ${name}: growth of the supervisor`, 'MB', grown, { target: atMost(20) }),
    ];
  } finally {
    await house.close();
  }
}

/** Many agents that write at the same time. */
export const manyEvents: Measure = {
  name: 'many-events',
  title: `${JOBS} jobs at once, ${PIECES * EVENTS_A_PIECE} events each`,
  async run(bench) {
    if (process.platform !== 'linux') {
      return [{ what: 'processor time of the supervisor', skipped: 'read from /proc, which only Linux has' }];
    }
    const jobs = bench.isQuick ? 10 : JOBS;
    return [...(await runMany(bench, jobs, false)), ...(await runMany(bench, jobs, true))];
  },
};
