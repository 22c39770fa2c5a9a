import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { isTerminal } from '../../src/contract/outcome.ts';
import { allJobIds, jobFiles, liveJobIds } from '../../src/jobs/job-folder.ts';
import { hasEnded, readStatus } from '../../src/jobs/read-status.ts';
import type { JobStatus } from '../../src/jobs/types.ts';
import { isLocked } from '../../src/platform/kernel-lock.ts';
import { jobsHouse, lines, programs, submission, supervisorPid, until } from '../support/jobs.ts';
import { type Session, script, serverHouse } from '../support/mcp.ts';
import { seeded } from '../support/seeded.ts';

/** Processes that carry the marker of a job of this state folder. */
function processesOf(ids: readonly string[]): number[] {
  const markers = new Set(ids.map((id) => `BATON_JOB=${id}`));
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8')
          .split('\0')
          .some((entry) => markers.has(entry));
      } catch {
        return false;
      }
    })
    .map(Number);
}

async function expectNothingLeft(stateDir: string): Promise<void> {
  const ids = allJobIds(stateDir);
  await until(() => processesOf(ids).length === 0, 'the end of every process of every job');
  // A supervisor killed right after a result leaves the mark of a living job to the next one.
  expect(liveJobIds(stateDir).filter((id) => !hasEnded(stateDir, id))).toEqual([]);
  expect(ids.filter((id) => isLocked(jobFiles(stateDir, id).runLock))).toEqual([]);
}

describe('endurance', () => {
  it('500 jobs in a row, while supervisor and client are replaced at random moments', {
    timeout: 300_000,
  }, async () => {
    const house = jobsHouse();
    try {
      const random = seeded(500);
      const runs = join(house.folder, 'runs');
      mkdirSync(runs);
      let client = house.client();
      const wrong: string[] = [];
      for (let i = 0; i < 500; i++) {
        const counter = join(runs, String(i));
        const sent = submission(house, join(programs, 'paced-agent.sh'), [counter, '1', '0']);
        const accepted = client.submit(sent);
        if (random() < 0.04) {
          await sleep(random() * 40);
          const pid = supervisorPid(house.stateDir);
          if (pid !== undefined) process.kill(pid, 'SIGKILL');
        }
        await accepted;
        if (random() < 0.04) {
          client.close();
          client = house.client();
          await client.submit(sent);
        }
        const status = await client.wait(sent.id, { timeoutMs: 60_000 });
        const count = lines(counter).length;
        if (status.state !== 'done' || status.result !== 'piece 1. ' || count !== 1)
          wrong.push(
            `${i}: ${status.state} ${status.failure_reason ?? ''} ${status.result ?? ''} run ${count} times`,
          );
      }
      expect(wrong).toEqual([]);
      await expectNothingLeft(house.stateDir);
    } finally {
      await house.remove();
    }
  });

  it('50 jobs at once from five servers, while servers, clients and supervisor are killed', {
    timeout: 300_000,
  }, async () => {
    const house = serverHouse({ BATON_MAX_JOBS: '50' });
    try {
      const random = seeded(50);
      const sessions = await Promise.all(Array.from({ length: 5 }, () => house.connect()));
      const prompt = (n: number): string =>
        script(...Array.from({ length: 10 }, (_, i) => [{ text: `${n}.${i} ` }, { sleep: 150 }]).flat());
      const submit = async (session: Session, n: number): Promise<string | undefined> => {
        try {
          const reply = await session.call('agy_run', {
            prompt: prompt(n),
            cwd: house.work,
            request_id: `job ${n}`,
          });
          return reply.isError ? `refused: ${reply.text}` : String(reply.value.job_id);
        } catch {
          // Its server was killed under it; the job is found by its request id below.
          return undefined;
        }
      };
      const submitted = Promise.all(Array.from({ length: 50 }, (_, n) => submit(sessions[n % 5]!, n)));
      for (let blow = 0; blow < 8; blow++) {
        await sleep(200 + random() * 500);
        const victim =
          random() < 0.6 ? supervisorPid(house.stateDir) : sessions[1 + Math.floor(random() * 4)]!.pid;
        try {
          if (victim !== undefined) process.kill(victim, 'SIGKILL');
        } catch {
          // Killed before.
        }
      }
      const first = await submitted;
      expect(first.filter((id) => id?.startsWith('refused'))).toEqual([]);

      // What a client does that lost a reply: it sends the same request id again.
      const survivor = await house.connect();
      const ids = await Promise.all(first.map(async (id, n) => id ?? (await submit(survivor, n))));
      expect(new Set(ids).size).toBe(50);
      const states: JobStatus[] = [];
      for (const id of ids) {
        await survivor.call('agy_wait', { job_id: id, wait: '50s' });
        states.push(readStatus(house.stateDir, id!));
      }
      const wrong = states.filter((status, n) => {
        if (!isTerminal(status.state)) return true;
        if (status.state === 'done')
          return (
            status.partial ||
            !status.result?.startsWith(`${n}.0 ${n}.1 `) ||
            !status.result.endsWith(`${n}.9 `)
          );
        // Accepted, and then its server and the supervisor died before it was begun: said as such, nothing ran.
        return (
          status.failure_reason !== 'never_started' ||
          lines(jobFiles(house.stateDir, status.job_id).events).join('') !== ''
        );
      });
      expect(wrong).toEqual([]);
      expect(states.filter((status) => status.state === 'done').length).toBeGreaterThan(25);
      await expectNothingLeft(house.stateDir);
    } finally {
      await house.remove();
    }
  });
});
