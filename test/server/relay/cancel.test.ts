import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../support/jobs.ts';
import { ERAS, type ServerHouse, script, serverHouse } from '../../support/mcp.ts';
import { callRelay } from '../../support/relay.ts';

let house: ServerHouse;
beforeAll(() => {
  house = serverHouse({ GEMINI_MCP_BACKEND: 'agy', BATON_MAX_JOBS: '2' });
});
afterAll(() => house.remove());

describe.each(ERAS)('gemini-cancel, %s era', (era) => {
  it('stops the relay runs that this client started, waiting ones included, and names them', async () => {
    const [session, other] = await Promise.all([house.connect({ era }), house.connect({ era })]);
    const marks = ['a', 'b', 'c'].map((name) => join(house.folder, `${era}-${name}`));
    const hang = (mark: string) => [{ on: { SIGTERM: 'die' } }, { touch: mark }, { hang: 1 }];
    const mine = callRelay(session, 'gemini-ask', { prompt: script(...hang(marks[0]!)) });
    const jobs = session.call('agy_run', { prompt: script({ waitFor: marks[2]! }, { text: 'not touched' }) });
    await until(() => existsSync(marks[0]!), 'the first run');
    await jobs;
    const waiting = callRelay(session, 'gemini-plan', { task: 'A plan that has to wait\nfor its turn' });
    const theirs = callRelay(other, 'gemini-ask', { prompt: script({ text: 'theirs' }) });
    await until(async () => {
      const { value } = await session.call('agy_jobs', { state: 'queued' });
      return value.total === 2;
    }, 'the waiting runs');

    const cancelled = await callRelay(session, 'gemini-cancel');
    expect(cancelled.structured).toMatchObject({
      cancelled: [
        { tool: 'gemini-ask', state: 'running', prompt: 'Do as told.' },
        { tool: 'gemini-plan', state: 'queued', prompt: 'A plan that has to wait' },
      ],
    });
    expect(cancelled.shown.replaceAll(/, \d+s, job/g, ', <n>s, job')).toMatchSnapshot();
    const replies = await Promise.all([mine, waiting]);
    expect(replies.map((reply) => reply.shown)).toEqual([
      '(error)\nError executing gemini-ask: the run was cancelled (job <job>)',
      '(error)\nError executing gemini-plan: the run was cancelled (job <job>)',
    ]);
    expect((await theirs).items[0]).toContain('Gemini response:\ntheirs');

    writeFileSync(marks[2]!, '');
    const job = await session.call('agy_wait', { job_id: (await jobs).value.job_id });
    expect(job.value).toMatchObject({ state: 'done', result: 'not touched' });
    expect((await callRelay(session, 'gemini-cancel')).shown).toBe(
      'No gemini-* run of this client is in flight.',
    );
    await Promise.all([session.close(), other.close()]);
  });
});

describe('gemini-cancel', () => {
  it('also stops a run whose call was answered already because it outlived the wait', async () => {
    const session = await house.connect({ environment: { AGY_MCP_SYNC_WAIT_CAP: '100ms' } });
    const early = await callRelay(session, 'gemini-ask', {
      prompt: script({ on: { SIGTERM: 'die' } }, { hang: 1 }),
    });
    expect(early.items[0]).toContain('State: running');
    const cancelled = await callRelay(session, 'gemini-cancel');
    expect(cancelled.items[0]).toMatch(/^Stopped 1 run:\n- gemini-ask \(running/);
    const job_id = /^Job: (\S+)$/m.exec(early.items[0] ?? '')?.[1];
    await until(async () => {
      const status = await session.call('agy_status', { job_id });
      return status.value.state === 'cancelled';
    }, 'the end of the run');
    await session.close();
  });

  it('a single relay job is stopped by agy_cancel', async () => {
    const session = await house.connect();
    const mark = join(house.folder, 'single');
    const call = callRelay(session, 'gemini-ask', {
      prompt: script({ on: { SIGTERM: 'die' } }, { text: 'half', open: true }, { touch: mark }, { hang: 1 }),
    });
    await until(() => existsSync(mark), 'the run');
    const { value } = await session.call('agy_jobs', { state: 'live' });
    const [job] = Array.isArray(value.jobs) ? value.jobs : [];
    await session.call('agy_cancel', { job_id: job.job_id });
    expect((await call).shown).toMatchSnapshot();
    await session.close();
  });
});
