import { describe, expect, it } from 'vitest';
import { type Envelope, emptyUsage } from '../../src/contract/events.ts';
import { deriveStatus } from '../../src/jobs/derive-status.ts';
import { type EventSummary, emptySummary } from '../../src/jobs/event-summary.ts';
import type { JobFacts } from '../../src/jobs/job-facts.ts';
import type { JobRecord, JobStatus } from '../../src/jobs/types.ts';

const accepted = Date.parse('2026-12-01T10:00:00Z');
const spent = { ...emptyUsage(), input_tokens: 10, output_tokens: 5, total_tokens: 15 };

function record(invocation: Partial<JobRecord['invocation']> = {}): JobRecord {
  return {
    format: 1,
    id: 'j',
    kind: 'agy_run',
    prompt: 'p',
    input_bytes: 0,
    input_sha256: '',
    timeout_ms: 1000,
    output_limit_bytes: 1_000_000,
    max_jobs: 4,
    depth: 0,
    accepted_at: new Date(accepted).toISOString(),
    boot_id: 'b',
    invocation: {
      backend: 'agy',
      program: '/agy',
      args: [],
      cwd: '/',
      outputFormat: 'stream-json',
      expectsStructuredOutput: false,
      notices: [],
      ...invocation,
    },
  };
}

function result(fields: Partial<Envelope>): Envelope {
  return {
    conversation_id: 'c',
    status: 'SUCCESS',
    response: 'answer\n',
    duration_seconds: 1,
    num_turns: 1,
    usage: spent,
    ...fields,
  };
}

interface Case {
  summary?: Partial<EventSummary>;
  result?: Partial<Envelope>;
  end?: Partial<NonNullable<JobFacts['end']>>;
  stderr?: string;
  invocation?: Partial<JobRecord['invocation']>;
  expected: Partial<JobStatus>;
}

function derive(c: Omit<Case, 'expected'>): JobStatus {
  return deriveStatus({
    record: record(c.invocation),
    summary: {
      ...emptySummary(),
      sawInit: true,
      conversationId: c.invocation?.conversationId ?? 'c',
      events: 3,
      ...c.summary,
      result: c.result && result(c.result),
    },
    skippedLines: 0,
    stderrTail: c.stderr ?? '',
    begun: true,
    now: accepted + 65_000,
    end: { cause: 'exit', exit: { code: 0 }, ...c.end },
  });
}

const streamed = { text: 'streamed\n' };
const quota = 'Individual quota reached. Resets in 120h9m43s.';
const idle =
  'root agent idle; waiting up to 5s for 2 background task(s)\nterminating 2 background task(s) on exit\n';

/** The rows of job-server 11.2 by number, then what the decisions and the reports of users add. */
const cases: Record<string, Case> = {
  '1 a success is the complete answer': {
    summary: streamed,
    result: {},
    expected: { state: 'done', result: 'answer', partial: undefined, num_turns: 1, usage: spent },
  },
  '2 a success without text shows the streamed text as partial': {
    summary: streamed,
    result: { response: '' },
    expected: { state: 'done', result: 'streamed', partial: true },
  },
  '3 an error keeps its text and its message': {
    result: { status: 'ERROR', response: 'half', error: 'model broke' },
    expected: {
      state: 'failed',
      failure_reason: 'agy_error',
      result: 'half',
      partial: true,
      error: 'model broke',
    },
  },
  '4 an error without text falls back to the stream': {
    summary: streamed,
    result: { status: 'ERROR', response: '', error: 'x' },
    expected: { state: 'failed', result: 'streamed', partial: true },
  },
  '5 an error without a message explains itself': {
    result: { status: 'ERROR', response: '' },
    expected: { state: 'failed', error: 'agy reported an error without a message' },
  },
  '6 a quota wall is named and keeps its reset time': {
    result: { status: 'ERROR', response: '', error: quota },
    end: { exit: { code: 3 } },
    expected: { state: 'failed', failure_reason: 'quota_exhausted', error: quota },
  },
  '7 a response without a status is partial': {
    result: { status: '', response: 'x' },
    expected: { state: 'done', result: 'x', partial: true },
  },
  '8 an empty payload failed': {
    result: { status: '', response: '' },
    expected: {
      state: 'failed',
      failure_reason: 'agy_error',
      error: "agy's result payload carried no status and no response",
    },
  },
  '9 the same with streamed text keeps it': {
    summary: streamed,
    result: { status: '', response: '' },
    expected: { state: 'failed', result: 'streamed', partial: true },
  },
  '10 an unknown status keeps the response': {
    result: { status: 'MELTED', response: 'x' },
    expected: {
      state: 'failed',
      error: 'agy reported an unrecognized result status "MELTED"',
      result: 'x',
      partial: true,
    },
  },
  '11 an unknown status without a response': {
    result: { status: 'MELTED', response: '' },
    expected: { state: 'failed', result: undefined, partial: undefined },
  },
  '12 an unknown status falls back to the stream': {
    summary: streamed,
    result: { status: 'MELTED', response: '' },
    expected: { state: 'failed', result: 'streamed', partial: true },
  },
  '13 no result event, exit 0: the stream, partial': {
    summary: streamed,
    expected: { state: 'done', result: 'streamed', partial: true },
  },
  '15 a cancel without a result carries the stream': {
    summary: streamed,
    end: { cause: 'cancel', exit: { signal: 'SIGTERM' } },
    expected: { state: 'cancelled', failure_reason: undefined, result: 'streamed', partial: true },
  },
  '16 a cancel after a success keeps the whole answer': {
    result: {},
    end: { cause: 'cancel', exit: { signal: 'SIGKILL' } },
    expected: {
      state: 'cancelled',
      result: 'answer',
      partial: undefined,
      conversation_id: 'c',
      num_turns: 1,
    },
  },
  '17 a cancel after an error is partial': {
    result: { status: 'ERROR', response: 'half', error: 'interrupted' },
    end: { cause: 'cancel', exit: { code: 1 } },
    expected: { state: 'cancelled', result: 'half', partial: true },
  },
  '19 a time limit after a success is not partial': {
    result: {},
    end: { cause: 'timeout', exit: { signal: 'SIGKILL' } },
    expected: { state: 'failed', failure_reason: 'timeout', result: 'answer', partial: undefined },
  },
  '20 a crash after a success is not partial': {
    result: {},
    end: { exit: { signal: 'SIGSEGV' } },
    expected: { state: 'failed', result: 'answer', partial: undefined, error: 'killed by SIGSEGV' },
  },
  '21 a time limit carries the stream': {
    summary: streamed,
    end: { cause: 'timeout', exit: { code: 0 } },
    expected: {
      state: 'failed',
      failure_reason: 'timeout',
      error: 'job exceeded its timeout and was terminated',
      result: 'streamed',
      partial: true,
    },
  },
  "22 the agent's own 127 carries the stream": {
    summary: streamed,
    end: { exit: { code: 127 } },
    stderr: 'tool not found',
    expected: { state: 'failed', failure_reason: 'agy_error', result: 'streamed', partial: true },
  },
  '23 a failed spawn has nothing but its cause': {
    summary: { sawInit: false, conversationId: undefined, events: 0 },
    end: { cause: 'spawn_failed', exit: 'not_started', spawnError: 'no such folder' },
    expected: { state: 'failed', failure_reason: 'spawn_failed', error: 'no such folder', result: undefined },
  },
  '24 a crash carries the stream and the end of stderr': {
    summary: streamed,
    end: { exit: { code: 5 } },
    stderr: 'boom\n',
    expected: {
      state: 'failed',
      failure_reason: 'agy_error',
      error: 'exit 5: boom',
      result: 'streamed',
      partial: true,
    },
  },
  '25 a quota wall only on stderr': {
    end: { exit: { code: 1 } },
    stderr: 'Error: RESOURCE_EXHAUSTED (code 429)',
    expected: { state: 'failed', failure_reason: 'quota_exhausted' },
  },
  '33 127 with nothing run shows stderr': {
    summary: { events: 0, sawInit: false },
    end: { exit: { code: 127 } },
    stderr: 'sh: 1: exec: /agy: not found',
    expected: { state: 'failed', failure_reason: 'spawn_failed' },
  },
  'exit 124 of the agent itself is no time limit': {
    end: { exit: { code: 124 } },
    expected: { state: 'failed', failure_reason: 'agy_error', error: 'exit 124' },
  },
  'exit 130 and 143 of the agent itself are no cancel': {
    end: { exit: { code: 143 } },
    expected: { state: 'failed', failure_reason: 'agy_error', error: 'exit 143' },
  },
  'an agent that traps TERM and exits 0 timed out all the same': {
    end: { cause: 'timeout', exit: { code: 0 } },
    result: { status: 'ERROR', response: 'x', error: 'interrupted' },
    expected: { state: 'failed', failure_reason: 'timeout', partial: true },
  },
  'a full disk is no quota': {
    result: { status: 'ERROR', response: '', error: 'write: disk quota exceeded' },
    expected: { failure_reason: 'agy_error' },
  },
  'denied and empty failed': {
    result: { response: '', denied_actions: [{ action: 'command', display_name: 'RunCommand' }] },
    expected: { state: 'failed', failure_reason: 'denied' },
  },
  'denied with an answer is done, and says so': {
    result: { denied_actions: [{ action: 'command', display_name: 'RunCommand' }] },
    expected: {
      state: 'done',
      result: 'answer',
      denied_actions: [{ action: 'command', display_name: 'RunCommand' }],
      notices: ['The agent was not permitted to use: RunCommand. What needed it was not done.'],
    },
  },
  'an empty success that spent tokens failed': {
    result: { response: '' },
    expected: { state: 'failed', failure_reason: 'empty' },
  },
  'an empty success without a turn failed': {
    result: { response: ' \n', num_turns: 0, usage: emptyUsage() },
    expected: { state: 'failed', failure_reason: 'empty' },
  },
  'a silent exit 0 failed': {
    summary: { events: 1 },
    expected: { state: 'failed', failure_reason: 'no_result', error: 'agy exited 0 without a result' },
  },
  'a print timeout that reports success': {
    result: {},
    stderr: '[agy] print timeout after 8s with turn in progress; returning partial output',
    expected: { state: 'failed', failure_reason: 'timeout', result: 'answer', partial: true },
  },
  'the old print timeout': {
    result: { status: 'ERROR', response: '', error: 'timeout waiting for response' },
    end: { exit: { code: 1 } },
    expected: { failure_reason: 'timeout' },
  },
  'background work cut off': {
    result: { response: 'still waiting' },
    stderr: idle,
    expected: { state: 'failed', failure_reason: 'background_aborted', result: 'still waiting' },
  },
  'idle wait alone is nothing': {
    result: {},
    stderr: 'root agent idle; waiting up to 5s for 2 background task(s)',
    expected: { state: 'done' },
  },
  'a plan run that agy did not keep to': {
    result: {},
    stderr: 'warning: --mode plan has no effect while slash command expansion is disabled.',
    expected: { state: 'failed', failure_reason: 'agy_error', result: 'answer', partial: true },
  },
  'a schema run without an object': {
    invocation: { expectsStructuredOutput: true },
    result: { response: 'prose' },
    expected: {
      state: 'failed',
      failure_reason: 'agy_error',
      error: 'agy reported SUCCESS for a json-schema run without structured_output',
      partial: true,
    },
  },
  'a schema run without any result': {
    invocation: { expectsStructuredOutput: true },
    summary: streamed,
    expected: {
      state: 'failed',
      error: 'agy completed a json-schema run without a terminal structured_output',
      partial: true,
    },
  },
  'a schema run with its object': {
    invocation: { expectsStructuredOutput: true },
    result: { response: '', structured_output: { a: 1 } },
    expected: { state: 'done', result: '{"a":1}', structured_output: { a: 1 }, partial: undefined },
  },
  'context canceled after a good structured output': {
    invocation: { expectsStructuredOutput: true },
    result: { status: 'ERROR', response: '', error: 'context canceled', structured_output: { a: 1 } },
    expected: { state: 'done', structured_output: { a: 1 } },
  },
  'another conversation than the one asked for': {
    invocation: { conversationId: 'asked' },
    summary: { conversationId: 'other' },
    result: { conversation_id: 'other' },
    expected: { state: 'failed', failure_reason: 'conversation_not_found' },
  },
  'an old failure repeated by a continued conversation': {
    invocation: { conversationId: 'c' },
    summary: streamed,
    result: { status: 'ERROR', error: quota },
    expected: { state: 'done', result: 'answer' },
  },
  'a real failure of a continued conversation': {
    invocation: { conversationId: 'c' },
    summary: { ...streamed, sawErrorStep: true },
    result: { status: 'ERROR', error: quota },
    end: { exit: { code: 3 } },
    expected: { state: 'failed', failure_reason: 'quota_exhausted' },
  },
  'a sign-in failure': {
    summary: { sawInit: false, events: 1 },
    result: {
      conversation_id: '',
      status: 'ERROR',
      response: '',
      error: 'authentication failed or timed out',
      num_turns: 0,
    },
    end: { exit: { code: 1 } },
    expected: { state: 'failed', failure_reason: 'not_signed_in' },
  },
  'an unknown model': {
    result: { status: 'ERROR', response: '', error: 'invalid model selection (--model "x" --effort ""): …' },
    end: { exit: { code: 1 } },
    expected: { failure_reason: 'invalid_request' },
  },
  'no answer, as baton-agent reports it': {
    result: { status: 'ERROR', response: '', error: 'the model ended its turn without an answer' },
    end: { exit: { code: 1 } },
    expected: { state: 'failed', failure_reason: 'empty' },
  },
  'no answer behind a denied call, as baton-agent reports it': {
    result: {
      status: 'ERROR',
      response: '',
      error: 'the model ended its turn without an answer',
      denied_actions: [{ action: 'command', display_name: 'RunCommand' }],
    },
    end: { exit: { code: 1 } },
    expected: { state: 'failed', failure_reason: 'denied' },
  },
  'an unknown agent': {
    result: { status: 'ERROR', response: '', error: 'unknown --agent "x": there is none here' },
    end: { exit: { code: 1 } },
    expected: { failure_reason: 'invalid_request' },
  },
  'a bad command line': {
    summary: { events: 0, sawInit: false },
    end: { exit: { code: 2 } },
    stderr: 'flags provided but not defined: -acp',
    expected: { failure_reason: 'invalid_request', error: 'exit 2: flags provided but not defined: -acp' },
  },
  'adopted, with a result': {
    result: {},
    end: { exit: 'unknown' },
    expected: { state: 'done', result: 'answer', exit: 'unknown', partial: undefined },
  },
  'adopted, with text only': {
    summary: streamed,
    end: { exit: 'unknown' },
    expected: { state: 'done', result: 'streamed', partial: true, exit: 'unknown' },
  },
  '28 ended unseen with nothing': {
    end: { cause: 'interrupted', exit: 'unknown' },
    expected: { state: 'failed', failure_reason: 'interrupted', partial: undefined },
  },
  '29 ended unseen with text': {
    summary: streamed,
    end: { cause: 'interrupted', exit: 'unknown' },
    expected: { state: 'done', result: 'streamed', partial: true },
  },
  'an agent that was ended after its result': {
    result: {},
    end: { cause: 'lingering', exit: { signal: 'SIGTERM' } },
    expected: { state: 'done', result: 'answer', partial: undefined },
  },
  'an interruption reported on top of a success, when we stopped it': {
    summary: { lastSuccess: result({}) },
    result: { status: 'ERROR', response: '', error: 'interrupted' },
    end: { cause: 'cancel', exit: { code: 1 } },
    expected: { state: 'cancelled', result: 'answer', partial: undefined },
  },
  'two results of its own: the last one counts': {
    summary: { lastSuccess: result({}) },
    result: { status: 'ERROR', response: 'second', error: 'late' },
    expected: { state: 'failed', result: 'second', error: 'late' },
  },
  'too much output': {
    summary: streamed,
    end: { cause: 'output_limit', exit: { signal: 'SIGTERM' } },
    expected: { state: 'failed', failure_reason: 'output_limit', result: 'streamed', partial: true },
  },
  'never begun': {
    summary: { sawInit: false, conversationId: undefined, events: 0 },
    end: { cause: 'never_started', exit: 'not_started' },
    expected: { state: 'failed', failure_reason: 'never_started' },
  },
};

describe('the ending of a run', () => {
  it.each(Object.entries(cases))('%s', (_name, { expected, ...facts }) => {
    const status = derive(facts);
    for (const [key, value] of Object.entries(expected))
      expect({ [key]: status[key as keyof JobStatus] }).toEqual({ [key]: value });
  });

  it('26 has a reason if and only if it failed, and is partial only with a text', () => {
    for (const { expected: _, ...facts } of Object.values(cases)) {
      const status = derive(facts);
      expect(status.failure_reason !== undefined).toBe(status.state === 'failed');
      expect(status.state === 'failed' && !status.error).toBe(false);
      expect(status.partial === true && !status.result).toBe(false);
    }
  });

  it('31 shows the end of stderr, cut at a whole character', () => {
    const status = derive({ end: { exit: { code: 1 } }, stderr: `${'é'.repeat(3000)}END` });
    expect(status.error).toMatch(/^exit 1: é+END$/);
    expect(Buffer.byteLength(status.error ?? '')).toBeLessThanOrEqual(2000 + 'exit 1: '.length);
  });

  it('34 has an age that is never negative', () => {
    const early = deriveStatus({
      record: record(),
      summary: emptySummary(),
      skippedLines: 0,
      stderrTail: '',
      begun: false,
      now: accepted - 5000,
    });
    expect(early).toMatchObject({ state: 'queued', elapsed_ms: 0 });
  });
});
