import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isFields } from '../../src/contract/fields.ts';
import { until } from '../support/jobs.ts';
import { ERAS, type Progress, type ServerHouse, type Session, script, serverHouse } from '../support/mcp.ts';
import { startRaw } from '../support/raw-mcp.ts';

describe.each(ERAS)('waiting, %s era', (era) => {
  let house: ServerHouse;
  let session: Session;
  beforeAll(async () => {
    house = serverHouse();
    session = await house.connect({ era });
  });
  afterAll(() => house.remove());

  it('sends rising progress that says step, tool and text, to who asked for it (82)', async () => {
    const gate = join(house.folder, `gate-${era}`);
    const progress: Progress[] = [];
    const call = session.call(
      'agy_run_sync',
      {
        prompt: script(
          { text: 'reading the parser\n' },
          { step: { step_type: 'tool', tool_name: 'grep_search', state: 'ACTIVE' } },
          { waitFor: gate },
          { text: 'done' },
        ),
      },
      { progress },
    );
    await until(() => progress.length >= 2, 'two notifications');
    writeFileSync(gate, '');
    const reply = await call;
    const values = progress.map((update) => update.progress);
    expect(values).toEqual([...values].sort((a, b) => a - b));
    expect(new Set(values).size).toBe(values.length);
    const last = progress.at(-1)?.message ?? '';
    expect(last).toContain(`job ${String(reply.value.job_id)} running (`);
    expect(last).toContain('tool grep_search');
    expect(last).toContain('reading the parser');
    const seconds = Math.max(...values);
    expect(progress.length).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
  });

  it('sends no progress for a call that is over at once', async () => {
    const progress: Progress[] = [];
    await session.call('agy_run_sync', { prompt: script({ text: 'quick' }) }, { progress });
    expect(progress).toEqual([]);
  });

  it('leaves the job alone when the client cancels the call, and names it (84)', async () => {
    const gate = join(house.folder, `alive-${era}`);
    const started = await session.call('agy_run', {
      prompt: script({ waitFor: gate }, { text: 'survived' }),
    });
    const id = String(started.value.job_id);
    const cancel = new AbortController();
    const call = session.call('agy_wait', { job_id: id }, { signal: cancel.signal });
    setTimeout(() => cancel.abort(), 200);
    await expect(call).rejects.toThrow(/abort/i);
    await until(() => session.stderr().includes('cancelled by its client'), 'a line in the log');
    expect(session.stderr()).toContain(id);
    writeFileSync(gate, '');
    const ended = await session.call('agy_wait', { job_id: id });
    expect(ended.value).toMatchObject({ state: 'done', result: 'survived' });
  });
});

describe('limits of a wait', () => {
  let house: ServerHouse;
  beforeAll(() => {
    house = serverHouse({ BATON_MAX_JOBS: '1' });
  });
  afterAll(() => house.remove());

  it('keeps to the operator’s cap, and the job still finishes (83)', async () => {
    const session = await house.connect({ environment: { AGY_MCP_SYNC_WAIT_CAP: '300ms' } });
    const gate = join(house.folder, 'cap');
    const reply = await session.call('agy_run_sync', {
      prompt: script({ waitFor: gate }, { text: 'in the end' }),
      wait: '10m',
    });
    expect(reply.value.state).toBe('running');
    expect(reply.value.note).toMatch(/no failure.*agy_wait.*agy_status.*do not send the prompt again/);
    writeFileSync(gate, '');
    await until(async () => {
      const status = await session.call('agy_status', { job_id: reply.value.job_id });
      return status.value.state === 'done' && status.value.result === 'in the end';
    }, 'the end of the job');
    await session.close();
  });

  it('tells a waiting caller its place at once, and refuses instead where that was asked for', async () => {
    const session = await house.connect();
    const gate = join(house.folder, 'slot');
    const first = await session.call('agy_run', { prompt: script({ waitFor: gate }) });
    const progress: Progress[] = [];
    const second = session.call('agy_run_sync', { prompt: script({ text: 'my turn' }) }, { progress });
    await until(() => progress.length > 0, 'the place in the queue');
    expect(progress[0]?.message).toMatch(/queued \(0s, place 1\)/);
    const third = await session.call('agy_run', { prompt: 'x' });
    expect(third.value).toMatchObject({ state: 'queued', queue_position: 2 });
    const refused = await session.call('agy_run', { prompt: 'x', queue: false });
    expect(refused.text).toBe(
      'agy-mcp is at its concurrency cap of 1 running job(s); retry once one finishes',
    );
    await session.call('agy_cancel', { job_id: third.value.job_id });
    writeFileSync(gate, '');
    expect((await second).value).toMatchObject({ state: 'done', result: 'my turn' });
    expect((await session.call('agy_wait', { job_id: third.value.job_id })).value.state).toBe('cancelled');
    expect((await session.call('agy_wait', { job_id: first.value.job_id })).value.state).toBe('done');
    await session.close();
  });

  it('refuses a second run on a conversation, from another server process too (66)', async () => {
    const [one, two] = await Promise.all([house.connect(), house.connect()]);
    const gate = join(house.folder, 'talk');
    const first = await one.call('agy_run_sync', { prompt: script({ text: 'hello' }) });
    const conversation_id = first.value.conversation_id;
    const running = await one.call('agy_run', { prompt: script({ waitFor: gate }), conversation_id });
    for (const session of [one, two]) {
      const refused = await session.call('agy_run', { prompt: 'x', conversation_id });
      expect(refused.isError).toBe(true);
      expect(refused.text).toContain(
        `another agy job is already running on conversation ${String(conversation_id)}; wait for it to finish or start a fresh run instead`,
      );
      expect(refused.text).toContain(String(running.value.job_id));
    }
    writeFileSync(gate, '');
    await one.call('agy_wait', { job_id: running.value.job_id });
    await Promise.all([one.close(), two.close()]);
  });

  it('takes 0 for a progress token', async () => {
    const server = startRaw(house.command(), { cwd: house.work, env: house.environment() });
    try {
      await server.initialize();
      const gate = join(house.folder, 'zero');
      server.send({
        id: 7,
        method: 'tools/call',
        params: {
          name: 'agy_run_sync',
          arguments: { prompt: script({ waitFor: gate }) },
          _meta: { progressToken: 0 },
        },
      });
      const note = await until(
        () => server.messages().find((message) => message.method === 'notifications/progress'),
        'progress',
      );
      expect(note.params).toMatchObject({ progressToken: 0 });
      writeFileSync(gate, '');
      await until(() => server.messages().find((message) => message.id === 7), 'the reply');
    } finally {
      server.kill();
    }
  });
});

describe('big answers', () => {
  let house: ServerHouse;
  let session: Session;
  beforeAll(async () => {
    house = serverHouse({ BATON_RESULT_LIMIT: '1000' });
    session = await house.connect();
  });
  afterAll(() => house.remove());

  it('comes as head, tail, path and offset, and whole piece by piece', async () => {
    const answer = Array.from({ length: 400 }, (_, n) => `line ${n} 😀`).join('\n');
    const file = join(house.folder, 'answer');
    writeFileSync(file, answer);
    const reply = await session.call('agy_run_sync', { prompt: script({ read: file }) });
    const { result, result_tail: tail, result_length, result_path, next_offset } = reply.value;
    expect(String(result).length + String(tail).length).toBeLessThanOrEqual(1000);
    expect(answer.startsWith(String(result))).toBe(true);
    expect(answer.endsWith(String(tail))).toBe(true);
    expect(result_length).toBe(answer.length);
    expect(readFileSync(String(result_path), 'utf8')).toBe(answer);
    let whole = String(result);
    let offset = next_offset;
    while (typeof offset === 'number') {
      const part = await session.call('agy_status', { job_id: reply.value.job_id, offset, limit: 777 });
      expect(String(part.value.result).length).toBeLessThanOrEqual(777);
      whole += String(part.value.result);
      offset = part.value.next_offset;
    }
    expect(whole).toBe(answer);
    const beyond = await session.call('agy_status', { job_id: reply.value.job_id, offset: 1_000_000 });
    expect(beyond.value).toMatchObject({ state: 'done', result: '' });
    expect(isFields(beyond.value) && 'next_offset' in beyond.value).toBe(false);
  });
});
