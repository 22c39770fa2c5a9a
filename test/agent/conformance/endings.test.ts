import { execFile, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findAgyError } from '../../../src/contract/outcome.ts';
import { type AgentHouse, agentHouse, agentProgram, initOf, stepsOf } from '../../support/agent.ts';
import { until } from '../../support/jobs.ts';
import type { ScriptedReply } from '../../support/models/script.ts';
import { type ModelServer, startModelServer } from '../../support/models/server.ts';

let server: ModelServer | undefined;
let house: AgentHouse;

async function withReplies(replies: ScriptedReply[]): Promise<ModelServer> {
  server = await startModelServer(replies);
  house = agentHouse(server);
  return server;
}

beforeEach(() => {
  server = undefined;
});
afterEach(async () => {
  house.remove();
  await server?.close();
});

const STREAM = ['--output-format', 'stream-json'];
const JSON_OUT = ['--output-format', 'json'];
const ONE_RETRY = { BATON_MODEL_RETRIES: '1' };
const NO_RETRY = { BATON_MODEL_RETRIES: '0' };

describe('a failing model', () => {
  test('each attempt is a step, then exit 3 with AGY_ERROR (exit-api, error-steps)', async () => {
    const refusal = {
      status: 429,
      body: { error: { message: 'slow down' } },
      headers: { 'retry-after': '0' },
    };
    await withReplies([refusal, refusal]);
    const run = await house.run(['-p', 'x', ...STREAM], { environment: ONE_RETRY });
    expect(run.code).toBe(3);
    const failed = stepsOf(run).filter(({ step_type }) => step_type === 'error_message');
    expect(failed).toHaveLength(2);
    expect(failed.every(({ state }) => state === 'ERROR')).toBe(true);
    expect(run.envelope()).toMatchObject({ status: 'ERROR', response: '', num_turns: 1 });
    expect(run.envelope().error).toMatch(/^RESOURCE_EXHAUSTED \(code 429\): .*slow down/);
    expect(run.stderr).toContain('API error (attempt 1): RESOURCE_EXHAUSTED (code 429)');
    const lines = run.stderr.trim().split('\n');
    expect(lines.at(-2)).toBe(`error: ${run.envelope().error}`);
    expect(lines.at(-1)).toMatch(/^AGY_ERROR: \{/);
    expect(findAgyError(run.stderr)).toMatchObject({
      short_error: run.envelope().error,
      status: 'RESOURCE_EXHAUSTED',
      error_code: 429,
      code_kind: 'http',
      retryable: true,
      error_id: expect.stringMatching(/^[0-9a-f-]{36}-1$/),
    });
  });

  test('the start of an answer is kept (exit-api-partial)', async () => {
    await withReplies([{ text: ['half an ', 'answer'], breaks: 'reset' }]);
    const run = await house.run(['-p', 'x', ...STREAM]);
    expect(run.code).toBe(3);
    expect(run.envelope()).toMatchObject({ status: 'ERROR', response: 'half an answer' });
    const answer = stepsOf(run).filter(({ step_type }) => step_type === 'agent_response');
    expect(answer.map(({ text_delta }) => text_delta).join('')).toBe('half an answer');
    expect(answer.at(-1)?.state).toBe('ERROR');
    expect(findAgyError(run.stderr)).toBeDefined();
  });

  test('a refused key is a matter of sign-in (exit-error)', async () => {
    await withReplies([{ status: 401, body: { error: { message: 'Incorrect API key provided' } } }]);
    const run = await house.run(['-p', 'x', ...JSON_OUT], { environment: NO_RETRY });
    expect(run.code).toBe(1);
    expect(run.envelope().error).toMatch(/^authentication required: UNAUTHENTICATED \(code 401\)/);
  });

  test.each([
    [{ text: '' }, 'without an answer', 1],
    [{ text: '  \n' }, 'without an answer', 1],
    [{ text: 'cut in the mid', finish: 'length' }, 'output limit', 1],
    [{ text: 'cut', finish: 'content_filter' }, 'content filter', 3],
  ])('%j is no answer (empty-answer)', async (reply, error, code) => {
    await withReplies([reply]);
    const run = await house.run(['-p', 'x', ...JSON_OUT]);
    expect(run.code).toBe(code);
    expect(run.envelope()).toMatchObject({ status: 'ERROR', response: reply.text });
    expect(run.envelope().error).toContain(error);
    expect(run.stderr).toContain(error);
  });
});

describe('permissions', () => {
  const outside: ScriptedReply = {
    calls: [{ name: 'view_file', arguments: { AbsolutePath: '/etc/hostname' } }],
  };

  test('a denied call does not end the run (denied-soft, denied-actions, denied-notice)', async () => {
    const { calls } = await withReplies([outside, outside, { text: 'I may not read that.' }]);
    const run = await house.run(['-p', 'x', ...STREAM]);
    expect(run.code).toBe(0);
    expect(run.envelope()).toMatchObject({
      status: 'SUCCESS',
      response: 'I may not read that.',
      denied_actions: [{ action: 'read_file', display_name: 'ViewFile' }],
    });
    const denied = stepsOf(run).filter(({ state, step_type }) => state === 'ERROR' && step_type === 'tool');
    expect(denied).toHaveLength(2);
    expect(denied[0]?.tool_info?.error?.message).toMatch(
      /^permission check failed for read_file "\/etc\/hostname"/,
    );
    expect(JSON.stringify(calls[1]?.body.messages)).toContain('permission check failed');
    const notices = run.stderr.split('\n').filter((line) => line.includes('auto-denied'));
    expect(notices).toHaveLength(1);
    expect(notices[0]).toContain('"read_file" permission');
    expect(notices[0]).toContain('read_file(/etc/hostname)');
    expect(notices[0]).toContain('permissions.allow');
  });

  test('a rule in the settings allows it (allow-rule)', async () => {
    await withReplies([outside, { text: 'read' }]);
    const config = join(house.home, '.config', 'baton');
    mkdirSync(config, { recursive: true });
    const settings = { permissions: { allow: ['read_file(/etc/hostname)'] } };
    writeFileSync(join(config, 'settings.json'), JSON.stringify(settings));
    const run = await house.run(['-p', 'x', ...JSON_OUT]);
    expect(run.envelope()).not.toHaveProperty('denied_actions');
    expect(run).toMatchObject({ code: 0, stderr: '' });
  });

  test.each([
    [['--dangerously-skip-permissions'], {}, false],
    [['--allow', 'read_file(/etc)'], {}, false],
    [['--dangerously-skip-permissions', '--deny', 'read_file(/etc)'], {}, true],
    [['--dangerously-skip-permissions'], { BATON_RIGHTS: 'workspace' }, true],
    [['--allow', 'read_file(/etc)'], { BATON_RIGHTS: 'plan' }, true],
  ])('%j with %j (skip-permissions)', async (args, environment, isDenied) => {
    await withReplies([outside, { text: 'done' }]);
    const run = await house.run(['-p', 'x', ...JSON_OUT, ...args], { environment });
    expect(run.code).toBe(0);
    expect(run.envelope().denied_actions !== undefined).toBe(isDenied);
  });

  test('a denied call and no answer is no success (empty-answer, denied-notice)', async () => {
    await withReplies([outside, { text: '' }]);
    const run = await house.run(['-p', 'x', ...JSON_OUT]);
    expect(run.code).toBe(1);
    expect(run.envelope()).toMatchObject({ status: 'ERROR', response: '' });
    expect(run.envelope().denied_actions).toHaveLength(1);
    expect(run.stderr).toMatch(
      /no output produced — a tool required the "read_file" permission .*auto-denied/,
    );
  });

  test('a secret of the environment goes nowhere', async () => {
    const secret = 'sk-0123456789abcdef';
    server = await startModelServer((_call, index) =>
      index === 0
        ? { calls: [{ name: 'view_file', arguments: { AbsolutePath: '.env' } }] }
        : { text: 'seen' },
    );
    house = agentHouse(server);
    house.write('.env', `OPENAI_API_KEY=${secret}\n`);
    const run = await house.run(['-p', 'x', '--allow', 'read_file(.env)', ...STREAM], {
      environment: { OPENAI_API_KEY: secret },
    });
    const { id } = initOf(run);
    const kept = readFileSync(join(house.stateDir, 'conversations', `${id}.jsonl`), 'utf8');
    const sent = JSON.stringify(server.calls.map(({ body }) => body));
    expect(sent).toContain('[value of OPENAI_API_KEY]');
    for (const text of [kept, sent, run.stdout, run.stderr]) expect(text).not.toContain(secret);
  });

  test('plan mode writes nothing', async () => {
    await withReplies([
      { calls: [{ name: 'write_to_file', arguments: { TargetFile: 'a.txt', CodeContent: 'x' } }] },
      { text: 'planned' },
    ]);
    const run = await house.run(['-p', 'x', '--mode', 'plan', '--dangerously-skip-permissions', ...STREAM]);
    expect(initOf(run).expanded_commands).toEqual([{ name: 'plan', type: 'system' }]);
    expect(run.envelope().denied_actions).toEqual([{ action: 'write_file', display_name: 'WriteToFile' }]);
    expect(() => readFileSync(join(house.folder, 'a.txt'))).toThrow('ENOENT');
  });
});

describe('time', () => {
  test('at the print timeout the partial text is kept (timeout-partial)', async () => {
    await withReplies([{ text: ['so far ', 'so good'], breaks: 'stall' }]);
    const run = await house.run(['-p', 'x', '--print-timeout', '2500ms', ...STREAM]);
    expect(run.code).toBe(1);
    expect(run.envelope()).toMatchObject({ status: 'ERROR', response: 'so far so good' });
    expect(run.envelope().error).toMatch(/^timeout waiting for response: print timeout after 2.5s/);
    expect(run.stderr).toContain('print timeout after 2.5s with turn in progress; returning partial output');
    const pieces = stepsOf(run).map(({ text_delta }) => text_delta ?? '');
    expect(pieces.join('')).toBe('so far so good');
  });

  test('0s is no limit (timeout-zero)', async () => {
    await withReplies([{ text: 'late', delayMs: 300 }]);
    expect(await house.run(['-p', 'x', '--print-timeout', '0s'])).toMatchObject({ code: 0, stdout: 'late' });
  });
});

describe('signals and streams', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('%s in a turn (signal-turn)', async (signal) => {
    await withReplies([{ text: ['one ', 'two ', 'three'], breaks: 'stall' }]);
    const running = house.start(['-p', 'x', ...STREAM]);
    await running.waitFor(
      (event) => event.event === 'step_update' && event.step_update.text_delta === 'two ',
    );
    running.child.kill(signal);
    const run = await running.ended;
    expect(run.code).toBe(1);
    expect(run.envelope()).toMatchObject({
      status: 'ERROR',
      error: 'interrupted',
      response: 'one two three',
    });
    expect(run.stderr).toContain('error: interrupted');
  });

  const command = (line: string, more: object = {}): ScriptedReply => ({
    calls: [{ name: 'run_command', arguments: { CommandLine: line, Cwd: house.folder, ...more } }],
  });
  const lives = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  test('an interrupted run ends its commands (signal-children)', async () => {
    server = await startModelServer(() => command('sleep 60 & echo $! > pid; wait'));
    house = agentHouse(server);
    const running = house.start(['-p', 'x', '--dangerously-skip-permissions', ...STREAM]);
    await running.waitFor((event) => event.event === 'step_update' && event.step_update.step_type === 'tool');
    const pid = await until(() => readPid(), 'the command to start');
    running.child.kill('SIGINT');
    const run = await running.ended;
    expect(run.code).toBe(1);
    expect(run.envelope().error).toBe('interrupted');
    await until(() => !lives(pid), 'the end of the command');
  });

  test('a command left in the background ends with the run, which says so (signal-children)', async () => {
    const line = 'echo $$ > pid; exec sleep 60';
    server = await startModelServer((_call, index) =>
      index === 0 ? command(line, { WaitMsBeforeAsync: 200 }) : { text: 'started' },
    );
    house = agentHouse(server);
    const run = await house.run(['-p', 'x', '--dangerously-skip-permissions']);
    expect(run).toMatchObject({ code: 0, stdout: 'started' });
    expect(run.stderr).toContain(`terminating 1 daemon task(s) on exit: ${line}`);
    const pid = readPid() ?? 0;
    expect(pid).toBeGreaterThan(0);
    expect(lives(pid)).toBe(false);
  });

  function readPid(): number | undefined {
    try {
      return Number(readFileSync(join(house.folder, 'pid'), 'utf8')) || undefined;
    } catch {
      return undefined;
    }
  }

  test('SIGINT before the first turn', async () => {
    await withReplies([]);
    // The warning about the mode comes when the handler is there.
    const running = house.start([...JSON_OUT, '--mode', 'bogus']);
    await new Promise((resolve) => running.child.stderr.once('data', resolve));
    running.child.kill('SIGINT');
    const run = await running.ended;
    expect(run.code).toBe(1);
    expect(run.envelope()).toMatchObject({ status: 'ERROR', error: 'interrupted', conversation_id: '' });
  });

  test('an idle session ends with 0 (signal-idle)', async () => {
    await withReplies([{ text: 'one' }]);
    const running = house.start(['--input-format', 'stream-json', ...STREAM]);
    await running.waitFor(({ event }) => event === 'init');
    running.send({ event: 'user', message: { content: 'x' } });
    await running.waitFor(({ event }) => event === 'result');
    running.child.kill('SIGINT');
    expect((await running.ended).code).toBe(0);
  });

  test('a reader that goes away (stdout-closed)', async () => {
    await withReplies([{ text: Array(400).fill('word '), breaks: 'stall' }]);
    const running = house.start(['-p', 'x', ...STREAM]);
    await running.waitFor(({ event }) => event === 'step_update');
    running.child.stdout.destroy();
    const run = await running.ended;
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('the output could not be written');
    expect(run.stderr).not.toMatch(/\n\s+at /);
  });

  test.each([
    [[{ text: 'x'.repeat(3_000_000) }], 0],
    [[{ text: 'x'.repeat(3_000_000), finish: 'length' }], 1],
  ])('a slow reader gets every byte (stdout-slow)', async (replies, code) => {
    await withReplies(replies.map((reply) => ({ ...reply, text: [reply.text] })));
    const running = house.start(['-p', 'x', ...JSON_OUT]);
    running.child.stdout.pause();
    await new Promise((resolve) => setTimeout(resolve, 1500));
    running.child.stdout.resume();
    const run = await running.ended;
    expect(run.code).toBe(code);
    expect(run.envelope().response).toHaveLength(3_000_000);
  });

  test.each(['/dev/null/state', '/proc/state'])(
    'a state folder that cannot be had: %s (disk-full)',
    async (folder) => {
      await withReplies([{ text: 'kept nowhere' }]);
      const environment = { BATON_STATE_DIR: folder };
      const run = await house.run(['-p', 'x', ...JSON_OUT], { environment });
      expect(run.code).toBe(1);
      expect(run.envelope().error).toMatch(
        /^conversations cannot be kept in .*BATON_STATE_DIR.*--ephemeral$/,
      );
      const ephemeral = await house.run(['-p', 'x', '--ephemeral'], { environment });
      expect(ephemeral).toMatchObject({ code: 0, stdout: 'kept nowhere' });
    },
  );

  test.runIf(existsSync('/dev/full')).each([
    [['-p', 'x'], 1],
    [['-p', 'x', '--output-format', 'json'], 1],
    [['-p', 'x', '--output-format', 'stream-json'], 1],
    [['--version'], 1],
    [['--help'], 1],
  ])('%j on a full device (stdout-closed)', async (args, code) => {
    await withReplies([{ text: 'hello' }]);
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [agentProgram, ...args], {
      cwd: house.folder,
      env: house.environment,
      stdio: ['ignore', full, 'pipe'],
    });
    closeSync(full);
    let stderr = '';
    child.stderr?.on('data', (piece) => {
      stderr += String(piece);
    });
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(code);
    expect(stderr).toBe('error: the output could not be written: ENOSPC: no space left on device, write\n');
  });

  test('a full disk (disk-full)', async () => {
    await withReplies([{ text: ['y'.repeat(200_000)] }]);
    // A limit on the size of files is what a full disk looks like to a process that is not alone on it.
    const limited = ['-c', `trap '' XFSZ; ulimit -f 64; exec "$@"`, 'bash', process.execPath, agentProgram];
    const child = await new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
      const started = execFile(
        'bash',
        [...limited, '-p', 'x', ...JSON_OUT],
        { cwd: house.folder, env: house.environment },
        (error, stdout, stderr) => resolve({ code: error?.code, stdout, stderr }),
      );
      started.stdin?.end();
    });
    expect(child.code).toBe(1);
    expect(child.stderr).toMatch(/error: conversation ".*" could not be written: EFBIG/);
    const envelope: unknown = JSON.parse(child.stdout);
    expect(envelope).toMatchObject({
      status: 'ERROR',
      error: expect.stringContaining('could not be written'),
    });
  });
});
