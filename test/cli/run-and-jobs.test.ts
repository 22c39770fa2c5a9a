import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ended, type Running, startCommand } from '../support/command.ts';
import { until } from '../support/jobs.ts';
import { type ServerHouse, script, serverHouse } from '../support/mcp.ts';

let house: ServerHouse;
beforeAll(() => {
  house = serverHouse();
});
afterAll(() => house.remove());

function start(
  args: string[],
  options: { stdin?: string; environment?: Record<string, string> } = {},
): Running {
  return startCommand('baton', args, {
    cwd: house.work,
    env: house.environment(options.environment),
    ...(options.stdin !== undefined && { stdin: options.stdin }),
  });
}

const baton = (args: string[], options?: Parameters<typeof start>[1]): Promise<Ended> =>
  start(args, options).ended;

async function doneJob(...steps: Record<string, unknown>[]): Promise<Record<string, unknown>> {
  const { stdout } = await baton(['run', script(...steps), '--json']);
  return JSON.parse(stdout);
}

describe('baton run', () => {
  it('prints the answer on stdout, steps and all else on stderr', async () => {
    const ended = await baton([
      'run',
      script({ tool: 'grep_search', parameters: { Query: 'x' }, output: 'hit', ms: 1 }, { text: 'found it' }),
    ]);
    expect(ended).toMatchObject({ code: 0, stdout: 'found it\n' });
    for (const part of ['job ', '→ grep_search Query=x', '✓ grep_search: hit', 'done', 'baton continue '])
      expect(ended.stderr).toContain(part);
  });

  it('takes the prompt from stdin', async () => {
    const ended = await baton(['run', '-'], { stdin: 'a "prompt" with $(things) and\nlines' });
    expect(ended.stdout).toBe('You said: a "prompt" with $(things) and\nlines\n');
  });

  it('goes on with a conversation, by id and by folder', async () => {
    const first = await doneJob({ text: 'one' });
    const byId = await baton(['continue', String(first.conversation_id), script({ about: 1 }), '--json']);
    expect(JSON.parse(byId.stdout)).toMatchObject({ conversation_id: first.conversation_id, num_turns: 2 });
    const latest = await baton(['continue', '--latest', script({ text: 'three' }), '--json']);
    expect(JSON.parse(latest.stdout)).toMatchObject({ conversation_id: first.conversation_id, num_turns: 3 });
  });

  it('says how a run failed, and ends with 1', async () => {
    const ended = await baton(['run', script({ quota: 1 })]);
    expect(ended.code).toBe(1);
    expect(ended.stdout).toBe('');
    expect(ended.stderr).toMatch(/Individual quota reached/);
    expect(ended.stderr).toMatch(/passing wall/);
  });

  it('cancels its run with Ctrl-C, and keeps what the run said', async () => {
    const running = start(['run', script({ on: { SIGTERM: 'die' } }, { text: 'half' }, { hang: 1 })]);
    await until(() => running.stderr().includes('conversation '), 'the start of the run');
    running.kill('SIGINT');
    const ended = await running.ended;
    expect(ended).toMatchObject({ code: 130, stdout: 'half\n' });
    expect(ended.stderr).toContain('cancelled');
  });

  it('can leave its run to itself', async () => {
    const gate = join(house.folder, 'detached');
    const { code, stdout } = await baton(['run', script({ waitFor: gate }, { text: 'x' }), '--detach']);
    expect(code).toBe(0);
    const id = stdout.trim();
    const live = await baton(['jobs', '--state', 'live', '--json']);
    expect(JSON.parse(live.stdout).jobs).toMatchObject([{ job_id: id, state: 'running' }]);
    writeFileSync(gate, '');
    expect(await baton(['wait-job', id])).toMatchObject({ code: 0, stdout: 'done\n' });
  });

  it.each([
    [['run'], 'needs a prompt'],
    [['run', 'two', 'prompts'], 'put it in quotes'],
    [['run', 'x', '--tmeout', '3s'], 'unknown flag --tmeout'],
    [['run', 'x', '--timeout', '3'], 'invalid timeout "3": time: missing unit'],
    [['run', 'x', '--effort', 'max'], 'invalid effort "max"'],
    [['run', 'x', '--model'], 'needs a value'],
    [['continue'], 'needs a conversation id'],
    [['jobs', 'lost'], 'unknown part "lost"'],
    [['jobs', 'list', '--state', 'gone'], 'unknown state "gone"'],
    [['jobs', 'gc', '--older-than', '1'], 'invalid value "1"'],
    [['frob'], 'unknown command "frob"'],
  ])('explains %j and ends with 2', async (args, part) => {
    const ended = await baton(args);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain(part);
    expect(ended.stderr).not.toContain('    at ');
  });
});

describe('baton jobs', () => {
  it('shows a job with its files and its answer, for people and as JSON', async () => {
    const job = await doneJob({ text: 'the answer' });
    const id = String(job.job_id);
    const plain = await baton(['jobs', 'show', id]);
    for (const part of [id, 'done', 'Do as told.', 'baton run', 'events.ndjson', 'the answer'])
      expect(plain.stdout).toContain(part);
    const json = JSON.parse((await baton(['jobs', 'show', id, '--json'])).stdout);
    expect(json).toMatchObject({
      status: { job_id: id, result: 'the answer' },
      record: { kind: 'baton run' },
    });
  });

  it('watches a job from its beginning, live', async () => {
    const gate = join(house.folder, 'watched');
    const started = await baton([
      'run',
      script({ text: 'first ' }, { waitFor: gate }, { text: 'last' }),
      '--detach',
    ]);
    const id = started.stdout.trim();
    const watching = start(['jobs', 'watch', id]);
    const events = start(['jobs', 'watch', id, '--json']);
    await until(() => watching.stdout().includes('first'), 'the first text');
    expect(watching.stdout()).not.toContain('last');
    writeFileSync(gate, '');
    const ended = await watching.ended;
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain('first last');
    const lines = (await events.ended).stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ event: 'init' });
    expect(lines.at(-1)).toMatchObject({ job_id: id, state: 'done' });
  });

  it('removes ended jobs and refuses to remove a living one', async () => {
    const done = String((await doneJob({ text: 'x' })).job_id);
    const folder = join(house.stateDir, 'jobs', done);
    expect(existsSync(folder)).toBe(true);
    expect(await baton(['jobs', 'rm', done])).toMatchObject({ code: 0, stdout: `${done} removed\n` });
    expect(existsSync(folder)).toBe(false);
    const gate = join(house.folder, 'living');
    const living = (await baton(['run', script({ waitFor: gate }), '--detach'])).stdout.trim();
    const refused = await baton(['jobs', 'rm', living]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('cancel it first');
    expect((await baton(['jobs', 'cancel', living])).stdout).toContain(living);
    expect(await baton(['wait-job', living])).toMatchObject({ stdout: 'cancelled\n' });
    await baton(['jobs', 'gc', '--older-than', '0s']);
    expect(JSON.parse((await baton(['jobs', '--json'])).stdout)).toEqual({ jobs: [], total: 0 });
  });

  it('shows control characters of an agent’s text instead of sending them to the terminal', async () => {
    const job = await doneJob({ text: 'a\u001b[31mred\u0007' });
    const watched = await baton(['jobs', 'watch', String(job.job_id)]);
    expect(watched.stdout).toContain('a\\x1b[31mred\\x07');
    expect(watched.stdout).not.toContain('\u001b');
  });

  it('names an unknown job', async () => {
    for (const part of ['show', 'watch', 'cancel', 'rm']) {
      const ended = await baton(['jobs', part, 'never-was']);
      expect(ended.code).toBe(1);
      expect(ended.stderr).toContain('never-was');
    }
  });
});

describe('baton', () => {
  it('says what is there and what is missing, without secrets', async () => {
    const ended = await baton(['doctor'], { environment: { OPENAI_API_KEY: 'sk-very-secret' } });
    expect(ended.code).toBe(0);
    expect(ended.stdout).toMatch(/✓ agy +1\.2\.16 at .*agy-stand-in\.mjs/);
    expect(ended.stdout).toContain('OPENAI_API_KEY=set (14 characters)');
    expect(ended.stdout).not.toContain('sk-very-secret');
    const json = JSON.parse((await baton(['doctor', '--json'])).stdout);
    expect(json.usable).toBe(true);
    const nothing = await baton(['doctor'], {
      environment: { AGY_MCP_AGY_PATH: '/nonexistent', BATON_AGENT_PATH: '/nonexistent' },
    });
    expect(nothing.code).toBe(1);
  });

  it('helps, in general and with each command', async () => {
    for (const args of [['--help'], ['help'], ['-h']]) {
      const { code, stdout } = await baton(args);
      expect(code).toBe(0);
      expect(stdout).toContain('Examples:');
    }
    for (const command of ['serve', 'run', 'continue', 'jobs', 'wait-job', 'hook-wait', 'doctor', 'demo']) {
      const { code, stdout } = await baton([command, '--help']);
      expect(code).toBe(0);
      expect(stdout).toMatch(new RegExp(`^Usage: baton ${command}`));
      expect(stdout).toMatch(/Examples?|Exit code/);
    }
  });
});
