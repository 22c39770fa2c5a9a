import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readStatus } from '../../src/jobs/read-status.ts';
import { type JobsHouse, jobsHouse, lines, pacedRun, supervisorPid, until } from '../support/jobs.ts';

let house: JobsHouse;
beforeEach(() => {
  house = jobsHouse();
});
afterEach(() => house.remove());

const whole = 'piece 1. piece 2. piece 3. piece 4. piece 5. piece 6. piece 7. piece 8. ';

describe('a run', () => {
  it('is accepted, runs and ends with its answer', async () => {
    const client = house.client();
    const sent = pacedRun(house, 3, 0.02);
    const { job, repeated } = await client.submit(sent);
    expect(repeated).toBe(false);
    expect(job.job_id).toBe(sent.id);
    const status = await client.wait(sent.id, { timeoutMs: 20_000 });
    expect(status).toMatchObject({
      state: 'done',
      result: 'piece 1. piece 2. piece 3. ',
      usage: { total_tokens: 15 },
      num_turns: 1,
      exit: { code: 0 },
    });
    expect(status.partial).toBeUndefined();
    expect(lines(house.runs)).toHaveLength(1);
  });

  it('outlives its supervisor, killed in mid-run: the whole answer comes, its unseen exit code is not taken for 0', async () => {
    const client = house.client();
    const sent = pacedRun(house, 8, 0.2);
    await client.submit(sent);
    await until(() => readStatus(house.stateDir, sent.id).conversation_id, 'the first event');
    const first = supervisorPid(house.stateDir);
    expect(first).toBeDefined();
    process.kill(first!, 'SIGKILL');
    const status = await client.wait(sent.id, { timeoutMs: 30_000 });
    expect(status).toMatchObject({ state: 'done', result: whole, exit: 'unknown' });
    expect(status.partial).toBeUndefined();
    expect(supervisorPid(house.stateDir)).not.toBe(first);
    expect(lines(house.runs)).toHaveLength(1);
  });

  it('outlives a client that goes away', async () => {
    const client = house.client();
    const sent = pacedRun(house, 8, 0.1);
    await client.submit(sent);
    client.close();
    const status = await house.client().wait(sent.id, { timeoutMs: 30_000 });
    expect(status).toMatchObject({ state: 'done', result: whole, exit: { code: 0 } });
  });

  it('is finished from its files when everything was killed while it ran and it ended unseen', async () => {
    const client = house.client();
    const sent = pacedRun(house, 8, 0.05);
    await client.submit(sent);
    await until(() => readStatus(house.stateDir, sent.id).conversation_id, 'the first event');
    client.close();
    process.kill(supervisorPid(house.stateDir)!, 'SIGKILL');
    const derived = await until(() => {
      const status = readStatus(house.stateDir, sent.id);
      return status.state === 'done' && status;
    }, 'an ending without a supervisor');
    expect(derived).toMatchObject({ result: whole, exit: 'unknown' });
    const written = await house.client().wait(sent.id, { timeoutMs: 20_000 });
    expect(written).toMatchObject({ state: 'done', result: whole });
  });
});
