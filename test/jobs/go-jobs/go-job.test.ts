import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createJobsClient } from '../../../src/jobs/client.ts';
import { readStatus } from '../../../src/jobs/read-status.ts';
import { removeOldJobs } from '../../../src/jobs/supervisor/retention.ts';
import { bootId, processStartTime } from '../../../src/platform/process-identity.ts';
import { until } from '../../support/jobs.ts';

const id = '1764580000000000000-0123456789abcdef01234567';
const payload = {
  conversation_id: 'c-2',
  status: 'SUCCESS',
  response: 'the answer\n',
  duration_seconds: 3,
  num_turns: 2,
  usage: { input_tokens: 9, output_tokens: 1, thinking_tokens: 0, cache_read_tokens: 4, total_tokens: 10 },
};

let stateDir: string;
let folder: string;
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'baton-go-'));
  folder = join(stateDir, 'jobs', id);
  mkdirSync(folder, { recursive: true });
});
afterEach(() => rmSync(stateDir, { recursive: true, force: true }));

function put(files: Record<string, unknown>): void {
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(
      join(folder, name),
      typeof content === 'string' ? content : JSON.stringify(content, null, 2),
    );
  }
}

const meta = (changes: Record<string, unknown> = {}) => ({
  id,
  agy_path: '/usr/local/bin/agy',
  args: ['--dangerously-skip-permissions', '--output-format', 'stream-json', '-p', 'review this'],
  cwd: '/w',
  model: 'gemini-3.1-pro-high',
  prompt: 'review this',
  started_at: '2026-11-30T10:00:00Z',
  pid: 4_000_000,
  start_time_ticks: 77,
  boot_id: bootId(),
  timeout: 1_800_000_000_000,
  ...changes,
});
/** v1 had two fields more and no stream. */
const metaV1 = meta({
  args: ['--dangerously-skip-permissions', '-p', 'review this'],
  fresh: true,
  cache_before: 'x',
});

describe('a job of the Go server', () => {
  it.each([
    [
      'v2, a success',
      {
        'meta.json': meta(),
        out: 'the answer\n',
        err: '',
        'progress.json': { conversation_id: 'c-2', step_index: 3, step_type: 'agent_response' },
        'result.json': payload,
        exit_code: '0',
      },
      {
        state: 'done',
        result: 'the answer',
        conversation_id: 'c-2',
        num_turns: 2,
        usage: payload.usage,
        model: 'gemini-3.1-pro-high',
        step_type: 'agent_response',
      },
    ],
    [
      'v2, no result event',
      {
        'meta.json': meta(),
        out: 'half',
        err: '',
        'progress.json': { conversation_id: 'c-2' },
        exit_code: '0',
      },
      { state: 'done', result: 'half', partial: true, conversation_id: 'c-2' },
    ],
    [
      'v2, cancelled after its success',
      {
        'meta.json': meta(),
        out: 'the answer',
        err: '',
        'progress.json': {},
        'result.json': payload,
        exit_code: '143',
      },
      { state: 'cancelled', result: 'the answer', conversation_id: 'c-2' },
    ],
    [
      'v2, out of time',
      { 'meta.json': meta(), out: 'half', err: '', 'progress.json': {}, exit_code: '124' },
      { state: 'failed', failure_reason: 'timeout', result: 'half', partial: true },
    ],
    [
      'v2, a quota wall',
      {
        'meta.json': meta(),
        out: '',
        err: '',
        'result.json': {
          ...payload,
          status: 'ERROR',
          response: '',
          error: 'Individual quota reached. Resets in 2h.',
        },
        exit_code: '3',
      },
      {
        state: 'failed',
        failure_reason: 'quota_exhausted',
        error: 'Individual quota reached. Resets in 2h.',
      },
    ],
    [
      'v2, its supervisor died with the result written',
      { 'meta.json': meta(), out: '', err: '', 'result.json': payload },
      { state: 'done', result: 'the answer' },
    ],
    ['v2, nothing left', { 'meta.json': meta() }, { state: 'failed', failure_reason: 'interrupted' }],
    [
      'v1, a plain answer is complete',
      { 'meta.json': metaV1, out: 'plain answer\n', err: '', exit_code: '0' },
      { state: 'done', result: 'plain answer' },
    ],
    [
      'v1, a crash',
      { 'meta.json': metaV1, out: 'half\n', err: 'boom\n', exit_code: '9' },
      { state: 'failed', failure_reason: 'agy_error', error: 'exit 9: boom', result: 'half', partial: true },
    ],
  ])('%s', (_name, files, expected) => {
    put(files);
    const status = readStatus(stateDir, id);
    expect(status).toMatchObject({ job_id: id, kind: 'agy_run', ...expected });
    expect(status.partial).toBe('partial' in expected ? true : undefined);
  });

  it('that runs is listed as running, can be waited for, and is cancelled through its own supervisor', async () => {
    const supervisor = spawn(
      'sh',
      [
        '-c',
        'trap \'printf 143 > "$0/exit_code"; exit 0\' TERM; : > "$0/ready"; while :; do sleep 0.05; done',
        folder,
      ],
      { stdio: 'ignore' },
    );
    const pid = supervisor.pid!;
    await until(() => existsSync(join(folder, 'ready')), 'its signal handler');
    put({
      'meta.json': meta({ pid, start_time_ticks: Number(processStartTime(pid)) }),
      out: 'half',
      'progress.json': { conversation_id: 'c-9' },
    });
    const jobs = createJobsClient({ stateDir });
    const listed = await jobs.list({ states: ['running'] });
    expect(listed).toMatchObject([
      { status: { job_id: id, state: 'running', conversation_id: 'c-9' }, record: { prompt: 'review this' } },
    ]);
    const exited = once(supervisor, 'exit');
    await jobs.cancel(id);
    await exited;
    expect(await jobs.status(id)).toMatchObject({ state: 'cancelled', result: 'half', partial: true });
    jobs.close();
  });

  it('is kept as long as ours, from its end', async () => {
    put({ 'meta.json': meta(), out: '', exit_code: '0' });
    const hour = 3_600_000;
    expect(await removeOldJobs(stateDir, 24 * hour, () => false)).toBe(0);
    const then = new Date(Date.now() - 25 * hour);
    utimesSync(join(folder, 'exit_code'), then, then);
    expect(await removeOldJobs(stateDir, 24 * hour, () => false)).toBe(1);
    expect(existsSync(folder)).toBe(false);
  });
});
