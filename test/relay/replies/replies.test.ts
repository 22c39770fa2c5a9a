import { expect, test } from 'vitest';
import type { JobStatus } from '../../../src/jobs/types.ts';
import { changeModeReply } from '../../../src/relay/replies/change-mode-reply.ts';
import type { Reply } from '../../../src/relay/replies/reply.ts';
import { runningReply } from '../../../src/relay/replies/running-reply.ts';
import { askReply, brainstormReply, planReply } from '../../../src/relay/replies/text-replies.ts';
import { usageLine } from '../../../src/relay/replies/usage-line.ts';

const done: JobStatus = {
  job_id: 'job-1',
  kind: 'gemini-ask',
  state: 'done',
  elapsed_ms: 12_345,
  result: 'The answer.',
  conversation_id: 'conv-7',
  usage: {
    input_tokens: 12_345,
    output_tokens: 678,
    thinking_tokens: 90,
    cache_read_tokens: 5,
    total_tokens: 13_023,
  },
  notices: [],
};

function texts(reply: Reply): string {
  const items = reply.content.map((item) => (item.type === 'text' ? item.text : `<${item.mimeType}>`));
  return `${reply.isError ? 'ERROR\n' : ''}${items.join('\n=== next content item ===\n')}`;
}

test('gemini-ask: heading, text, usage when asked for, the thread; notices first', () => {
  expect(texts(askReply(done, {}))).toMatchInlineSnapshot(`
    "Gemini response:
    The answer.

    🧵 conversationId: conv-7 (pass it back to continue this thread)"
  `);
  expect(texts(askReply(done, { includeUsage: true }, ['one', 'two\nlines']))).toMatchInlineSnapshot(`
    "⚠️ one
    ⚠️ two lines

    Gemini response:
    The answer.

    📊 [Tokens: 12,345 in, 678 out (90 thinking) | 12.3s]

    🧵 conversationId: conv-7 (pass it back to continue this thread)"
  `);
  expect(
    texts(
      askReply({ ...done, conversation_id: undefined, notices: ['from the job', 'one'], partial: true }, {}, [
        'one',
      ]),
    ),
  ).toMatchInlineSnapshot(`
    "⚠️ one
    ⚠️ from the job
    ⚠️ The run reported no final answer: this text was put together from what it said on the way and may be incomplete.

    Gemini response:
    The answer."
  `);
});

test('TRAP 1.1: under a schema the first item is the JSON and nothing else', () => {
  const status = { ...done, structured_output: { a: [1, 'ü'] }, result: 'prose', notices: ['careful'] };
  const reply = askReply(status, { jsonSchema: { type: 'object' }, includeUsage: true });
  expect(JSON.parse(reply.content[0]?.type === 'text' ? reply.content[0].text : '')).toEqual({ a: [1, 'ü'] });
  expect(texts(reply)).toMatchInlineSnapshot(`
    "{
      "a": [
        1,
        "ü"
      ]
    }
    === next content item ===
    ⚠️ careful"
  `);
  expect(texts(askReply({ ...done, result: '{"a":1}' }, { jsonSchema: '{}' }))).toMatchInlineSnapshot(`
    "{"a":1}
    === next content item ===
    ⚠️ The backend returned no structured output: this is its text, not checked against the schema."
  `);
});

test('gemini-plan has a usage line unless it is turned off, gemini-brainstorm has none; neither names a thread', () => {
  expect(texts(planReply(done, {}))).toMatchInlineSnapshot(`
    "The answer.

    📊 [Tokens: 12,345 in, 678 out (90 thinking) | 12.3s]"
  `);
  expect(texts(planReply(done, { includeUsage: false }, ['n']))).toMatchInlineSnapshot(`
    "⚠️ n

    The answer."
  `);
  expect(texts(brainstormReply(done, ['n']))).toMatchInlineSnapshot(`
    "⚠️ n

    The answer."
  `);
});

test('change mode: the edits stand alone, notices in an item of their own', () => {
  const reply = changeModeReply(
    { body: '[CHANGEMODE OUTPUT - …]', notices: ['An edit was left out: a.ts: x.'] },
    ['Inlining: y.'],
  );
  expect(texts(reply)).toMatchInlineSnapshot(`
    "[CHANGEMODE OUTPUT - …]
    === next content item ===
    ⚠️ Inlining: y.
    ⚠️ An edit was left out: a.ts: x."
  `);
  expect(changeModeReply({ body: 'b', notices: [] }).content).toHaveLength(1);
});

test('a failure is an error in the words of the agent; what the run said is kept and called what it is', () => {
  const failed: JobStatus = {
    ...done,
    state: 'failed',
    failure_reason: 'quota_exhausted',
    error: 'Resource exhausted: try again at 5.',
  };
  expect(texts(askReply({ ...failed, partial: true }, {}, ['n']))).toMatchInlineSnapshot(`
    "ERROR
    Error executing gemini-ask: Resource exhausted: try again at 5.

    What the run had said until then (not its final answer):
    The answer.
    === next content item ===
    ⚠️ n"
  `);
  expect(texts(planReply({ ...failed, result: undefined }, {}))).toMatchInlineSnapshot(`
    "ERROR
    Error executing gemini-plan: Resource exhausted: try again at 5."
  `);
  expect(texts(brainstormReply({ ...failed, error: undefined, result: undefined }))).toMatchInlineSnapshot(`
    "ERROR
    Error executing gemini-brainstorm: the run failed (quota_exhausted, job job-1)"
  `);
  expect(texts(askReply({ ...done, state: 'cancelled' }, {}))).toMatchInlineSnapshot(`
    "ERROR
    Error executing gemini-ask: the run was cancelled (job job-1)

    The run had given its whole answer before:
    The answer."
  `);
});

test('a run without any text says so instead of looking finished', () => {
  expect(texts(askReply({ ...done, result: ' ', conversation_id: undefined }, {}))).toMatchInlineSnapshot(`
    "Gemini response:
    (The run ended without any text.)"
  `);
});

test('decision 23: when the client cannot wait longer, the job and the way on are named', () => {
  expect(
    texts(
      runningReply('gemini-ask', {
        ...done,
        state: 'running',
        result: undefined,
        tool_name: 'view_file',
        elapsed_ms: 45_400,
      }),
    ),
  ).toMatchInlineSnapshot(`
    "⚠️ gemini-ask is still running, and the time that your client gives a call is nearly over. This is not the answer yet.

    Job: job-1
    State: running, 45 s so far, last step: view_file

    Nothing is lost. Call agy_wait with job_id "job-1" to wait for the answer, in the form that gemini-ask gives it; agy_status looks without waiting, gemini-cancel stops it."
  `);
  expect(
    texts(runningReply('gemini-plan', { ...done, state: 'queued', queue_position: 3, elapsed_ms: 400 })),
  ).toMatchInlineSnapshot(`
    "⚠️ gemini-plan is waiting in the queue at place 3, and the time that your client gives a call is nearly over. This is not the answer yet.

    Job: job-1
    State: queued, 0 s so far

    Nothing is lost. Call agy_wait with job_id "job-1" to wait for the answer, in the form that gemini-plan gives it; agy_status looks without waiting, gemini-cancel stops it."
  `);
});

test('the usage line', () => {
  const usage = {
    input_tokens: 0,
    output_tokens: 1_000_000,
    thinking_tokens: 0,
    cache_read_tokens: 0,
    total_tokens: 0,
  };
  expect(usageLine(usage)).toBe('📊 [Tokens: 0 in, 1,000,000 out]');
  expect(usageLine({ ...usage, thinking_tokens: 1 }, 90)).toBe(
    '📊 [Tokens: 0 in, 1,000,000 out (1 thinking) | 0.1s]',
  );
});
