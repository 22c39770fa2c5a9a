import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createTools } from '../../../src/agent/tools/create-tools.ts';
import { createBench } from './harness.ts';

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

async function gone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 100 && isAlive(pid); tries++) await delay(20);
  return !isAlive(pid);
}

const pidIn = (text: string): number => Number(/pid=(\d+)/.exec(text)?.[1]);

test('output of both streams comes in order, with the exit code', async () => {
  const bench = createBench();
  const outcome = await bench.run('run_command', {
    CommandLine: 'echo one; echo two >&2; echo three; exit 7',
  });
  expect(outcome).toEqual({
    isError: false,
    output: 'The command exited with code 7.\none\ntwo\nthree\n',
    displayOutput: 'one\ntwo\nthree\n',
  });
});

test('it runs in the workspace or in Cwd, with bash, and has no input', async () => {
  const bench = createBench();
  bench.write('sub/x', '');
  expect((await bench.run('run_command', { CommandLine: 'pwd' })).displayOutput).toBe(`${bench.root}\n`);
  const sub = await bench.run('run_command', { CommandLine: 'pwd; [[ a == a ]] && echo bash', Cwd: 'sub' });
  expect(sub.displayOutput).toBe(`${bench.root}/sub\nbash\n`);
  expect((await bench.run('run_command', { CommandLine: 'wc -c' })).displayOutput?.trim()).toBe('0');
});

test('quotes, expansions and line ends reach the shell as written', async () => {
  const bench = createBench();
  const { displayOutput } = await bench.run('run_command', {
    CommandLine: `printf '%s\\n' "a b" 'c"d' $(echo e) \\\n  '%PATH%' "\${HOME##*/}x" é`,
  });
  expect(displayOutput?.split('\n').slice(0, 4)).toEqual(['a b', 'c"d', 'e', '%PATH%']);
});

test('the environment is marked, and holds none of our secrets', async () => {
  const bench = createBench({
    environment: {
      PATH: process.env.PATH,
      OPENAI_API_KEY: 'secret-1',
      ANTHROPIC_AUTH_TOKEN: 'secret-2',
      GEMINI_API_KEY: 'secret-3',
      BATON_HTTP_TOKEN: 'secret-4',
      AGY_MCP_HTTP_TOKEN: 'secret-5',
      BASH_ENV: '/tmp/evil',
      STRIPE_API_KEY: 'theirs',
      PAGER: 'less',
    },
  });
  const { displayOutput } = await bench.run('run_command', { CommandLine: 'env' });
  expect(displayOutput).not.toMatch(/secret-|BASH_ENV/);
  for (const line of [
    'ANTIGRAVITY_AGENT=1',
    'ANTIGRAVITY_CONVERSATION_ID=conversation-1',
    'PAGER=cat',
    'GIT_PAGER=cat',
    'STRIPE_API_KEY=theirs',
  ])
    expect(displayOutput?.split('\n')).toContain(line);
});

test('a folder that poses as a bare repository runs nothing through git', async () => {
  const bench = createBench();
  const trace = join(bench.outside, 'trace');
  for (const name of ['objects/x', 'refs/x']) bench.write(`evil/${name}`, '');
  bench.write('evil/HEAD', 'ref: refs/heads/main\n');
  const settings = [
    '[core]',
    'repositoryformatversion = 0',
    'bare = false',
    `worktree = "${join(bench.root, 'evil')}"`,
    `fsmonitor = "touch ${trace}; false"`,
  ];
  bench.write('evil/config', settings.join('\n'));
  const plainGit = spawnSync('git', ['status'], {
    cwd: join(bench.root, 'evil'),
    env: { PATH: process.env.PATH },
  });
  expect(plainGit.error).toBeUndefined();
  expect(existsSync(trace)).toBe(true);
  rmSync(trace);
  await bench.run('run_command', { CommandLine: 'git status', Cwd: 'evil' });
  expect(existsSync(trace)).toBe(false);
});

test('only the command line is a documented parameter', async () => {
  const bench = createBench();
  const call = await bench.prepare('run_command', { CommandLine: 'ls', Cwd: '.', TimeoutSeconds: 5 });
  expect(call.parameters).toEqual({ CommandLine: 'ls' });
});

test('long output is cut in the middle and kept whole in a named file', async () => {
  const bench = createBench();
  const outcome = await bench.run('run_command', { CommandLine: 'seq 1 100000' });
  const kept = outcome.fullOutputPath ?? '';
  expect(kept).toContain(join(bench.options.conversationFolder, 'output'));
  expect(readFileSync(kept, 'utf8')).toBe(Array.from({ length: 100_000 }, (_, i) => `${i + 1}\n`).join(''));
  expect(outcome.output).toContain(`bytes left out; the whole output is in ${kept}`);
  expect(outcome.output).toMatch(/^The command completed\.\n1\n2\n/);
  expect(outcome.output).toMatch(/\n100000\n$/);
  expect(outcome.output.length).toBeLessThan(40_000);
});

test('short output leaves no file, colours and progress lines are taken out', async () => {
  const bench = createBench();
  const { displayOutput } = await bench.run('run_command', {
    CommandLine: String.raw`printf '\033[31mred\033[0m\n10%%\r20%%\rdone\nx\r\n'`,
  });
  expect(displayOutput).toBe('red\ndone\nx\n');
  expect(() => readdirSync(bench.options.conversationFolder)).toThrow('ENOENT');
});

test('output that is no text does no harm', async () => {
  const bench = createBench();
  const outcome = await bench.run('run_command', { CommandLine: String.raw`printf 'a\377\000b'` });
  expect(outcome.displayOutput).toBe('a\uFFFD\0b');
});

test('a command that takes too long is ended with its children, and its output is kept', async () => {
  const bench = createBench();
  const outcome = await bench.run('run_command', {
    CommandLine: 'sleep 60 & echo pid=$!; setsid sleep 60 & echo started; wait',
    TimeoutSeconds: 1,
  });
  expect(outcome.isError).toBe(true);
  expect(outcome.errorMessage).toContain('was ended after 1 s');
  expect(outcome.output).toContain('Output so far:\npid=');
  expect(await gone(pidIn(outcome.output))).toBe(true);
});

test('a command that ignores the polite signal is killed', async () => {
  const bench = createBench();
  const outcome = await bench.run('run_command', {
    CommandLine: 'trap "" TERM; echo pid=$$; while true; do sleep 0.1; done',
    TimeoutSeconds: 1,
  });
  expect(outcome.isError).toBe(true);
  expect(await gone(pidIn(outcome.output))).toBe(true);
});

test('an abort ends the command and its children', async () => {
  const bench = createBench();
  const controller = new AbortController();
  const call = await bench.prepare('run_command', { CommandLine: 'echo pid=$$; sleep 60' });
  let seen = '';
  const outcome = await call.run({
    signal: controller.signal,
    onProgress: (text) => {
      seen += text;
      controller.abort();
    },
  });
  expect(outcome).toMatchObject({ isError: true, errorMessage: 'interrupted' });
  expect(await gone(pidIn(seen))).toBe(true);
});

test('a command that leaves a child behind ends at once; the child ends with the run', async () => {
  const bench = createBench();
  const set = createTools(bench.options);
  const tool = set.tools.find(({ declaration }) => declaration.name === 'run_command');
  const call = await tool?.prepare({
    CommandLine: 'sleep 60 & echo pid=$!; (setsid sleep 61 & echo lone=$!)',
  });
  const outcome = await call?.run({ signal: new AbortController().signal });
  const lone = Number(/lone=(\d+)/.exec(outcome?.output ?? '')?.[1]);
  const pid = pidIn(outcome?.output ?? '');
  expect(outcome?.isError).toBe(false);
  expect([isAlive(pid), isAlive(lone)]).toEqual([true, true]);
  await set.close();
  await set.close();
  expect([await gone(pid), await gone(lone)]).toEqual([true, true]);
});

test('a command goes to the background, is asked after, and ends with the run', async () => {
  const bench = createBench();
  const set = createTools(bench.options);
  const find = (name: string) => set.tools.find(({ declaration }) => declaration.name === name);
  const signal = new AbortController().signal;
  const ask = async (name: string, args: Record<string, unknown>) =>
    await (await find(name)?.prepare(args))?.run({ signal });
  const started = await ask('run_command', {
    CommandLine: 'echo pid=$$; until [ -f go ]; do sleep 0.05; done; echo went; sleep 60',
    WaitMsBeforeAsync: 300,
  });
  expect(started?.output).toMatch(/^The command runs on in the background; its id is \S+ /);
  const [task] = set.running();
  expect(task?.commandLine).toContain('until');
  expect((await ask('command_status', { CommandId: task?.id }))?.output).toMatch(
    /^The command is still running\.\npid=/,
  );
  writeFileSync(join(bench.root, 'go'), '');
  let output = '';
  for (let tries = 0; tries < 100 && !output.includes('went'); tries++) {
    output = (await ask('command_status', { CommandId: task?.id }))?.output ?? '';
    await delay(20);
  }
  expect(output).toContain('went');
  expect((await ask('command_status', { CommandId: 'x' }))?.errorMessage).toContain(
    `running are ${task?.id}`,
  );
  await set.close();
  expect(set.running()).toEqual([]);
  expect(await gone(pidIn(output))).toBe(true);
});

test('waiting for background commands ends with them, or with the signal', async () => {
  const bench = createBench();
  const set = createTools(bench.options);
  const run = async (line: string) => {
    const tool = set.tools.find(({ declaration }) => declaration.name === 'run_command');
    const call = await tool?.prepare({ CommandLine: line, WaitMsBeforeAsync: 0 });
    return await call?.run({ signal: new AbortController().signal });
  };
  await run('sleep 0.2');
  await set.waitForBackground(new AbortController().signal);
  expect(set.running()).toEqual([]);
  await run('sleep 60');
  await set.waitForBackground(AbortSignal.timeout(50));
  expect(set.running()).toHaveLength(1);
  await set.close();
});

test.each([
  [{}, 'the argument CommandLine is missing'],
  [{ CommandLine: '  ' }, 'the CommandLine is empty'],
  [{ CommandLine: 'a\0b' }, 'NUL'],
  [{ CommandLine: 'ls', Cwd: 'missing' }, 'is no folder'],
])('arguments %j are refused', async (args, message) => {
  const bench = createBench();
  await expect(bench.prepare('run_command', args)).rejects.toThrow(message);
});

test('a command line that the system cannot take is an error of the call', async () => {
  const bench = createBench();
  const outcome = await bench.run('run_command', { CommandLine: `: ${'x'.repeat(300_000)}` });
  expect(outcome.isError).toBe(true);
  expect(outcome.errorMessage).toContain('could not be started');
});
