import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../support/jobs.ts';
import { ERAS, type Progress, type ServerHouse, script, serverHouse } from '../../support/mcp.ts';
import { callRelay } from '../../support/relay.ts';

let house: ServerHouse;
beforeAll(() => {
  house = serverHouse({ GEMINI_MCP_BACKEND: 'agy' });
});
afterAll(() => house.remove());

const jobIdOf = (text = ''): string => /^Job: (\S+)$/m.exec(text)?.[1] ?? '';

describe.each(ERAS)('a relay call that nears its client’s limit, %s era (decision 23)', (era) => {
  it('answers with a notice, the job id and how to go on; agy_wait gives the relay’s form', async () => {
    const gate = join(house.folder, `gate-${era}`);
    const session = await house.connect({ era, environment: { AGY_MCP_SYNC_WAIT_CAP: '300ms' } });
    const early = await callRelay(session, 'gemini-plan', {
      task: script({ tool: 'view_file' }, { waitFor: gate }, { text: 'The plan.' }),
    });
    expect(early.isError).toBe(false);
    expect(early.shown.replace(/, last step: .*/, ', last step: <step>')).toMatchSnapshot('early');
    const job_id = jobIdOf(early.items[0]);
    const status = await callRelay(session, 'agy_status', { job_id });
    expect(status.structured).toMatchObject({ state: 'running' });
    await session.close();

    writeFileSync(gate, '');
    // Another server, after the one that started it is gone.
    const other = await house.connect({ era, command: [...house.command(), '--tools=relay'] });
    const late = await callRelay(other, 'agy_wait', { job_id });
    expect(late.shown).toMatchSnapshot('late');
    expect(late.structured).toMatchObject({ job_id, state: 'done', result: late.items[0] });
    const again = await callRelay(other, 'agy_status', { job_id });
    expect(again.items).toEqual(late.items);
    const part = await other.call('agy_status', { job_id, offset: 4, limit: 5 });
    expect(part.value.result).toBe('plan.');
    await other.close();
  });
});

describe('a relay call', () => {
  it('waits 50 s at most for an unknown client without a token, and longer with one (decision 24)', async () => {
    // The limits themselves are held by wait-budget.test.ts; here only that relay calls keep to them.
    const session = await house.connect({ environment: { AGY_MCP_SYNC_WAIT_CAP: '100ms' } });
    const progress: Progress[] = [];
    const reply = await callRelay(session, 'gemini-ask', { prompt: script({ sleep: 700 }) }, { progress });
    expect(reply.items[0]).toContain('State: running');
    expect(progress).toEqual([]);
    await session.close();
  });

  it('that its client cancels leaves the job alone, and its answer can be had (decision 22)', async () => {
    const gate = join(house.folder, 'cancelled-by-client');
    const session = await house.connect();
    const cancel = new AbortController();
    const call = callRelay(
      session,
      'gemini-ask',
      { prompt: script({ touch: `${gate}-begun` }, { waitFor: gate }, { text: 'survived' }) },
      { signal: cancel.signal },
    );
    await until(() => existsSync(`${gate}-begun`), 'the run');
    cancel.abort();
    await expect(call).rejects.toThrow(/abort/i);
    await until(() => session.stderr().includes('cancelled by its client'), 'a line in the log');
    writeFileSync(gate, '');
    const { value } = await session.call('agy_jobs', { limit: 1 });
    const [job] = Array.isArray(value.jobs) ? value.jobs : [];
    const reply = await callRelay(session, 'agy_wait', { job_id: job.job_id });
    expect(reply.shown).toMatchSnapshot();
    await session.close();
  });

  it('of a failed run is an error in agy_wait as well, with the class of the failure beside it', async () => {
    const session = await house.connect({ environment: { AGY_MCP_SYNC_WAIT_CAP: '100ms' } });
    const early = await callRelay(session, 'gemini-brainstorm', {
      prompt: script({ sleep: 500 }, { text: 'half' }, { quota: 1 }),
    });
    const job_id = jobIdOf(early.items[0]);
    const status = (): ReturnType<typeof callRelay> => callRelay(session, 'agy_status', { job_id });
    await until(async () => (await status()).isError, 'the end');
    const late = await callRelay(session, 'agy_wait', { job_id });
    expect(late.shown).toMatchSnapshot();
    expect(late.structured).toMatchObject({ state: 'failed', failure_reason: 'quota_exhausted' });
    await session.close();
  });

  it('that outlives its own deadline is ended, and what it had said comes along (8, row 24)', async () => {
    const session = await house.connect({ environment: { GEMINI_MCP_TIMEOUT: '0.02' } });
    const reply = await callRelay(session, 'gemini-ask', {
      prompt: script({ on: { SIGTERM: 'die' } }, { text: 'so far', open: true }, { hang: 1 }),
    });
    expect(reply.isError).toBe(true);
    // agy's own limit is below ours, so its own words come first.
    expect(reply.shown).toMatchSnapshot();
    await session.close();
  });
});
