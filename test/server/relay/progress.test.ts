import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { JobsClient } from '../../../src/jobs/client.ts';
import type { JobStatus } from '../../../src/jobs/types.ts';
import { createProgressReporter } from '../../../src/server/progress.ts';
import { relayProgress } from '../../../src/server/relay/progress-form.ts';
import type { ToolCall } from '../../../src/server/tool-call.ts';
import { startProgress } from '../../../src/server/waiting.ts';

const running: JobStatus = {
  job_id: 'job-1',
  kind: 'gemini-plan',
  state: 'running',
  elapsed_ms: 0,
  step_type: 'tool',
  tool_name: 'view_file',
  notices: [],
};

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Progress of a relay call under a clock of our own; `sent` is what its client got. */
function relayCall(known: JobStatus, now: () => JobStatus = () => known) {
  const sent: { progress: number; message: string }[] = [];
  const jobs: Pick<JobsClient, 'status'> = { status: () => Promise.resolve(now()) };
  const call: ToolCall = {
    signal: new AbortController().signal,
    clientKey: 'stdio',
    arrivedAt: 0,
    environment: {},
    progress: createProgressReporter((update) => {
      sent.push(update);
      return Promise.resolve();
    }),
  };
  const form = relayProgress('gemini-plan', 'Starting words...');
  // Only this part of a client is used.
  const core = { jobs: () => Promise.resolve(jobs as JobsClient) };
  return { sent, progress: startProgress(core, call, known.job_id, known, form) };
}

it('rows 1 to 3: nothing before the first keepalive, then one each 25 s, always rising', async () => {
  const { sent, progress } = relayCall(running);
  await vi.advanceTimersByTimeAsync(24_900);
  expect(sent).toEqual([]);
  progress.seen({ status: running, newestText: 'reading the queue' });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sent).toEqual([
    {
      progress: 25,
      message: 'Starting words... gemini-plan: job job-1 running (25s): tool view_file | reading the queue',
    },
    { progress: 50, message: 'gemini-plan: job job-1 running (50s): tool view_file | reading the queue' },
    { progress: 75, message: 'gemini-plan: job job-1 running (1m15s): tool view_file | reading the queue' },
  ]);
  // An hour later it has never gone down: no total, no hundred.
  await vi.advanceTimersByTimeAsync(3_600_000);
  const values = sent.map((update) => update.progress);
  expect(values).toEqual(values.toSorted((a, b) => a - b));
  progress.stop();
  await vi.advanceTimersByTimeAsync(100_000);
  expect(sent).toHaveLength(values.length);
});

it('TRAP 8: a waiting call says that it waits, not that it analyses', async () => {
  const queued: JobStatus = { ...running, state: 'queued', queue_position: 2, step_type: undefined };
  let now = queued;
  const { sent, progress } = relayCall(queued, () => now);
  await vi.advanceTimersByTimeAsync(25_000);
  expect(sent.map(({ message }) => message)).toEqual(['gemini-plan: job job-1 queued (25s, place 2)']);
  now = { ...running, tool_name: undefined };
  await vi.advanceTimersByTimeAsync(25_000);
  expect(sent.at(-1)?.message).toContain('running');
  progress.stop();
});

it('without a token there is nothing to send', async () => {
  const call = { signal: new AbortController().signal, clientKey: 'stdio', arrivedAt: 0, environment: {} };
  const core = { jobs: () => Promise.reject(new Error('asked for nothing')) };
  const progress = startProgress(core, call, 'job-1', running, relayProgress('gemini-ask', 'x'));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(vi.getTimerCount()).toBe(0);
  progress.stop();
});
