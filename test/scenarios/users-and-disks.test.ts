import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createJobsClient } from '../../src/jobs/client.ts';
import { checkSocketFolder } from '../../src/platform/socket-path.ts';
import { endSupervisors, jobsHouse, pacedRun } from '../support/jobs.ts';
import { bins } from '../support/mcp.ts';

/** These need a second user and a small disk, which only root can have; elsewhere they are left out. */
const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'baton-users-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe.runIf(isRoot)('two users', () => {
  const asNobody = (args: string[], environment: Record<string, string>) =>
    spawnSync(process.execPath, [join(bins, 'baton.js'), ...args], {
      uid: NOBODY,
      gid: NOBODY,
      cwd: '/',
      env: { PATH: process.env.PATH, HOME: '/nonexistent', BATON_NO_CODE_CACHE: '1', ...environment },
      encoding: 'utf8',
    });

  it('cannot see the jobs of the other, nor talk to the supervisor of the other', async () => {
    const house = jobsHouse();
    try {
      const client = house.client();
      const sent = pacedRun(house, 20, 0.1, { prompt: 'a secret question' });
      await client.submit(sent);
      chmodSync(house.folder, 0o755);
      for (const args of [
        ['jobs', 'list'],
        ['jobs', 'show', sent.id],
        ['jobs', 'cancel', sent.id],
        ['wait-job', sent.id],
      ]) {
        const tried = asNobody(args, { BATON_STATE_DIR: house.stateDir });
        expect(tried.stdout + tried.stderr).not.toContain('a secret question');
        expect(tried.status).not.toBe(0);
      }
      expect((await client.wait(sent.id, { timeoutMs: 30_000 })).state).toBe('done');
    } finally {
      await house.remove();
    }
  });

  it('a folder for the socket that is somebody else’s, or open to others, is not used', () => {
    const [foreign, open] = ['foreign', 'open'].map((name) => join(folder, name)) as [string, string];
    mkdirSync(foreign);
    chownSync(foreign, NOBODY, NOBODY);
    expect(() => checkSocketFolder(foreign)).toThrow(/belongs to user 65534, not to you/);
    mkdirSync(open);
    chmodSync(open, 0o777);
    expect(() => checkSocketFolder(open)).toThrow(
      /can be written by other users \(mode 777\); run: chmod 700/,
    );
  });
});

function smallDisk(megabytes: number): string | undefined {
  const mount = join(folder, 'disk');
  mkdirSync(mount);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', mount], { stdio: 'ignore' });
    return mount;
  } catch {
    return undefined;
  }
}

describe.runIf(isRoot)('a disk that is nearly full', () => {
  it('is found out before a job is accepted', async (context) => {
    const disk = smallDisk(66);
    context.skip(disk === undefined, 'no file system can be mounted here');
    if (disk === undefined) return;
    const stateDir = join(disk, 'state');
    const house = jobsHouse();
    const client = createJobsClient({ stateDir });
    try {
      writeFileSync(join(disk, 'filler'), Buffer.alloc(4 * 1024 * 1024));
      await expect(client.submit(pacedRun(house, 1, 0))).rejects.toThrow(
        /only \d+ MB are free where jobs are kept .*free some space, or set BATON_STATE_DIR/,
      );
      rmSync(join(disk, 'filler'));
      const sent = pacedRun(house, 1, 0);
      await client.submit(sent);
      expect((await client.wait(sent.id, { timeoutMs: 20_000 })).state).toBe('done');
    } finally {
      client.close();
      await endSupervisors(stateDir);
      await house.remove();
      execFileSync('umount', [disk]);
    }
  });
});
