import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  bubblewrapArguments,
  explainBubblewrap,
  findBubblewrap,
} from '../../../src/agent/sandbox/bubblewrap.ts';
import { openSandbox } from '../../../src/agent/sandbox/open-sandbox.ts';
import { seatbeltCommand } from '../../../src/agent/sandbox/seatbelt.ts';

function createFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-open-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function standIn(folder: string, script: string): string {
  const path = join(folder, 'bwrap');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

describe.skipIf(process.platform !== 'linux')('on Linux', () => {
  test('a missing bubblewrap is refused with the ways to get it', async () => {
    const folder = createFolder();
    const opening = openSandbox({
      environment: {},
      folders: [folder],
      mode: 'default',
      find: () => undefined,
    });
    await expect(opening).rejects.toThrow(
      /bubblewrap, which is not installed: install it .* leave out --sandbox/,
    );
  });

  test.each([
    ['bwrap: No permissions to create new namespace', 'kernel.apparmor_restrict_unprivileged_userns=0'],
    ['bwrap: setting up uid map: Permission denied', 'AppArmor profile'],
    ['bwrap: Creating new namespace failed: Operation not permitted', 'seccomp=unconfined'],
    ["bwrap: Can't mount proc on /newroot/proc: Operation not permitted", 'systempaths=unconfined'],
    ['bwrap: something else', 'something else'],
  ])('a bubblewrap that says %j is refused with the cause and the fix', async (said, expected) => {
    const folder = createFolder();
    const program = standIn(folder, `echo "${said}" >&2; exit 1`);
    const opening = openSandbox({ environment: {}, folders: [folder], mode: 'default', find: () => program });
    await expect(opening).rejects.toThrow(expected);
    await expect(opening).rejects.toThrow('Commands are not run without it');
    expect(explainBubblewrap(said)).toContain(expected);
  });

  test('a bubblewrap in the workspace is not used', () => {
    const folder = createFolder();
    standIn(folder, 'exit 0');
    expect(findBubblewrap(`${folder}:relative`, [folder])).not.toBe(join(folder, 'bwrap'));
  });

  test('a wrong network setting is refused', async () => {
    const folder = createFolder();
    const opening = openSandbox({
      environment: { BATON_SANDBOX_NETWORK: 'yes' },
      folders: [folder],
      mode: 'default',
    });
    await expect(opening).rejects.toThrow('BATON_SANDBOX_NETWORK="yes" is neither on nor off');
  });

  test.each([
    [{}, {}, true],
    [{ BATON_SANDBOX_NETWORK: 'on' }, {}, false],
    [{}, { sandbox: { network: true } }, false],
    [{ BATON_SANDBOX_NETWORK: 'off' }, { sandbox: { network: true } }, true],
  ])('with %j and settings %j the network is closed: %s', async (variables, settings, closed) => {
    const folder = createFolder();
    mkdirSync(join(folder, '.config/baton'), { recursive: true });
    writeFileSync(join(folder, '.config/baton/settings.json'), JSON.stringify(settings));
    const program = standIn(folder, 'exit 0');
    const sandbox = await openSandbox({
      environment: { HOME: folder, ...variables },
      folders: [folder],
      mode: 'default',
      find: () => program,
    });
    onTestFinished(() => sandbox.close());
    const { argv } = sandbox.launch({ argv: ['true'], cwd: folder, environment: {} });
    expect(argv.includes('--unshare-net')).toBe(closed);
    expect(argv.slice(-2)).toEqual(['--', 'true']);
  });
});

test('what lies deeper is mounted later, whatever it is', () => {
  const folder = createFolder();
  mkdirSync(join(folder, 'work/.git'), { recursive: true });
  mkdirSync(join(folder, 'work/state/inner'), { recursive: true });
  const args = bubblewrapArguments({
    workspace: [join(folder, 'work'), join(folder, 'work/state/inner')],
    readOnly: false,
    network: false,
    hidden: [join(folder, 'work/state'), join(folder, 'missing')],
    temporary: '/tmp/private',
  });
  const at = (path: string): number => args.lastIndexOf(path);
  expect(at('/tmp/private')).toBeLessThan(at(join(folder, 'work')));
  expect(at(join(folder, 'work'))).toBeLessThan(at(join(folder, 'work/state')));
  expect(at(join(folder, 'work/state'))).toBeLessThan(at(join(folder, 'work/state/inner')));
  expect(args).not.toContain(join(folder, 'missing'));
  expect(args[at(join(folder, 'work/.git')) - 2]).toBe('--ro-bind');
});

test('a workspace that is the whole machine comes before what is hidden in it', () => {
  const folder = createFolder();
  const args = bubblewrapArguments({
    workspace: ['/'],
    readOnly: false,
    network: false,
    hidden: [folder],
    temporary: '/tmp/private',
  });
  const bind = args.findIndex((word, index) => word === '--bind' && args[index + 1] === '/');
  expect(bind).toBeGreaterThan(-1);
  expect(bind).toBeLessThan(args.indexOf('--proc'));
  expect(bind).toBeLessThan(args.indexOf(folder));
});

test('the profile for macOS closes everything but the workspace, by parameters alone', () => {
  const command = seatbeltCommand({
    workspace: ['/Users/u/a "b"'],
    readOnly: false,
    network: false,
    hidden: ['/Users/u/.ssh'],
    temporary: '/private/tmp/x',
  });
  const profile = command.at(-1) ?? '';
  expect(command.slice(0, 3)).toEqual(['/usr/bin/sandbox-exec', '-D', 'PATH_0=/Users/u/a "b"']);
  expect(profile).not.toContain('/Users');
  expect(profile.split('\n')).toEqual(
    expect.arrayContaining([
      '(deny network*)',
      '(deny file-write*)',
      '(allow file-write* (subpath (param "PATH_0")) (subpath (param "PATH_1")))',
      '(deny file-read* file-write* (subpath (param "PATH_3")))',
    ]),
  );
  const open = seatbeltCommand({
    workspace: ['/a'],
    readOnly: true,
    network: true,
    hidden: [],
    temporary: '/t',
  });
  expect(open.at(-1)).not.toContain('network');
  expect(open.at(-1)).toContain('(allow file-write* (subpath (param "PATH_0")))');
  expect(open[2]).toBe('PATH_0=/t');
});
