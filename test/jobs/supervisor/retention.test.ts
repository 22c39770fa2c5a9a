import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jobFiles } from '../../../src/jobs/job-folder.ts';
import { removeOldJobs, retentionMs } from '../../../src/jobs/supervisor/retention.ts';
import { type JobsHouse, jobsHouse, pacedRun } from '../../support/jobs.ts';

let house: JobsHouse;
beforeEach(() => {
  house = jobsHouse();
});
afterEach(() => house.remove());

const hour = 3_600_000;

async function endedJob(hoursAgo: number, conversation = 'c'): Promise<string> {
  const client = house.client();
  const sent = pacedRun(house, 1, 0);
  sent.invocation.args.push(conversation);
  await client.submit(sent);
  await client.wait(sent.id, { timeoutMs: 20_000 });
  const then = new Date(Date.now() - hoursAgo * hour);
  utimesSync(jobFiles(house.stateDir, sent.id).result, then, then);
  return sent.id;
}

const exists = (id: string): boolean => existsSync(jobFiles(house.stateDir, id).folder);

describe('retention', () => {
  it('counts from the end of a job, and spares what lives, is young, is in use, or is damaged', async () => {
    const old = await endedJob(25);
    const young = await endedJob(23);
    const used = await endedJob(25, 'used');
    const damaged = await endedJob(25);
    writeFileSync(jobFiles(house.stateDir, damaged).record, 'not json');
    const client = house.client();
    const living = pacedRun(house, 600, 0.1);
    await client.submit(living);
    const longAgo = new Date(Date.now() - 48 * hour);
    utimesSync(jobFiles(house.stateDir, living.id).record, longAgo, longAgo);
    const orphan = jobFiles(house.stateDir, '000000000-orphan').folder;
    mkdirSync(orphan);
    utimesSync(orphan, longAgo, longAgo);

    const removed = await removeOldJobs(house.stateDir, 24 * hour, (id) => id === 'used');
    expect(removed).toBe(2);
    expect([old, young, used, damaged, living.id].map(exists)).toEqual([false, true, true, true, true]);
    expect(existsSync(orphan)).toBe(false);
    await client.cancel(living.id);
    await client.wait(living.id, { timeoutMs: 20_000 });
  });

  it.each([
    [undefined, 24 * hour],
    ['', 24 * hour],
    ['90m', 1.5 * hour],
    ['0s', 24 * hour],
    ['-1h', 24 * hour],
    ['soon', 24 * hour],
  ])('BATON_RETENTION=%s', (value, expected) => {
    expect(retentionMs(value)).toBe(expected);
  });
});
