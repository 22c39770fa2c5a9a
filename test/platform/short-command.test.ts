import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { processStartTime } from '../../src/platform/process-identity.ts';
import { runShortCommand, type ShortCommand } from '../../src/platform/short-command.ts';

function sh(script: string, more: Partial<ShortCommand> = {}): ReturnType<typeof runShortCommand> {
  return runShortCommand({
    program: '/bin/sh',
    args: ['-c', script],
    environment: { PATH: '/usr/bin:/bin' },
    timeoutMs: 30_000,
    ...more,
  });
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'baton-short-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

// An ended process that nobody has collected yet counts as ended.
const isAlive = (pid: number): boolean => processStartTime(pid) !== undefined;

async function gone(pid: number): Promise<boolean> {
  for (let round = 0; round < 1000 && isAlive(pid); round++)
    await new Promise((resolve) => setTimeout(resolve, 10));
  return !isAlive(pid);
}

test('collects both streams and the code', async () => {
  await expect(sh('echo out; echo err >&2; exit 3')).resolves.toEqual({
    ending: 'exit',
    code: 3,
    stdout: 'out\n',
    stderr: 'err\n',
  });
});

test('names the signal that ended the program', async () => {
  await expect(sh('kill -9 $$')).resolves.toMatchObject({ ending: 'exit', signal: 'SIGKILL' });
});

test('gives a stdin at its end, so that a reader goes on', async () => {
  await expect(sh('cat; echo read')).resolves.toMatchObject({ code: 0, stdout: 'read\n' });
});

test('gives exactly the environment that it was told', async () => {
  await expect(sh('echo "$A$HOME"', { environment: { A: 'x' } })).resolves.toMatchObject({ stdout: 'x\n' });
});

test('a descendant that keeps the output open does not hold up the answer, and is left alone', async () => {
  const pidFile = join(folder(), 'pid');
  const outcome = await sh(`sleep 300 & echo $! > ${pidFile}; echo 1.2.3`, { graceMs: 50 });
  const pid = Number(readFileSync(pidFile, 'utf8'));
  onTestFinished(() => void process.kill(pid, 'SIGKILL'));
  expect(outcome).toMatchObject({ ending: 'exit', code: 0, stdout: '1.2.3\n' });
  expect(isAlive(pid)).toBe(true);
});

test('a deadline ends the whole group and keeps what was printed', async () => {
  const pidFile = join(folder(), 'pid');
  const outcome = await sh(`sleep 300 & echo $! > ${pidFile}; echo so far; wait`, { timeoutMs: 1500 });
  expect(outcome).toEqual({ ending: 'timeout', stdout: 'so far\n', stderr: '' });
  await expect(gone(Number(readFileSync(pidFile, 'utf8')))).resolves.toBe(true);
});

test('a deadline ends a program that ignores TERM', async () => {
  await expect(sh("trap '' TERM; sleep 300", { timeoutMs: 300 })).resolves.toMatchObject({
    ending: 'timeout',
  });
});

test('a caller that gives up ends it', async () => {
  const mark = join(folder(), 'started');
  const controller = new AbortController();
  const running = sh(`touch ${mark}; sleep 300`, { signal: controller.signal });
  while (!existsSync(mark)) await new Promise((resolve) => setTimeout(resolve, 10));
  controller.abort();
  await expect(running).resolves.toMatchObject({ ending: 'cancelled' });
});

test('a caller that gave up before starts nothing', async () => {
  const mark = join(folder(), 'started');
  await expect(sh(`touch ${mark}`, { signal: AbortSignal.abort() })).resolves.toMatchObject({
    ending: 'cancelled',
  });
  expect(existsSync(mark)).toBe(false);
});

test('output is bounded, and a program that prints more is not stopped by it', async () => {
  const outcome = await sh('head -c 300000 /dev/zero | tr "\\0" x; echo end >&2', { maxBytes: 1000 });
  expect(outcome.stdout).toHaveLength(1000);
  expect(outcome).toMatchObject({ code: 0, stderr: 'end\n' });
});

test('a program that is not there is the error of the system', async () => {
  const command = { program: '/nonexistent/agy', args: [], environment: {}, timeoutMs: 1000 };
  await expect(runShortCommand(command)).rejects.toMatchObject({ code: 'ENOENT' });
});
