import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { JobRefusedError } from '../../src/jobs/client.ts';
import { jobFiles, newJobId } from '../../src/jobs/job-folder.ts';
import { readStatus } from '../../src/jobs/read-status.ts';
import type { JobStatus, Submission } from '../../src/jobs/types.ts';
import { processStartTime } from '../../src/platform/process-identity.ts';
import {
  type JobsHouse,
  jobsHouse,
  lines,
  pacedRun,
  programs,
  submission,
  supervisorPid,
  until,
} from '../support/jobs.ts';

let house: JobsHouse;
beforeEach(() => {
  house = jobsHouse();
});
afterEach(() => house.remove());

/** A run of the stand-in agy that follows directives. */
function standIn(directives: unknown[], changes: Partial<Submission> = {}): Submission {
  const sent = submission(
    house,
    join(programs, 'agy-stand-in.mjs'),
    ['--output-format', 'stream-json', '-p', `DO ${JSON.stringify(directives)}`],
    changes,
  );
  sent.environment = { ...sent.environment, HOME: house.folder };
  return sent;
}

const shell = (script: string, changes: Partial<Submission> = {}): Submission =>
  submission(house, '/bin/sh', ['-c', script], changes);

async function run(sent: Submission): Promise<JobStatus> {
  const client = house.client();
  await client.submit(sent);
  return client.wait(sent.id, { timeoutMs: 50_000 });
}

const lives = (pid: number): boolean => processStartTime(pid) !== undefined;
const pidIn = (file: string): Promise<number> =>
  until(() => existsSync(file) && Number(readFileSync(file, 'utf8').trim()), `a pid in ${file}`);

describe('stopping', () => {
  it('a time limit ends the run and everything it started, whatever it ignores', async () => {
    const pidFile = join(house.folder, 'pid');
    const own = join(house.folder, 'own');
    const status = await run(
      standIn(
        [
          { text: 'begun' },
          { grandchild: { ms: 600_000, pidFile } },
          { grandchild: { ms: 600_000, ownSession: true, ignoreTerm: true, pidFile: own } },
          { hang: 1 },
        ],
        { timeoutMs: 1500 },
      ),
    );
    expect(status).toMatchObject({
      state: 'failed',
      failure_reason: 'timeout',
      result: 'begun',
      partial: true,
    });
    expect(lives(await pidIn(pidFile))).toBe(false);
    expect(lives(await pidIn(own))).toBe(false);
  });

  it('a cancel kills an agent that ignores SIGTERM, after its time to leave, and says so', async () => {
    const client = house.client();
    const sent = standIn([{ on: { SIGTERM: 'ignore' } }, { text: 'half' }, { hang: 1 }]);
    await client.submit(sent);
    await until(() => readStatus(house.stateDir, sent.id).step_type, 'its text');
    await client.cancel(sent.id);
    const status = await client.wait(sent.id, { timeoutMs: 50_000 });
    expect(status).toMatchObject({
      state: 'cancelled',
      result: 'half',
      partial: true,
      exit: { signal: 'SIGKILL' },
    });
    expect(status.notices.join()).toContain('was killed');
  });

  it('a cancel after the result keeps the result', async () => {
    const client = house.client();
    const sent = standIn([{ text: 'whole' }, { emitResult: { response: 'whole' } }, { hang: 1 }]);
    await client.submit(sent);
    await until(
      () => lines(jobFiles(house.stateDir, sent.id).events).some((line) => line.includes('"result"')),
      'its result',
    );
    await client.cancel(sent.id);
    const status = await client.wait(sent.id, { timeoutMs: 50_000 });
    expect(status).toMatchObject({ state: 'cancelled', result: 'whole' });
    expect(status.partial).toBeUndefined();
  });

  it('a cancel that is only a file is obeyed, as a supervisor that comes later would', async () => {
    const client = house.client();
    const sent = pacedRun(house, 500, 0.05);
    await client.submit(sent);
    await until(() => readStatus(house.stateDir, sent.id).conversation_id, 'the run');
    writeFileSync(jobFiles(house.stateDir, sent.id).cancel, '');
    expect(await client.wait(sent.id, { timeoutMs: 50_000 })).toMatchObject({ state: 'cancelled' });
  });

  it('a cancel outlives a supervisor that dies in the middle of it', async () => {
    const client = house.client();
    const sent = standIn([{ on: { SIGTERM: 'ignore' } }, { text: 'half' }, { hang: 1 }]);
    await client.submit(sent);
    await until(() => readStatus(house.stateDir, sent.id).step_type, 'its text');
    await client.cancel(sent.id);
    process.kill(supervisorPid(house.stateDir)!, 'SIGKILL');
    expect(await client.wait(sent.id, { timeoutMs: 50_000 })).toMatchObject({
      state: 'cancelled',
      result: 'half',
    });
  });

  it('a time limit outlives a supervisor that dies before it', async () => {
    const client = house.client();
    const sent = pacedRun(house, 500, 0.05, { timeoutMs: 2500 });
    await client.submit(sent);
    await until(() => readStatus(house.stateDir, sent.id).conversation_id, 'the run');
    process.kill(supervisorPid(house.stateDir)!, 'SIGKILL');
    expect(await client.wait(sent.id, { timeoutMs: 50_000 })).toMatchObject({
      state: 'failed',
      failure_reason: 'timeout',
    });
  });

  it('an agent that lives on after its result is ended, and the job is done', async () => {
    const status = await run(standIn([{ emitResult: { response: 'the answer' } }, { hang: 1 }]));
    expect(status).toMatchObject({ state: 'done', result: 'the answer' });
    expect(status.partial).toBeUndefined();
  });

  it('too much output stops the run', async () => {
    const status = await run(
      shell('while :; do echo "noise noise noise noise noise noise noise noise noise"; done', {
        outputLimitBytes: 100_000,
      }),
    );
    expect(status).toMatchObject({ state: 'failed', failure_reason: 'output_limit' });
  });
});

describe('what a run leaves behind', () => {
  it('a grandchild that keeps the output open delays nothing, and is swept', async () => {
    const pidFile = join(house.folder, 'pid');
    const status = await run(
      shell(
        `sleep 600 & echo $! > ${pidFile}; echo '{"event":"result","result":{"status":"SUCCESS","response":"done"}}'`,
      ),
    );
    expect(status).toMatchObject({ state: 'done', result: 'done' });
    const pid = await pidIn(pidFile);
    await until(() => !lives(pid), 'the end of the grandchild');
  });

  it('five megabytes written in the last moment are all there', async () => {
    const sent = submission(house, process.execPath, [
      '-e',
      `const fs=require('fs');for(let i=0;i<80;i++)fs.writeSync(1,JSON.stringify({event:'step_update',step_update:{conversation_id:'c',step_index:1,state:'ACTIVE',step_type:'agent_response',text_delta:'z'.repeat(65536)}})+'\\n');process.exit(0)`,
    ]);
    const status = await run(sent);
    expect(status).toMatchObject({ state: 'done', partial: true });
    expect(status.result).toHaveLength(80 * 65536);
  });

  it('nothing of it can be read by others, and the prompt file is gone', async () => {
    const before = process.umask(0);
    try {
      const sent = pacedRun(house, 1, 0);
      await run(sent);
      const { folder } = jobFiles(house.stateDir, sent.id);
      const modes = Object.fromEntries(
        readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mode & 0o777]),
      );
      expect(modes).toEqual({
        'events.ndjson': 0o600,
        'job.json': 0o600,
        'process.json': 0o600,
        'result.json': 0o600,
        'run.lock': 0o600,
        'stderr.log': 0o600,
        started: 0o600,
      });
      expect(statSync(folder).mode & 0o777).toBe(0o700);
      expect(statSync(house.stateDir).mode & 0o777).toBe(0o700);
    } finally {
      process.umask(before);
    }
  });

  it("the caller's environment reaches the agent and never the disk, not even in a queue", async () => {
    const secret = `s3cret-${newJobId()}`;
    const client = house.client();
    const first = pacedRun(house, 20, 0.05, { maxJobs: 1 });
    await client.submit(first);
    const second = shell('test -n "$TOKEN" && echo "got one"', {
      maxJobs: 1,
      invocation: {
        ...first.invocation,
        program: '/bin/sh',
        args: ['-c', 'test -n "$TOKEN" && printf "got one"'],
        outputFormat: 'text',
      },
    });
    second.environment = { ...second.environment, TOKEN: secret };
    expect((await client.submit(second)).job.state).toBe('queued');
    const grep = (): string => {
      try {
        return execFileSync('grep', ['-rl', secret, house.stateDir], { encoding: 'utf8' });
      } catch {
        return '';
      }
    };
    expect(grep()).toBe('');
    expect(await client.wait(second.id, { timeoutMs: 50_000 })).toMatchObject({
      state: 'done',
      result: 'got one',
    });
    expect(grep()).toBe('');
  });
});

describe('input', () => {
  const nasty = 'say "hi" and $(rm -rf /) `x` %PATH% C:\\new\\table \\n \u2028 합니다€😀 \'q\'';
  const catRun = (stdin: string): Promise<JobStatus> => {
    const base = shell('');
    return run({
      ...base,
      invocation: { ...base.invocation, program: '/bin/cat', args: [], stdin, outputFormat: 'text' },
    });
  };

  it.each([
    ['300 KB', 'é€😀 line\n'.repeat(25_000)],
    ['quotes, substitutions, variables and backslashes', nasty],
    ['a leading slash', '/usage please'],
    ['a leading flag', '-p --yolo -- x'],
  ])('%s arrives unchanged', async (_name, stdin) => {
    expect((await catRun(stdin)).result).toBe(stdin.trimEnd());
  });

  it('an empty prompt is an empty stdin, not an open one', async () => {
    expect(await catRun('')).toMatchObject({ state: 'failed', failure_reason: 'no_result' });
  });

  it('characters written byte by byte are whole in the answer', async () => {
    const status = await run(standIn([{ text: '합니다€😀', byteByByte: true }]));
    expect(status).toMatchObject({ state: 'done', result: '합니다€😀' });
  });
});

describe('a spawn that cannot be', () => {
  it.each([
    [
      'a missing folder',
      (s: Submission) => ({ cwd: join(s.invocation.cwd, 'nowhere') }),
      /working directory .*nowhere does not exist/,
    ],
    ['a file for a folder', () => ({ cwd: '/etc/passwd' }), /\/etc\/passwd is not a folder/],
    ['a missing program', () => ({ program: '/no/such/agy' }), /\/no\/such\/agy does not exist/],
    [
      'a program that is not executable',
      () => ({ program: '/etc/passwd' }),
      /\/etc\/passwd is not executable.*chmod \+x/,
    ],
    ['a folder for a program', () => ({ program: '/etc' }), /\/etc is not a file/],
    [
      'arguments that are too long',
      () => ({ args: ['-c', 'true', 'x'.repeat(200_000)] }),
      /longer than the system allows \(E2BIG\)/,
    ],
  ])('%s is named with its cause', async (_name, change, message) => {
    const base = shell('true');
    const status = await run({ ...base, invocation: { ...base.invocation, ...change(base) } });
    expect(status).toMatchObject({ state: 'failed', failure_reason: 'spawn_failed' });
    expect(status.error).toMatch(message);
    expect(status.result).toBeUndefined();
  });
});

describe('the gate', () => {
  const onConversation = (id: string, changes: Partial<Submission> = {}): Submission => {
    const sent = pacedRun(house, 10, 0.1, changes);
    return {
      ...sent,
      invocation: { ...sent.invocation, args: [...sent.invocation.args, id], conversationId: id },
    };
  };

  it('lets one of two runs of a conversation in, and tells the other who holds it', async () => {
    const [a, b] = [onConversation('same'), onConversation('same')];
    const outcomes = await Promise.allSettled([house.client().submit(a), house.client().submit(b)]);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused).toHaveLength(1);
    expect(refused[0]!.reason).toBeInstanceOf(JobRefusedError);
    const winner = outcomes[0].status === 'fulfilled' ? a : b;
    expect(String(refused[0]!.reason)).toContain(`another agy job is already running on conversation same`);
    expect(String(refused[0]!.reason)).toContain(`job ${winner.id} holds it`);
    await house.client().wait(winner.id, { timeoutMs: 50_000 });
    expect(lines(house.runs)).toHaveLength(1);
  });

  it('holds the conversation that a fresh run was given', async () => {
    const client = house.client();
    const fresh = pacedRun(house, 20, 0.1);
    fresh.invocation.args.push('given');
    await client.submit(fresh);
    await until(() => readStatus(house.stateDir, fresh.id).conversation_id, 'its conversation');
    await expect(client.submit(onConversation('given'))).rejects.toThrow(
      /already running on conversation given/,
    );
  });

  it('is rebuilt from the living runs after the supervisor was killed', async () => {
    const client = house.client();
    await client.submit(onConversation('kept'));
    await until(() => lines(house.runs).length === 1, 'the run');
    process.kill(supervisorPid(house.stateDir)!, 'SIGKILL');
    await expect(house.client().submit(onConversation('kept'))).rejects.toThrow(
      /already running on conversation kept/,
    );
  });

  it('queues the second run of a conversation when that is asked for', async () => {
    const client = house.client();
    const [a, b] = [onConversation('q'), onConversation('q', { queue: true })];
    await client.submit(a);
    expect((await client.submit(b)).job.state).toBe('queued');
    const [first, second] = await Promise.all(
      [a, b].map((sent) => client.wait(sent.id, { timeoutMs: 50_000 })),
    );
    expect([first!.state, second!.state]).toEqual(['done', 'done']);
    expect(lines(house.runs)).toHaveLength(2);
  });

  it('stops a run that opens another conversation than the one asked for', async () => {
    const sent = pacedRun(house, 100, 0.1);
    sent.invocation.args.push('another');
    const status = await run({ ...sent, invocation: { ...sent.invocation, conversationId: 'asked' } });
    expect(status).toMatchObject({ state: 'failed', failure_reason: 'conversation_not_found' });
  });

  it('waits at the cap with a place in the queue, or is refused there when asked to', async () => {
    const client = house.client();
    const all = Array.from({ length: 4 }, () => pacedRun(house, 5, 0.1, { maxJobs: 2 }));
    for (const sent of all) await client.submit(sent);
    await expect(client.submit(pacedRun(house, 1, 0, { maxJobs: 2, queue: false }))).rejects.toThrow(
      'agy-mcp is at its concurrency cap of 2 running job(s); retry once one finishes',
    );
    expect(await client.status(all[3]!.id)).toMatchObject({ state: 'queued', queue_position: 2 });
    const states = await Promise.all(all.map((sent) => client.wait(sent.id, { timeoutMs: 50_000 })));
    expect(states.map((status) => status.state)).toEqual(['done', 'done', 'done', 'done']);
  });

  it('lets a nested run onto the slot of its waiting parent, refuses a second one at the cap, and the fourth level always', async () => {
    const client = house.client();
    const parent = pacedRun(house, 30, 0.1, { maxJobs: 1 });
    await client.submit(parent);
    await until(() => readStatus(house.stateDir, parent.id).state === 'running', 'the parent');
    const nested = (): Submission =>
      pacedRun(house, 5, 0.1, { maxJobs: 1, parentJobId: parent.id, depth: 1 });
    const child = nested();
    await client.submit(child);
    await expect(client.submit(nested())).rejects.toThrow(/concurrency cap of 1/);
    expect(await client.wait(child.id, { timeoutMs: 50_000 })).toMatchObject({ state: 'done' });
    await expect(client.submit(pacedRun(house, 1, 0, { depth: 3 }))).rejects.toThrow(/3 delegations deep/);
  });
});

describe('asking again', () => {
  it('the same request id finds the same job, also from another client after a restart', async () => {
    const first = pacedRun(house, 5, 0.1, { requestId: 'r-1' });
    const client = house.client();
    await client.submit(first);
    process.kill(supervisorPid(house.stateDir)!, 'SIGKILL');
    const again = await house.client().submit(pacedRun(house, 5, 0.1, { requestId: 'r-1' }));
    expect(again).toMatchObject({ repeated: true, job: { job_id: first.id } });
    await client.wait(first.id, { timeoutMs: 50_000 });
    expect(lines(house.runs)).toHaveLength(1);
  });

  it('a queued job whose supervisor and client are both gone is failed, and its request id is free again', {
    timeout: 90_000,
  }, async () => {
    const client = house.client();
    const holder = pacedRun(house, 600, 0.1, { maxJobs: 1 });
    await client.submit(holder);
    const waiting = pacedRun(house, 1, 0, { maxJobs: 1, requestId: 'r-2' });
    await client.submit(waiting);
    client.close();
    process.kill(supervisorPid(house.stateDir)!, 'SIGKILL');
    const other = house.client();
    const status = await other.wait(waiting.id, { timeoutMs: 60_000 });
    expect(status).toMatchObject({ state: 'failed', failure_reason: 'never_started' });
    expect(status.error).toContain('safe to send it again');
    await other.cancel(holder.id);
    const again = await other.submit(pacedRun(house, 1, 0, { requestId: 'r-2' }));
    expect(again.repeated).toBe(false);
    await other.wait(again.job.job_id, { timeoutMs: 50_000 });
  });
});

describe('the supervisor', () => {
  it('is one, however many clients come at the same instant', async () => {
    const all = Array.from({ length: 12 }, () => pacedRun(house, 1, 0.2, { maxJobs: 12 }));
    await Promise.all(all.map((sent) => house.client().submit(sent)));
    const pids = new Set(
      lines(join(house.stateDir, 'supervisor.log')).map((line) => (JSON.parse(line) as { pid: number }).pid),
    );
    expect(pids.size).toBe(1);
    const parent = readFileSync(`/proc/${[...pids][0]}/stat`, 'utf8')
      .split(') ')[1]!
      .split(' ')[1];
    expect(lives(Number(parent)) && Number(parent)).not.toBe(process.pid);
    await Promise.all(all.map((sent) => house.client().wait(sent.id, { timeoutMs: 50_000 })));
  });

  it('is replaced when it hangs, and its runs go on', async () => {
    const client = house.client();
    const sent = pacedRun(house, 40, 0.2);
    await client.submit(sent);
    await until(() => lines(house.runs).length === 1, 'the run');
    const hung = supervisorPid(house.stateDir)!;
    process.kill(hung, 'SIGSTOP');
    const next = pacedRun(house, 1, 0);
    expect((await house.client().submit(next)).job.job_id).toBe(next.id);
    expect(supervisorPid(house.stateDir)).not.toBe(hung);
    expect(await client.wait(sent.id, { timeoutMs: 50_000 })).toMatchObject({
      state: 'done',
      exit: 'unknown',
    });
    expect(lines(house.runs)).toHaveLength(2);
  });

  it('serves the other jobs when one is damaged, and names the damage', async () => {
    const client = house.client();
    const sent = pacedRun(house, 20, 0.1);
    await client.submit(sent);
    process.kill(supervisorPid(house.stateDir)!, 'SIGKILL');
    writeFileSync(jobFiles(house.stateDir, sent.id).record, '{"format":1,');
    const other = pacedRun(house, 1, 0);
    expect((await run(other)).state).toBe('done');
    await expect(client.status(sent.id)).rejects.toThrow(
      /job .* is damaged: .*job\.json is not a job record/,
    );
    await sleep(2500);
  });

  it('says which folder cannot be written', async () => {
    mkdirSync(house.folder, { recursive: true });
    writeFileSync(house.stateDir, 'a file where the folder should be');
    await expect(house.client().submit(pacedRun(house, 1, 0))).rejects.toThrow(
      /state folder .* cannot be used .*BATON_STATE_DIR/,
    );
  });
});
