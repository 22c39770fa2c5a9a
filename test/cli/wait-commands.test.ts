import { existsSync, lstatSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Running, startCommand } from '../support/command.ts';
import { programs, until } from '../support/jobs.ts';
import { bins, type ServerHouse, type Session, script, serverHouse } from '../support/mcp.ts';

let house: ServerHouse;
let session: Session;
beforeAll(async () => {
  house = serverHouse();
  session = await house.connect();
});
afterAll(() => house.remove());

function command(
  args: string[],
  options: {
    stdin?: string;
    environment?: Record<string, string | undefined>;
    bin?: 'baton' | 'agy-mcp';
    node?: string[];
  } = {},
): Running {
  const { bin = 'agy-mcp', environment, ...rest } = options;
  return startCommand(bin, args, { ...rest, cwd: house.folder, env: house.environment(environment) });
}

let gates = 0;
async function startJob(): Promise<{ id: string; finish: () => void }> {
  const gate = join(house.folder, `gate-${gates++}`);
  const started = await session.call('agy_run', { prompt: script({ waitFor: gate }, { text: 'x' }) });
  return { id: String(started.value.job_id), finish: () => writeFileSync(gate, '') };
}

async function endedJob(): Promise<string> {
  const reply = await session.call('agy_run_sync', { prompt: script({ text: 'x' }) });
  return String(reply.value.job_id);
}

let readies = 0;
/** Starts a waiting command and resolves once its signal handler stands. */
async function startReady(args: string[], stdin?: string): Promise<Running> {
  const ready = join(house.folder, `ready-${readies++}`);
  const started = command(args, { stdin, environment: { AGY_MCP_WAIT_READY_FILE: ready } });
  await until(() => existsSync(ready), 'the ready file');
  expect(lstatSync(ready).mode & 0o777).toBe(0o600);
  return started;
}

describe('wait-job (94)', () => {
  it('prints the last state of a job that ends while it waits', async () => {
    const job = await startJob();
    const waiting = await startReady(['wait-job', job.id]);
    job.finish();
    expect(await waiting.ended).toEqual({ code: 0, stdout: 'done\n', stderr: '' });
  });

  it('works for ended jobs, needs no agent, and takes a limit in Go’s notation', async () => {
    const id = await endedJob();
    const waiting = command(['wait-job', '-timeout', '1m', id], {
      environment: { AGY_MCP_AGY_PATH: '/nonexistent' },
    });
    expect(await waiting.ended).toEqual({ code: 0, stdout: 'done\n', stderr: '' });
    const failed = await session.call('agy_run_sync', { prompt: script({ quota: 1 }) });
    const other = command(['wait-job', String(failed.value.job_id)], { bin: 'baton' });
    expect(await other.ended).toMatchObject({ code: 0, stdout: 'failed\n' });
  });

  it('says what is wrong: unknown job 1, usage 2, time over 3', async () => {
    const unknown = await command(['wait-job', 'never-was']).ended;
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(unknown.stderr).toMatch(/^wait-job: .*never-was/);
    for (const args of [
      ['wait-job'],
      ['wait-job', 'a', 'b'],
      ['wait-job', '-timeout', 'soon', 'a'],
      ['wait-job', '-x', 'a'],
    ])
      expect(await command(args).ended).toMatchObject({ code: 2, stdout: '' });
    const job = await startJob();
    const over = await command(['wait-job', '-timeout', '200ms', job.id]).ended;
    expect(over).toMatchObject({ code: 3, stdout: '' });
    expect(over.stderr).toBe(`wait-job: job ${job.id} still running after 200ms\n`);
    job.finish();
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('is interrupted by %s, and the job is not', async (signal) => {
    const job = await startJob();
    const waiting = await startReady(['wait-job', job.id]);
    waiting.kill(signal);
    expect(await waiting.ended).toEqual({ code: 130, stdout: '', stderr: 'wait-job: interrupted\n' });
    job.finish();
    expect((await session.call('agy_wait', { job_id: job.id })).value.state).toBe('done');
  });

  it('loads neither the MCP library nor its schemas', async () => {
    const list = join(house.folder, 'loaded');
    const id = await endedJob();
    await command(['wait-job', id], {
      node: ['--require', join(programs, 'preload-loaded-files.cjs')],
      environment: { LOADED_FILES: list },
    }).ended;
    const files: string[] = JSON.parse(readFileSync(list, 'utf8'));
    const loaded = files.filter((file) => file.startsWith(bins));
    expect(loaded.length).toBeGreaterThan(1);
    for (const file of loaded)
      expect(readFileSync(file, 'utf8')).not.toMatch(/notifications\/initialized|ZodError/);
  });
});

describe('the ready file (96)', () => {
  it('leaves an existing file and a link alone, and a bad path is no failure', async () => {
    const id = await endedJob();
    const file = join(house.folder, 'precious');
    writeFileSync(file, 'keep me');
    const link = join(house.folder, 'dangling');
    symlinkSync(join(house.folder, 'nowhere'), link);
    for (const path of [file, link, join(house.folder, 'no/such/folder')]) {
      const waiting = command(['wait-job', id], { environment: { AGY_MCP_WAIT_READY_FILE: path } });
      expect(await waiting.ended).toMatchObject({ code: 0, stdout: 'done\n' });
    }
    expect(readFileSync(file, 'utf8')).toBe('keep me');
    expect(existsSync(join(house.folder, 'nowhere'))).toBe(false);
  });
});

function payload(tool: string, response: unknown): string {
  return JSON.stringify({ tool_name: `mcp__agy__${tool}`, tool_response: response });
}

const opening = (id: string): string => `agy async job notification (not an error): job ${id} `;

describe('hook-wait (94)', () => {
  it('wakes when the job is over', async () => {
    const job = await startJob();
    const waiting = await startReady(
      ['hook-wait'],
      payload('agy_run', { structuredContent: { job_id: job.id, state: 'running' } }),
    );
    job.finish();
    const { code, stdout, stderr } = await waiting.ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(
      /finished: state=done elapsed=\d+s; call agy_status with this job_id to collect the result\n$/,
    );
    expect(stderr.startsWith(opening(job.id))).toBe(true);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it.each([
    ['agy_run_sync', 'done', 0],
    ['agy_run_sync', 'failed', 0],
    ['agy_run_sync', 'running', 2],
    ['agy_run_sync', 'queued', 2],
    ['agy_run_sync', '', 2],
    ['agy_run_sync', undefined, 2],
    ['agy_run', 'done', 2],
  ] as const)('after %s with state %s: exit code %i', async (tool, state, code) => {
    const id = await endedJob();
    const response = { structuredContent: { job_id: id, ...(state !== undefined && { state }) } };
    const ended = await command(['hook-wait'], { stdin: payload(tool, response) }).ended;
    expect(ended.code).toBe(code);
    expect(ended.stderr === '').toBe(code === 0);
  });

  it.each([
    ['no payload', ''],
    ['no JSON', 'hello'],
    ['no object', '[]'],
    ['no id', payload('agy_run', { structuredContent: { state: 'running' } })],
    ['an unknown job', payload('agy_run', { structuredContent: { job_id: 'never-was', state: 'running' } })],
    [
      'an id that leads elsewhere',
      payload('agy_run', { structuredContent: { job_id: '../..', state: 'running' } }),
    ],
  ])('is silent with %s', async (_what, stdin) => {
    expect(await command(['hook-wait'], { stdin }).ended).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('is silent with a wrong flag', async () => {
    const id = await endedJob();
    const stdin = payload('agy_run', { structuredContent: { job_id: id } });
    for (const flag of ['-nope', '-timeout=never'])
      expect(await command(['hook-wait', flag], { stdin }).ended).toEqual({
        code: 0,
        stdout: '',
        stderr: '',
      });
  });

  it('wakes when its time is over, and when it is interrupted', async () => {
    const job = await startJob();
    const stdin = payload('agy_run', { structuredContent: { job_id: job.id, state: 'running' } });
    const over = await command(['hook-wait', '-timeout', '150ms'], { stdin }).ended;
    expect(over.code).toBe(2);
    expect(over.stderr).toMatch(/still running after 150ms;.*agy_status.*agy_wait/);
    const waiting = await startReady(['hook-wait'], stdin);
    waiting.kill('SIGINT');
    const interrupted = await waiting.ended;
    expect(interrupted.code).toBe(2);
    expect(interrupted.stderr).toMatch(
      /wait interrupted; the job may still be running;.*agy_status.*agy_wait/,
    );
    job.finish();
  });
});
