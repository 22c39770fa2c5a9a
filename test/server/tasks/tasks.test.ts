import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isFields } from '../../../src/contract/fields.ts';
import { until } from '../../support/jobs.ts';
import { type ServerHouse, script, serverHouse } from '../../support/mcp.ts';
import { type ModernClient, modernClient, TASKS } from '../../support/modern-mcp.ts';
import { type RawServer, startRaw } from '../../support/raw-mcp.ts';

let house: ServerHouse;
let server: RawServer;
/** A client that takes tasks, and one that does not, on the same connection. */
let taking: ModernClient;
let plain: ModernClient;

const connect = (): void => {
  server = startRaw(house.command(), { cwd: house.work, env: house.environment() });
  taking = modernClient(server, { extensions: { [TASKS]: {} } });
  plain = modernClient(server);
};

beforeAll(() => {
  house = serverHouse();
});
afterAll(() => house.remove());
beforeEach(connect);
afterEach(async () => {
  server.kill();
  await server.ended();
});

function task(reply: Record<string, unknown>): string {
  expect(reply).toMatchObject({ resultType: 'task', status: 'working' });
  expect(reply).not.toHaveProperty('content');
  return String(reply.taskId);
}

async function ended(id: string): Promise<Record<string, unknown>> {
  return until(async () => {
    const found = await taking.ask('tasks/get', { taskId: id });
    return found.status !== 'working' && found;
  }, `the end of ${id}`);
}

function fields(value: unknown): Record<string, unknown> {
  return isFields(value) ? value : {};
}

describe('the tasks extension', () => {
  it('is declared to clients of the revision that has it, and to no others', async () => {
    const found = await taking.ask('server/discover');
    expect(fields(found.capabilities).extensions).toEqual({ [TASKS]: {} });
    const old = startRaw(house.command(), { cwd: house.work, env: house.environment() });
    const reply = await old.request(1, 'initialize', {
      protocolVersion: '2025-11-25',
      capabilities: { extensions: { [TASKS]: {} }, tasks: {} },
      clientInfo: { name: 'raw', version: '1' },
    });
    expect(fields(fields(reply.result).capabilities).extensions).toBeUndefined();
    old.kill();
    await old.ended();
  });

  it('hands a run out as a task that is the job, durable before the reply', async () => {
    const go = join(house.folder, 'go');
    const id = task(
      await taking.call('agy_run_sync', {
        prompt: script({ tool: 'run_command' }, { waitFor: go }, { text: 'the answer' }),
      }),
    );
    for (const file of ['job.json', 'input'])
      expect(existsSync(join(house.stateDir, 'jobs', id, file))).toBe(true);
    const working = await taking.ask('tasks/get', { taskId: id });
    expect(working).toMatchObject({ taskId: id, status: 'working', pollIntervalMs: 1000 });
    expect(Number(working.ttlMs)).toBeGreaterThanOrEqual(24 * 3_600_000);
    expect(Date.parse(String(working.lastUpdatedAt))).toBeGreaterThanOrEqual(
      Date.parse(String(working.createdAt)),
    );
    const stepped = await until(async () => {
      const found = await taking.ask('tasks/get', { taskId: id });
      return String(found.statusMessage).includes('run_command') && found;
    }, 'the step in the message');
    expect(stepped).not.toHaveProperty('result');

    // Everything about it is on disk: another server answers for it.
    server.kill();
    await server.ended();
    connect();
    await plain.call('agy_run_sync', { prompt: script({ touch: go }) });
    const done = await ended(id);
    expect(done.status).toBe('completed');
    const result = fields(done.result);
    expect(result.isError).toBeUndefined();
    expect(result.structuredContent).toMatchObject({ job_id: id, state: 'done', result: 'the answer' });
    const status = await plain.call('agy_status', { job_id: id });
    expect(result.structuredContent).toEqual({ job_id: id, ...fields(status.structuredContent) });
    const [block] = Array.isArray(result.content) ? result.content : [];
    expect(JSON.parse(String(fields(block).text))).toEqual(result.structuredContent);
  });

  it('shows a job that failed as a completed task with an error result', async () => {
    const id = task(await taking.call('agy_run_sync', { prompt: script({ text: 'half' }, { exit: 1 }) }));
    const done = await ended(id);
    expect(done).toMatchObject({ status: 'completed', result: { isError: true } });
    expect(fields(fields(done.result).structuredContent)).toMatchObject({ state: 'failed' });
    expect(done).not.toHaveProperty('error');
  });

  it('cancels the job of a task, and takes the wish about an ended one', async () => {
    const id = task(
      await taking.call('agy_run_sync', { prompt: script({ text: 'half', open: true }, { hang: 1 }) }),
    );
    await until(
      async () => (await taking.ask('tasks/get', { taskId: id })).statusMessage === 'agent_response',
      'its first text',
    );
    const acknowledged = await taking.ask('tasks/cancel', { taskId: id });
    expect(acknowledged).toMatchObject({ resultType: 'complete' });
    expect(acknowledged).not.toHaveProperty('taskId');
    const done = await ended(id);
    expect(done.status).toBe('cancelled');
    expect(done).not.toHaveProperty('result');
    expect(done.statusMessage).toContain(id);
    expect(await taking.ask('tasks/cancel', { taskId: id })).toMatchObject({ resultType: 'complete' });
    expect((await plain.call('agy_status', { job_id: id })).structuredContent).toMatchObject({
      state: 'cancelled',
    });
  });

  it('waits for a running job as a task, and answers at once for an ended one', async () => {
    const go = join(house.folder, 'go-on');
    const started = await taking.call('agy_run', { prompt: script({ waitFor: go }, { text: 'waited' }) });
    const job = String(fields(started.structuredContent).job_id);
    expect(task(await taking.call('agy_wait', { job_id: job }))).toBe(job);
    await plain.call('agy_run_sync', { prompt: script({ touch: go }) });
    await ended(job);
    const again = await taking.call('agy_wait', { job_id: job });
    expect(again).toMatchObject({
      resultType: 'complete',
      structuredContent: { state: 'done', result: 'waited' },
    });
  });

  it('gives no task to a client that does not declare them', async () => {
    const reply = await plain.call('agy_run_sync', { prompt: script({ text: 'x' }) });
    expect(reply).toMatchObject({
      resultType: 'complete',
      structuredContent: { state: 'done', result: 'x' },
    });
    const id = String(fields(reply.structuredContent).job_id);
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const refused = await plain.ask(method, { taskId: id });
      expect(refused).toMatchObject({
        code: -32_021,
        data: { requiredCapabilities: { extensions: { [TASKS]: {} } } },
      });
    }
  });

  it('knows no task that is no job, and refuses a call like any other', async () => {
    for (const taskId of ['never-was', '../../etc', '']) {
      for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
        expect(await taking.ask(method, { taskId })).toMatchObject({ code: -32_602 });
    }
    expect(await taking.ask('tasks/get', {})).toMatchObject({ code: -32_602 });
    expect(await taking.call('agy_wait', { job_id: 'never-was' })).toMatchObject({ isError: true });
    expect(await taking.call('agy_run_sync', {})).toMatchObject({ isError: true });
    expect(await taking.call('agy_run_sync', { prompt: 'x', wait: 'soon' })).toMatchObject({ isError: true });
    const id = task(await taking.call('agy_run_sync', { prompt: script({ text: 'x' }) }));
    expect(
      await taking.ask('tasks/update', { taskId: id, inputResponses: { x: { action: 'accept' } } }),
    ).toMatchObject({ resultType: 'complete' });
    await ended(id);
  });

  it('tells the same run by its request id, as a task or plainly', async () => {
    const args = { prompt: script({ sleep: 300 }, { text: 'once' }), request_id: 'task-key' };
    const id = task(await taking.call('agy_run_sync', args));
    expect(task(await taking.call('agy_run_sync', args))).toBe(id);
    await ended(id);
    expect((await plain.call('agy_run_sync', args)).structuredContent).toMatchObject({
      job_id: id,
      result: 'once',
    });
  });
});
