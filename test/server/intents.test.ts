import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { supervisorPid } from '../support/jobs.ts';
import { type ServerHouse, script, serverHouse } from '../support/mcp.ts';
import { startRaw } from '../support/raw-mcp.ts';

/** The remaining test intents of the job server's contract that show from outside, by their numbers. */
let house: ServerHouse;
beforeEach(() => {
  house = serverHouse();
});
afterEach(() => house.remove());

describe('status', () => {
  it('19 a time limit after a success payload keeps the answer, not partial', async () => {
    const session = await house.connect({ environment: { STANDIN_WITHOUT: 'print-timeout' } });
    const reply = await session.call('agy_run_sync', {
      prompt: script({ on: { SIGTERM: 'die' } }, { emitResult: { response: 'whole' } }, { hang: 1 }),
      timeout: '1s',
    });
    expect(reply.value).toMatchObject({ state: 'failed', failure_reason: 'timeout', result: 'whole' });
    expect(reply.value).not.toHaveProperty('partial');
  });

  it('34 the age of an ended job stands still', async () => {
    const session = await house.connect();
    const { value } = await session.call('agy_run_sync', { prompt: script({ text: 'x' }) });
    await sleep(1600);
    const later = await session.call('agy_status', { job_id: value.job_id });
    expect(later.value.elapsed).toBe(value.elapsed);
  });

  it('56 a stream that is cut in the middle of a line: counted, its text kept, its conversation known', async () => {
    const session = await house.connect();
    const { value } = await session.call('agy_run_sync', {
      prompt: script({ text: 'said before' }, { raw: '{"event":"step_update","step_upd' }, { exit: 0 }),
    });
    expect(value).toMatchObject({ state: 'done', result: 'said before', partial: true });
    expect(JSON.stringify(value.notices)).toContain('1 unreadable line(s)');
    expect(value.conversation_id).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('files', () => {
  it('60 are private whatever the umask', async () => {
    const [node = '', ...rest] = house.command();
    const server = startRaw(['/bin/sh', '-c', 'umask 0; exec "$@"', 'sh', node, ...rest], {
      cwd: house.work,
      env: house.environment(),
    });
    try {
      await server.initialize();
      await server.request(1, 'tools/call', {
        name: 'agy_run_sync',
        arguments: { prompt: script({ text: 'x' }, { stderr: 'y\n' }) },
      });
    } finally {
      server.kill();
    }
    const seen: string[] = [];
    for (const entry of readdirSync(house.stateDir, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const open = statSync(path).mode & 0o077;
      if (open !== 0) seen.push(`${path} ${open.toString(8)}`);
    }
    expect(seen).toEqual([]);
    expect(statSync(house.stateDir).mode & 0o077).toBe(0);
  });
});

describe('the gate', () => {
  it('65 fresh runs of one folder go side by side', async () => {
    const session = await house.connect();
    const gate = join(house.folder, 'both');
    const prompt = script({ waitFor: gate }, { text: 'x' });
    const both = await Promise.all([1, 2].map(() => session.call('agy_run', { prompt, cwd: house.work })));
    for (const { value } of both) {
      const status = await session.call('agy_status', { job_id: value.job_id });
      expect(status.value.state).toBe('running');
    }
    expect(both[0]?.value.conversation_id).not.toBe(both[1]?.value.conversation_id);
    writeFileSync(gate, '');
    for (const { value } of both) await session.call('agy_wait', { job_id: value.job_id });
  });

  it('67 a run that could not be started frees its place and its conversation', async () => {
    const session = await house.connect({ environment: { BATON_MAX_JOBS: '1' } });
    const first = await session.call('agy_run_sync', { prompt: script({ text: 'x' }) });
    const conversation_id = first.value.conversation_id;
    const failed = await session.call('agy_run_sync', { prompt: 'x', cwd: '/nonexistent', conversation_id });
    expect(failed.value.failure_reason).toBe('spawn_failed');
    const next = await session.call('agy_run_sync', {
      prompt: script({ text: 'y' }),
      conversation_id,
      queue: false,
    });
    expect(next.value).toMatchObject({ state: 'done', result: 'y' });
  });

  it('75 holds after the death of server and supervisor, and opens when the run ends', async () => {
    const one = await house.connect();
    const gate = join(house.folder, 'gate');
    const first = await one.call('agy_run_sync', { prompt: script({ text: 'x' }) });
    const conversation_id = first.value.conversation_id;
    const running = await one.call('agy_run', {
      prompt: script({ waitFor: gate }, { text: 'y' }),
      conversation_id,
    });
    process.kill(one.pid, 'SIGKILL');
    process.kill(supervisorPid(house.stateDir) ?? 0, 'SIGKILL');
    const two = await house.connect();
    const refused = await two.call('agy_run', { prompt: 'x', conversation_id });
    expect(refused.text).toContain('another agy job is already running on conversation');
    writeFileSync(gate, '');
    const ended = await two.call('agy_wait', { job_id: running.value.job_id });
    expect(ended.value).toMatchObject({ state: 'done', result: 'y' });
    expect(ended.value).not.toHaveProperty('partial');
    const next = await two.call('agy_run_sync', { prompt: script({ text: 'z' }), conversation_id });
    expect(next.value).toMatchObject({ state: 'done', result: 'z' });
  });

  it('a job started from inside a job counts its depth, and the third is refused', async () => {
    const depth = async (value: string | undefined, id: string | undefined): Promise<string> => {
      const session = await house.connect({ environment: { BATON_DEPTH: value, BATON_JOB: id } });
      const reply = await session.call('agy_run', { prompt: script({ text: 'x' }) });
      if (!reply.isError) await session.call('agy_wait', { job_id: reply.value.job_id });
      await session.close();
      return reply.text;
    };
    expect(await depth(undefined, undefined)).toContain('job_id');
    expect(await depth('2', 'some-job')).toContain('job_id');
    expect(await depth('3', 'some-job')).toMatch(/3 delegations deep.*Do the work in the agent that asked/);
  });

  it('a job started from inside a plan run may only plan, whatever its environment says', async () => {
    const session = await house.connect();
    const gate = join(house.folder, 'parent');
    const parent = await session.call('agy_run', { prompt: script({ waitFor: gate }), mode: 'plan' });
    const nested = await house.connect({
      environment: { BATON_JOB: String(parent.value.job_id), BATON_RIGHTS: 'full' },
    });
    const child = await nested.call('agy_run_sync', { prompt: script({ about: 1 }) });
    const { argv } = JSON.parse(String(child.value.result));
    expect(argv.join(' ')).toContain('--mode plan');
    expect(argv.join(' ')).not.toContain('--dangerously-skip-permissions');
    writeFileSync(gate, '');
    await session.call('agy_wait', { job_id: parent.value.job_id });
  });
});

describe('models, conversations, versions', () => {
  it('85 a short wait is not stretched by the wait for the conversation', async () => {
    const session = await house.connect({ environment: { STANDIN_START: 'slow=3000' } });
    const reply = await session.call('agy_run_sync', { prompt: script({ text: 'x' }), wait: '100ms' });
    expect(reply.value.state).toBe('running');
    expect(reply.value).not.toHaveProperty('conversation_id');
    await session.call('agy_cancel', { job_id: reply.value.job_id });
    await session.call('agy_wait', { job_id: reply.value.job_id });
  });

  it('88 an empty catalogue is an empty list, and a wrong envelope is named', async () => {
    const envelope = (data: unknown): string =>
      JSON.stringify({ status: 'SUCCESS', command: { name: 'models', data } });
    const empty = await house.connect({ environment: { STANDIN_MODELS: envelope({ models: [] }) } });
    expect((await empty.call('list_models')).value).toEqual({ models: [], model_details: [] });
    for (const [text, part] of [
      ['not json', 'parse json envelope'],
      [JSON.stringify({ status: 'ERROR' }), 'envelope status'],
      [envelope({}), 'no command.data.models array'],
    ] as const) {
      const session = await house.connect({ environment: { STANDIN_MODELS: text } });
      const reply = await session.call('list_models');
      expect(reply.isError).toBe(true);
      expect(reply.text).toMatch(/^agy models: /);
      expect(reply.text).toContain(part);
    }
  });

  it('89 a damaged cache of conversations is an error that names the file', async () => {
    const cache = join(house.home, '.gemini', 'antigravity-cli', 'cache');
    mkdirSync(cache, { recursive: true });
    writeFileSync(join(cache, 'last_conversations.json'), '{"half": ');
    const session = await house.connect();
    const reply = await session.call('list_sessions');
    expect(reply.isError).toBe(true);
    expect(reply.text).toContain('parse conversation cache');
    expect(reply.text).toContain(cache);
  });

  it('98 a build below the floor is refused with its version and path', async () => {
    const session = await house.connect({ environment: { STANDIN_VERSION: '1.1.9' } });
    const reply = await session.call('agy_run', { prompt: 'x' });
    expect(reply.isError).toBe(true);
    expect(reply.text).toMatch(/agy 1\.1\.10 or newer is required.*found 1\.1\.9 at .*agy-stand-in\.mjs/);
  });
});

it('a job cannot be seen from another state folder', async () => {
  const session = await house.connect();
  const { value } = await session.call('agy_run_sync', { prompt: script({ text: 'mine' }) });
  const other = serverHouse();
  try {
    const stranger = await other.connect();
    expect((await stranger.call('agy_status', { job_id: value.job_id })).isError).toBe(true);
    expect((await stranger.call('agy_jobs')).value).toEqual({ jobs: [], total: 0 });
  } finally {
    await other.remove();
  }
});
