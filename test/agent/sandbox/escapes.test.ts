import { spawnSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findBubblewrap } from '../../../src/agent/sandbox/bubblewrap.ts';
import { openSandbox, type Sandbox, type SandboxOptions } from '../../../src/agent/sandbox/open-sandbox.ts';
import { createTools } from '../../../src/agent/tools/create-tools.ts';
import type { ToolOutcome } from '../../../src/agent/tools/types.ts';
import { createWorkspace } from '../../../src/agent/tools/workspace.ts';

const program = process.platform === 'linux' ? findBubblewrap(process.env.PATH, []) : undefined;
const works =
  program !== undefined &&
  spawnSync(program, [
    '--unshare-user',
    '--unshare-pid',
    '--ro-bind',
    '/',
    '/',
    '--proc',
    '/proc',
    '--',
    '/bin/true',
  ]).status === 0;
if (!works)
  console.warn(
    `SKIPPED: the tests of sandbox escapes need a bubblewrap that works (found: ${program ?? 'none'})`,
  );

interface Cell {
  /** A folder of the person, outside of the workspace. */
  home: string;
  workspace: string;
  run(commandLine: string, more?: Record<string, unknown>): Promise<ToolOutcome>;
}

/** A home folder outside of the temporary folders, as those are replaced in the sandbox anyway. */
function createHome(): string {
  const home = realpathSync(mkdtempSync(join(homedir(), '.baton-test-')));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

async function createCell(more: Partial<SandboxOptions> = {}): Promise<Cell> {
  const home = createHome();
  const workspace = join(home, 'project');
  mkdirSync(join(workspace, '.git'), { recursive: true });
  writeFileSync(join(home, 'private.txt'), 'mine');
  mkdirSync(join(home, '.ssh'));
  writeFileSync(join(home, '.ssh/id'), 'secret-key');
  writeFileSync(join(home, '.netrc'), 'secret-login');
  mkdirSync(join(home, '.local/state/baton'), { recursive: true });
  writeFileSync(join(home, '.local/state/baton/job.json'), 'secret-job');
  const environment = {
    PATH: process.env.PATH,
    HOME: home,
    SSH_AUTH_SOCK: '/run/agent',
    BATON_HTTP_TOKEN: 't',
  };
  const sandbox = await openSandbox({ environment, folders: [workspace], mode: 'default', ...more });
  const set = createTools({
    workspace: createWorkspace([workspace]),
    operations: sandbox,
    environment,
    conversationId: 'c',
    conversationFolder: join(home, 'conversation'),
  });
  onTestFinished(async () => {
    await set.close();
    sandbox.close();
  });
  const tool = set.tools.find(({ declaration }) => declaration.name === 'run_command');
  return {
    home,
    workspace,
    async run(commandLine, args = {}) {
      const call = await tool?.prepare({ CommandLine: commandLine, ...args });
      if (!call) throw new Error('no run_command');
      return await call.run({ signal: new AbortController().signal });
    },
  };
}

describe.skipIf(!works)('a sandboxed command', () => {
  test('writes in the workspace and in a temporary folder that lasts for the run', async () => {
    const cell = await createCell();
    const first = await cell.run('echo hi >a.txt && echo there >$TMPDIR/b && echo x >/tmp/c && pwd');
    expect(first.displayOutput).toBe(`${cell.workspace}\n`);
    expect(readFileSync(join(cell.workspace, 'a.txt'), 'utf8')).toBe('hi\n');
    expect((await cell.run('cat /tmp/b /tmp/c')).displayOutput).toBe('there\nx\n');
  });

  test('keeps its exit code and the order of its streams', async () => {
    const cell = await createCell();
    const outcome = await cell.run('echo one; echo two >&2; exit 3');
    expect(outcome.output).toBe('The command exited with code 3.\none\ntwo\n');
  });

  test.each([
    ['an absolute path', 'echo x >$HOME/private.txt'],
    ['..', 'echo x >../private.txt'],
    ['a link made inside', 'ln -s ../private.txt l && echo x >l'],
    ['a link to a folder', 'ln -s .. up && echo x >up/private.txt'],
    ['cd through a link', 'ln -s $HOME up && cd up && echo x >private.txt'],
    ['a hard link made inside', 'ln ../private.txt h && echo x >h'],
    ['/proc/self/root', 'echo x >/proc/self/root$HOME/private.txt'],
    ['/proc/1/root', 'echo x >/proc/1/root$HOME/private.txt'],
    ['/proc/self/cwd', 'echo x >/proc/self/cwd/../private.txt'],
    ['a new file beside the workspace', 'touch ../new && mv ../new ../private.txt'],
    ['moving the workspace', 'mv ../project ../moved && echo x >../private.txt'],
    ['removing', 'rm -f ../private.txt; rm -rf ../project'],
    ['mounting', 'mount -o remount,rw / ; echo x >../private.txt'],
    [
      'a namespace of its own',
      'unshare -Urm sh -c "mount -o remount,bind,rw $HOME; echo x >$HOME/private.txt"',
    ],
    ['the disk itself', 'for d in /dev/sd* /dev/vd* /dev/nvme*; do echo x >$d; done; false'],
  ])('cannot write outside by %s', async (_, line) => {
    const cell = await createCell();
    const outcome = await cell.run(line);
    expect(outcome.output).not.toMatch(/^The command completed/);
    expect(readFileSync(join(cell.home, 'private.txt'), 'utf8')).toBe('mine');
    expect(existsSync(join(cell.home, 'moved'))).toBe(false);
    expect(existsSync(cell.workspace)).toBe(true);
  });

  test.each([
    ['keys', 'cat ~/.ssh/id'],
    ['sign-ins', 'cat ~/.netrc'],
    ['our state', 'cat ~/.local/state/baton/job.json'],
    ['keys, by a link', 'ln -s ~/.ssh s; cat s/id'],
    ['keys, through /proc', 'cat /proc/self/root$HOME/.ssh/id /proc/1/root$HOME/.ssh/id'],
    ['keys, by a search', 'grep -r secret ~'],
    ['a copy', 'cp -r ~/.ssh . ; cat .ssh/id'],
    [
      'the agent and its environment',
      'cat /proc/*/environ | tr "\\0" "\\n" | grep -E "^(SSH_AUTH_SOCK|BATON_HTTP)"; echo secret-not-found',
    ],
  ])('cannot read %s', async (_, line) => {
    const cell = await createCell();
    const { output } = await cell.run(line);
    expect(output.replace('secret-not-found', '')).not.toMatch(/secret|SSH_AUTH_SOCK|BATON_HTTP/);
  });

  test('reads the rest of the machine', async () => {
    const cell = await createCell();
    expect((await cell.run('cat ../private.txt; ls / >/dev/null && echo ok')).displayOutput).toBe('mineok\n');
  });

  test('cannot change what git runs later', async () => {
    const cell = await createCell();
    await cell.run(
      'mkdir -p .git/hooks; echo evil >.git/hooks/post-checkout; echo evil >.git/config; mv .git .old; mkdir .git; echo evil >.git/config',
    );
    expect(existsSync(join(cell.workspace, '.git/config'))).toBe(false);
    expect(existsSync(join(cell.workspace, '.git/hooks'))).toBe(false);
  });

  test('does not reach sockets of ours, and the network only when allowed', async () => {
    const server = createServer((socket) => socket.end('reached\n'));
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    onTestFinished(() => {
      server.close();
    });
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const line = `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`;
    const closed = await createCell();
    expect((await closed.run(line)).output).not.toContain('reached');
    const open = await createCell({ network: true });
    expect((await open.run(line)).output).toContain('reached');
    const socket = join(closed.home, '.local/state/baton/supervisor.sock');
    const local = createServer((peer) => peer.end('reached\n'));
    await new Promise<void>((resolve) => {
      local.listen(socket, resolve);
    });
    onTestFinished(() => {
      local.close();
    });
    const connect = `node -e 'require("net").connect("${socket}").on("data", (d) => console.log(String(d))).on("error", (e) => console.log(e.code))'`;
    expect((await closed.run(connect)).output).toContain('ENOENT');
  });

  test('sees none of the processes outside, and cannot signal them', async () => {
    const cell = await createCell();
    const { displayOutput } = await cell.run(`kill -0 ${process.pid} 2>&1; ls /proc | grep -c '^[0-9]'`);
    expect(displayOutput).toMatch(/No such process/);
    expect(Number(displayOutput?.trim().split('\n').at(-1))).toBeLessThan(10);
  });

  test('leaves no process behind, however it was started', async () => {
    const cell = await createCell();
    await cell.run(
      '(setsid sh -c "sleep 1; echo late >late.txt" &) ; nohup sh -c "sleep 1; echo late >late.txt" >/dev/null 2>&1 & echo started',
    );
    await delay(1_500);
    expect(existsSync(join(cell.workspace, 'late.txt'))).toBe(false);
  });

  test('is ended with its children at its time limit', async () => {
    const cell = await createCell();
    const outcome = await cell.run('sh -c "sleep 3; echo late >late.txt" & wait', { TimeoutSeconds: 1 });
    expect(outcome.errorMessage).toContain('was ended after 1 s');
    await delay(2_500);
    expect(existsSync(join(cell.workspace, 'late.txt'))).toBe(false);
  });

  test('writes not even the workspace in plan mode', async () => {
    const cell = await createCell({ mode: 'plan' });
    expect((await cell.run('echo x >a.txt')).output).toContain('Read-only file system');
    expect(existsSync(join(cell.workspace, 'a.txt'))).toBe(false);
  });

  test('does not see a state folder inside the workspace', async () => {
    const home = createHome();
    mkdirSync(join(home, 'state'));
    writeFileSync(join(home, 'state/job'), 'secret-job');
    const environment = { PATH: process.env.PATH, HOME: home, BATON_STATE_DIR: join(home, 'state') };
    const sandbox = await openSandbox({ environment, folders: [home], mode: 'default' });
    onTestFinished(() => sandbox.close());
    expect(runIn(sandbox, home, 'ls state; cat state/job')).not.toContain('secret');
  });

  test('has a workspace that lies in a temporary folder', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-ws-')));
    const neighbour = realpathSync(mkdtempSync(join(tmpdir(), 'baton-ws-')));
    onTestFinished(() => {
      for (const path of [folder, neighbour]) rmSync(path, { recursive: true, force: true });
    });
    const environment = { PATH: process.env.PATH, HOME: folder };
    const sandbox = await openSandbox({ environment, folders: [folder], mode: 'default' });
    onTestFinished(() => sandbox.close());
    expect(runIn(sandbox, folder, `echo x >a && cat a; ls ${neighbour}`)).toMatch(/^x\n.*No such file/s);
  });

  test('is not led astray by links that a job left for the tools outside', async () => {
    const cell = await createCell();
    await cell.run('ln -s $HOME/private.txt escape; ln -s $HOME away');
    const set = createTools({
      workspace: createWorkspace([cell.workspace]),
      operations: { launch: (plan) => plan, sandbox: 'none' },
      environment: {},
      conversationId: 'c',
      conversationFolder: join(cell.home, 'conversation'),
    });
    onTestFinished(() => set.close());
    const grep = set.tools.find(({ declaration }) => declaration.name === 'grep_search');
    const call = await grep?.prepare({ SearchPath: cell.workspace, Query: 'mine' });
    expect((await call?.run({ signal: new AbortController().signal }))?.output).toMatch(/^0 matching lines/);
  });
});

function runIn(sandbox: Sandbox, cwd: string, line: string): string {
  const plan = sandbox.launch({
    argv: ['/bin/sh', '-c', `exec 2>&1; ${line}`],
    cwd,
    environment: { PATH: process.env.PATH ?? '' },
  });
  const [name = '', ...args] = plan.argv;
  const result = spawnSync(name, args, {
    cwd: plan.cwd,
    env: plan.environment,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return result.stdout;
}

test.skipIf(!works)(
  'a hard link that was there before leads to the same file: the limit of any sandbox by paths',
  async () => {
    const cell = await createCell();
    linkSync(join(cell.home, 'private.txt'), join(cell.workspace, 'before'));
    symlinkSync('before', join(cell.workspace, 'soft'));
    await cell.run('echo x >soft');
    expect(readFileSync(join(cell.home, 'private.txt'), 'utf8')).toBe('x\n');
  },
);
