import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isTerminal } from '../../src/contract/outcome.ts';
import { liveJobIds } from '../../src/jobs/job-folder.ts';
import { hasEnded } from '../../src/jobs/read-status.ts';
import type { JobStatus, Submission } from '../../src/jobs/types.ts';
import { type JobsHouse, jobsHouse, lines, programs, submission, supervisorPid } from '../support/jobs.ts';
import { seeded } from '../support/seeded.ts';

let house: JobsHouse;
beforeEach(() => {
  house = jobsHouse();
});
afterEach(async () => {
  delete process.env.BATON_FAULTS;
  await house.remove();
});

function jobs(count: number, pauseSeconds: number): { sent: Submission; runs: string }[] {
  const folder = join(house.folder, 'runs');
  mkdirSync(folder);
  return Array.from({ length: count }, (_, i) => {
    const runs = join(folder, String(i));
    const sent = submission(house, join(programs, 'paced-agent.sh'), [runs, '2', String(pauseSeconds)], {
      maxJobs: 8,
    });
    return { sent, runs };
  });
}

/** Sends all jobs through eight clients and waits for each to its end. */
async function runAll(all: { sent: Submission }[]): Promise<JobStatus[]> {
  const clients = Array.from({ length: 8 }, () => house.client());
  return Promise.all(
    all.map(async ({ sent }, i) => {
      const client = clients[i % clients.length]!;
      await client.submit(sent);
      return client.wait(sent.id, { timeoutMs: 150_000 });
    }),
  );
}

function expectEachOnce(all: { sent: Submission; runs: string }[], statuses: JobStatus[]): void {
  const runsOfEach = all.map(({ runs }) => lines(runs).length);
  const summary = {
    notTerminal: statuses.filter((status) => !isTerminal(status.state)).length,
    notDone: statuses
      .filter((status) => status.state !== 'done')
      .map((s) => `${s.job_id} ${s.failure_reason} ${s.error}`),
    partial: statuses.filter((status) => status.partial).length,
    wrongText: statuses.filter((status) => status.result !== 'piece 1. piece 2. ').length,
    lost: runsOfEach.filter((count) => count === 0).length,
    twice: runsOfEach.filter((count) => count > 1).length,
    // A supervisor killed right after its result leaves the mark to the next one.
    stillMarkedLive: liveJobIds(house.stateDir).filter((id) => !hasEnded(house.stateDir, id)).length,
  };
  expect(summary).toEqual({
    notTerminal: 0,
    notDone: [],
    partial: 0,
    wrongText: 0,
    lost: 0,
    twice: 0,
    stillMarkedLive: 0,
  });
}

describe('200 jobs', () => {
  it('none is lost and none is run twice while the supervisor is killed at random moments', {
    timeout: 200_000,
  }, async () => {
    const random = seeded(20261201);
    const all = jobs(200, 0.1);
    let kills = 0;
    const over = new AbortController();
    const killer = (async () => {
      while (!over.signal.aborted) {
        await sleep(250 + random() * 500);
        const pid = supervisorPid(house.stateDir);
        if (pid === undefined || over.signal.aborted) continue;
        process.kill(pid, 'SIGKILL');
        kills++;
      }
    })();
    const statuses = await runAll(all).finally(() => {
      over.abort();
    });
    await killer;
    expectEachOnce(all, statuses);
    expect(kills).toBeGreaterThan(5);
  });

  it('none is lost and none is run twice while the supervisor dies on purpose at each step of the write order', {
    timeout: 200_000,
  }, async () => {
    process.env.BATON_FAULTS = [
      'folder-made',
      'input-written',
      'record-written',
      'accepted',
      'lock-taken',
      'spawned',
      'process-written',
      'exit-seen',
      'result-written',
      'told',
    ]
      .map((point) => `${point}:0.03`)
      .join(',');
    const all = jobs(200, 0.03);
    expectEachOnce(all, await runAll(all));
    const starts = lines(join(house.stateDir, 'supervisor.log')).filter((line) =>
      line.includes('"message":"open"'),
    );
    expect(starts.length).toBeGreaterThan(15);
  });
});
