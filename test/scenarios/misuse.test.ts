import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jobFiles } from '../../src/jobs/job-folder.ts';
import { processStartTime } from '../../src/platform/process-identity.ts';
import { startCommand } from '../support/command.ts';
import { supervisorPid, until } from '../support/jobs.ts';
import { bins, type ServerHouse, script, serverHouse } from '../support/mcp.ts';

/** What a fresh pair of eyes broke: each is a test of its kind now. */
let house: ServerHouse;
beforeEach(() => {
  house = serverHouse();
});
afterEach(() => house.remove());

const baton = (args: string[], changes: Record<string, string> = {}) =>
  startCommand('baton', args, { cwd: house.work, env: house.environment(changes) }).ended;

async function detached(...steps: Record<string, unknown>[]): Promise<string> {
  const { stdout } = await baton(['run', script(...steps), '--detach']);
  return stdout.trim();
}

describe('a supervisor that hangs', () => {
  it('holds neither wait-job nor agy_wait beyond the end of the run', async () => {
    const id = await detached({ sleep: 800 }, { text: 'two' });
    process.kill(supervisorPid(house.stateDir)!, 'SIGSTOP');
    const waited = await baton(['wait-job', id, '--timeout', '40s']);
    expect(waited).toMatchObject({ code: 0, stdout: 'done\n' });
    const session = await house.connect();
    const ended = await session.call('agy_wait', { job_id: id, wait: '40s' });
    expect(ended.value).toMatchObject({ state: 'done', result: 'two' });
  });

  it('is replaced by a client that waits, and the time limit of the run is kept', async () => {
    const session = await house.connect();
    const started = await session.call('agy_run', {
      prompt: script({ hang: 1 }),
      timeout: '4s',
      cwd: house.work,
    });
    const hung = supervisorPid(house.stateDir)!;
    process.kill(hung, 'SIGSTOP');
    const ended = await session.call('agy_wait', { job_id: started.value.job_id, wait: '50s' });
    expect(ended.value).toMatchObject({ state: 'failed', failure_reason: 'timeout' });
    expect(supervisorPid(house.stateDir)).not.toBe(hung);
  });
});

describe('damage', () => {
  it.each(['', '{"state":5,"x":[]}', 'null'])(
    'a record of the ending that holds %j is told, and hides nothing',
    async (content) => {
      const id = await detached({ text: 'the answer' });
      await baton(['wait-job', id]);
      writeFileSync(jobFiles(house.stateDir, id).result, content);
      const printed = JSON.parse((await baton(['jobs', 'show', id, '--json'])).stdout) as {
        status: { notices: string[] };
      };
      const shown = printed.status;
      expect(shown).toMatchObject({ state: 'done', result: 'the answer' });
      expect(JSON.stringify(shown.notices)).toContain('The record of its ending is damaged');
      expect((await baton(['wait-job', id])).stdout).toBe('done\n');
      expect((await baton(['jobs', 'rm', id])).code).toBe(0);
    },
  );
});

it('a child in a session of its own is swept after a natural end, by its marker', async () => {
  const pidFile = join(house.folder, 'pid');
  const id = await detached(
    { grandchild: { ms: 120_000, ownSession: true, keepOutput: false, pidFile } },
    { waitFor: pidFile },
    { text: 'done' },
  );
  await baton(['wait-job', id]);
  const pid = Number(readFileSync(pidFile, 'utf8'));
  await until(() => processStartTime(pid) === undefined, 'the end of the child');
  expect(processStartTime(pid)).toBeUndefined();
});

it('a run that goes on in another conversation than the one asked for has failed', async () => {
  const session = await house.connect();
  const first = await session.call('agy_run_sync', { prompt: script({ text: 'one' }), cwd: house.work });
  const { conversation_id } = first.value;
  const changed = script({ conversation: 'another' }, { text: 'two' });
  const second = await session.call('agy_run_sync', { prompt: changed, conversation_id, cwd: house.work });
  expect(second.value).toMatchObject({
    state: 'failed',
    failure_reason: 'conversation_not_found',
    conversation_id: 'another',
  });
});

describe('a state folder that cannot be used is named at once', () => {
  it.each([
    [
      'open to a group',
      (place: string) => mkdirSync(place, { mode: 0o775 }),
      /can be written by other users \(mode 775\); run: chmod 700/,
    ],
    ['a file', (place: string) => writeFileSync(place, ''), /is not a folder|ENOTDIR/],
  ])('%s', async (_name, make, message) => {
    const place = join(house.folder, 'place');
    const before = process.umask(0);
    make(place);
    process.umask(before);
    const tried = await baton(['run', 'x'], { AGY_MCP_STATE_DIR: place });
    expect(tried.code).toBe(1);
    expect(tried.stderr).toMatch(message);
    expect(tried.stderr).toContain('set BATON_STATE_DIR');
    expect(existsSync(join(place, 'supervisor.log'))).toBe(false);
  });

  it('below a folder in which nothing can be made', async () => {
    const tried = await baton(['run', 'x'], { AGY_MCP_STATE_DIR: '/proc/nowhere/at/all' });
    expect(tried.code).toBe(1);
    expect(tried.stderr).toMatch(
      /the state folder \/proc\/nowhere\/at\/all cannot be used .* set BATON_STATE_DIR/,
    );
  });
});

it('a negative duration removes nothing', async () => {
  const id = await detached({ text: 'kept' });
  await baton(['wait-job', id]);
  const tried = await baton(['jobs', 'gc', '--older-than', '-1h']);
  expect(tried.code).toBe(2);
  expect(tried.stderr).toContain('it is negative');
  expect(existsSync(jobFiles(house.stateDir, id).result)).toBe(true);
});

it('a folder that is gone is said, and stops nothing that does not need it', () => {
  const gone = join(house.folder, 'gone');
  const inGone = (args: string) =>
    spawnSync(
      '/bin/sh',
      [
        '-c',
        `mkdir -p "$0" && cd "$0" && rmdir "$0" && "$1" "$2" ${args}`,
        gone,
        process.execPath,
        join(bins, 'baton.js'),
      ],
      { env: house.environment(), encoding: 'utf8' },
    );
  expect(inGone('jobs list').status).toBe(0);
  expect(inGone(`run hello --cwd ${house.work}`)).toMatchObject({ status: 0 });
  const refused = inGone('run hello');
  expect(refused.status).toBe(1);
  expect(refused.stderr).toBe(
    'baton: the folder that this was called in is gone; change to one that exists\n',
  );
});

describe('doctor', () => {
  it.each([
    [{ BATON_MAX_JOBS: 'foo' }, 'BATON_MAX_JOBS is "foo"'],
    [{ BATON_RIGHTS: 'foo' }, 'BATON_RIGHTS'],
    [{ AGY_MCP_STATE_DIR: '/etc/passwd' }, '/etc/passwd'],
  ])('says that no job can be run with %j', async (changes, text) => {
    const told = await baton(['doctor'], changes);
    expect(told.code).toBe(1);
    expect(told.stdout).toContain(text);
    expect(told.stdout).toContain('No job can be run yet');
  });
});
