import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jobFiles } from '../../src/jobs/job-folder.ts';
import { processStartTime } from '../../src/platform/process-identity.ts';
import { supervisorPid, until } from '../support/jobs.ts';
import { type ServerHouse, type Session, script, serverHouse } from '../support/mcp.ts';

/**
 * A run goes on while what started it dies. Real servers, a real client; the agent writes a piece each 100 ms, and the
 * blow falls in the middle.
 */
let house: ServerHouse;
beforeEach(() => {
  house = serverHouse();
});
afterEach(() => house.remove());

const pieces = Array.from({ length: 30 }, (_, i) => `piece ${i}. `);
const whole = pieces.join('').trimEnd();
const prompt = script(...pieces.flatMap((text) => [{ text }, { sleep: 100 }]), {
  result: { response: whole },
});

async function startAndWatch(session: Session): Promise<string> {
  const started = await session.call('agy_run', { prompt, cwd: house.work });
  expect(started.isError).toBe(false);
  const id = String(started.value.job_id);
  const events = jobFiles(house.stateDir, id).events;
  await until(() => readFileSync(events, 'utf8').includes('piece 3. '), 'the middle of the run');
  expect(readFileSync(events, 'utf8')).not.toContain('"result"');
  return id;
}

async function waitToTheEnd(session: Session, id: string): Promise<Record<string, unknown>> {
  const ended = await session.call('agy_wait', { job_id: id, wait: '50s' });
  return ended.value;
}

const gone = (pid: number): Promise<true> =>
  until(() => processStartTime(pid) === undefined, `the end of ${pid}`);

describe('a run outlives, and its full, final answer arrives:', () => {
  it('the client', async () => {
    const session = await house.connect();
    const id = await startAndWatch(session);
    const { pid } = session;
    await session.close();
    await gone(pid);
    const value = await waitToTheEnd(await house.connect(), id);
    expect(value).toMatchObject({ state: 'done', result: whole });
    expect(value.partial).toBeUndefined();
  });

  it('the server, by SIGKILL', async () => {
    const session = await house.connect();
    const id = await startAndWatch(session);
    process.kill(session.pid, 'SIGKILL');
    await gone(session.pid);
    const value = await waitToTheEnd(await house.connect(), id);
    expect(value).toMatchObject({ state: 'done', result: whole });
    expect(value.partial).toBeUndefined();
  });

  it('the supervisor, by SIGKILL, while a client waits', async () => {
    const session = await house.connect();
    const id = await startAndWatch(session);
    const waiting = waitToTheEnd(session, id);
    const killed = supervisorPid(house.stateDir)!;
    process.kill(killed, 'SIGKILL');
    const value = await waiting;
    expect(value).toMatchObject({ state: 'done', result: whole });
    expect(value.partial).toBeUndefined();
    expect(supervisorPid(house.stateDir)).not.toBe(killed);
    // Whoever adopts a child cannot collect its exit code, and does not make one up.
    expect(JSON.parse(readFileSync(jobFiles(house.stateDir, id).result, 'utf8'))).toMatchObject({
      exit: 'unknown',
    });
  });

  it('everything at once, and a restart of everything', async () => {
    const session = await house.connect();
    const id = await startAndWatch(session);
    const supervisor = supervisorPid(house.stateDir)!;
    process.kill(supervisor, 'SIGKILL');
    process.kill(session.pid, 'SIGKILL');
    await Promise.all([gone(supervisor), gone(session.pid)]);
    const value = await waitToTheEnd(await house.connect(), id);
    expect(value).toMatchObject({ state: 'done', result: whole });
    expect(value.partial).toBeUndefined();
  });

  it('everything until after its end, with nobody there to see it', async () => {
    const session = await house.connect();
    const id = await startAndWatch(session);
    process.kill(supervisorPid(house.stateDir)!, 'SIGKILL');
    process.kill(session.pid, 'SIGKILL');
    const files = jobFiles(house.stateDir, id);
    const agent = Number(readFileSync(files.started, 'utf8'));
    await gone(agent);
    const value = await waitToTheEnd(await house.connect(), id);
    expect(value).toMatchObject({ state: 'done', result: whole });
    expect(value.partial).toBeUndefined();
  });
});

describe('two servers on one state folder', () => {
  it('the same conversation at the same instant: one runs, the other is told who holds it', async () => {
    const [one, two] = await Promise.all([house.connect(), house.connect()]);
    const first = await one.call('agy_run_sync', { prompt: script({ text: 'hello' }), cwd: house.work });
    const again = {
      prompt: script({ sleep: 1500 }, { text: 'again' }),
      cwd: house.work,
      conversation_id: first.value.conversation_id,
    };
    const replies = await Promise.all([one.call('agy_run', again), two.call('agy_run', again)]);
    const taken = replies.filter((reply) => !reply.isError);
    const refused = replies.filter((reply) => reply.isError);
    expect([taken.length, refused.length]).toEqual([1, 1]);
    expect(refused[0]!.text).toContain('already running on conversation');
    expect(refused[0]!.text).toContain(String(taken[0]!.value.job_id));
    expect(await waitToTheEnd(two, String(taken[0]!.value.job_id))).toMatchObject({
      state: 'done',
      result: 'again',
    });
  });
});
