import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readRegistered } from '../../src/jobs/start-supervisor.ts';
import { packageRoot } from '../../src/platform/paths.ts';
import { supervisorPid, until } from '../support/jobs.ts';
import { type ServerHouse, type Session, script, serverHouse } from '../support/mcp.ts';

let house: ServerHouse;
beforeEach(() => {
  house = serverHouse();
});
afterEach(() => house.remove());

const here = packageRoot();
const { version } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')) as { version: string };

/** The package as it is now, under another version, in a folder of its own: the command of its server. */
function install(as: string, options: { dependencies: boolean } = { dependencies: true }): string[] {
  const folder = join(house.folder, `version-${as}`);
  mkdirSync(folder);
  cpSync(join(here, 'dist'), join(folder, 'dist'), { recursive: true });
  if (options.dependencies) symlinkSync(join(here, 'node_modules'), join(folder, 'node_modules'));
  cpSync(join(here, 'package.json'), join(folder, 'package.json'));
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/^(package\.json|dist[\\/].*\.js)$/.test(name)) continue;
    const file = join(folder, name);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(version, as));
  }
  return [process.execPath, join(folder, 'dist', 'baton.js'), 'serve'];
}

const steps = (count: number): string =>
  script(...Array.from({ length: count }, (_, i) => [{ text: `${i} ` }, { sleep: 100 }]).flat());

const run = (session: Session, count: number) =>
  session.call('agy_run', { prompt: steps(count), cwd: house.work });
const end = async (session: Session, reply: { value: Record<string, unknown> }) =>
  (await session.call('agy_wait', { job_id: reply.value.job_id, wait: '50s' })).value;

describe('two versions on one state folder', () => {
  it('the newer one takes over from the older, whose runs go on; the older one uses the newer', async () => {
    const older = await house.connect({ command: install('0.0.1') });
    const first = await run(older, 30);
    const oldSupervisor = supervisorPid(house.stateDir);
    expect(readRegistered(house.stateDir)?.version).toBe('0.0.1');

    const newer = await house.connect({ command: install('9.0.0') });
    const second = await run(newer, 5);
    expect(readRegistered(house.stateDir)?.version).toBe('9.0.0');
    expect(supervisorPid(house.stateDir)).not.toBe(oldSupervisor);

    const newSupervisor = supervisorPid(house.stateDir);
    const third = await run(older, 5);
    expect(supervisorPid(house.stateDir)).toBe(newSupervisor);

    for (const reply of [first, second, third]) {
      const ended = await end(older, reply);
      expect(ended).toMatchObject({ state: 'done' });
      expect(ended.partial).toBeUndefined();
    }
  });

  it('under load: both submit at once, nothing is lost', async () => {
    const environment = { BATON_MAX_JOBS: '6' };
    const older = await house.connect({ command: install('0.0.1'), environment });
    const queued = Array.from({ length: 10 }, () => run(older, 3));
    await until(() => supervisorPid(house.stateDir), 'the older supervisor');
    const newer = await house.connect({ command: install('9.0.0'), environment });
    const more = Array.from({ length: 10 }, (_, i) => run(i % 2 ? older : newer, 3));
    const replies = await Promise.all([...queued, ...more]);
    const states = await Promise.all(replies.map(async (reply) => (await end(newer, reply)).state));
    expect(states).toEqual(Array.from({ length: 20 }, () => 'done'));
    expect(readRegistered(house.stateDir)?.version).toBe('9.0.0');
  });
});

describe('an installation without the lock library', () => {
  it('starts and lists, but refuses to run anything, with the reason and the way out', async () => {
    const session = await house.connect({ command: install('0.0.2', { dependencies: false }) });
    const refused = await run(session, 1);
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain('kernel file locks are not available on');
    expect(refused.text).toContain('Reinstall the package on this machine');
    expect((await session.call('agy_jobs')).isError).toBe(false);
    expect(supervisorPid(house.stateDir)).toBeUndefined();
  });
});
