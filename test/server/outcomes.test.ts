import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerHouse, type Session, script, serverHouse } from '../support/mcp.ts';

/**
 * How a run's ending reaches the caller, end to end: a real server, a real supervisor, and an agent that ends in every
 * way. The numbers are those of the test intents in the job server's contract.
 */
let house: ServerHouse;
let session: Session;
beforeAll(async () => {
  house = serverHouse({ BATON_RESULT_LIMIT: '2000000' });
  session = await house.connect();
});
afterAll(() => house.remove());

type Steps = Record<string, unknown>[];

async function ending(steps: Steps, args: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
  const reply = await session.call('agy_run_sync', { prompt: script(...steps), ...args });
  expect(reply.text.slice(0, 300)).toMatch(/^\{/);
  return reply.value;
}

const payload = (fields: Record<string, unknown>): Record<string, unknown> => ({ result: fields });
const silent = { status: '', response: '' };

describe('how an ending is told', () => {
  it.each<[string, Steps, Record<string, unknown>]>([
    [
      '1 a success payload is the whole answer, not the stream',
      [{ text: 'streamed' }, payload({ response: 'the answer' })],
      { state: 'done', result: 'the answer', partial: undefined, failure_reason: undefined },
    ],
    [
      '2 a success payload without text: the stream, partial',
      [{ text: 'streamed' }, payload({ response: '' })],
      { state: 'done', result: 'streamed', partial: true },
    ],
    [
      '3 an error payload keeps its text',
      [{ text: 'x' }, payload({ status: 'ERROR', response: 'so far', error: 'it broke' })],
      { state: 'failed', failure_reason: 'agy_error', error: 'it broke', result: 'so far', partial: true },
    ],
    [
      '4 an error payload without text: the stream',
      [{ text: 'streamed' }, payload({ status: 'ERROR', response: '', error: 'it broke' })],
      { state: 'failed', error: 'it broke', result: 'streamed', partial: true },
    ],
    [
      '5 an error payload without message still explains itself',
      [payload({ status: 'ERROR', response: '' })],
      { state: 'failed', error: 'agy reported an error without a message', result: undefined },
    ],
    [
      '7 a response without status: done but partial',
      [payload({ status: '', response: 'text' })],
      { state: 'done', result: 'text', partial: true },
    ],
    [
      '8 an empty payload: failed',
      [payload(silent)],
      {
        state: 'failed',
        failure_reason: 'agy_error',
        error: "agy's result payload carried no status and no response",
        result: undefined,
      },
    ],
    [
      '9 an empty payload after text: failed, the text is kept',
      [{ text: 'streamed' }, payload(silent)],
      { state: 'failed', result: 'streamed', partial: true },
    ],
    [
      '10 an unknown status keeps its response',
      [payload({ status: 'ODD', response: 'text' })],
      {
        state: 'failed',
        error: 'agy reported an unrecognized result status "ODD"',
        result: 'text',
        partial: true,
      },
    ],
    [
      '11 an unknown status without response',
      [payload({ status: 'ODD', response: '' })],
      { state: 'failed', failure_reason: 'agy_error', result: undefined, partial: undefined },
    ],
    [
      '12 an unknown status falls back to the stream',
      [{ text: 'streamed' }, payload({ status: 'ODD', response: '' })],
      { state: 'failed', result: 'streamed', partial: true },
    ],
    [
      '13 no payload at all: done, partial',
      [{ text: 'streamed' }, payload(false as never)],
      { state: 'done', result: 'streamed', partial: true },
    ],
    [
      '20 a crash after a success payload is not partial',
      [{ emitResult: { response: 'whole' } }, { die: 'SIGKILL' }],
      { state: 'failed', result: 'whole', partial: undefined },
    ],
    [
      '22 an exit code 127 of the agent itself carries the stream',
      [{ text: 'streamed' }, { exit: 127 }],
      { state: 'failed', failure_reason: 'agy_error', result: 'streamed', partial: true },
    ],
    [
      '24 a crash carries the stream and the end of stderr',
      [{ text: 'streamed' }, { stderr: 'something\nboom\n' }, { exit: 7 }],
      { state: 'failed', failure_reason: 'agy_error', result: 'streamed', partial: true },
    ],
    [
      '25 a quota wall that only stderr tells of',
      [{ stderr: 'Error: rate limit reached\n' }, { exit: 1 }],
      { state: 'failed', failure_reason: 'quota_exhausted', result: undefined },
    ],
    [
      '27 a full disk is no quota wall',
      [payload({ status: 'ERROR', response: '', error: 'write /x: disk quota exceeded' })],
      { state: 'failed', failure_reason: 'agy_error' },
    ],
    [
      '55 pieces of several answers are put together',
      [
        { text: 'one ', pieces: 2 },
        { tool: 'grep_search', output: 'not this' },
        { text: 'two' },
        payload(false as never),
      ],
      { state: 'done', result: 'one two', partial: true },
    ],
    [
      'the last of several results counts',
      [{ emitResult: { response: 'early' } }, payload({ response: 'late' })],
      { state: 'done', result: 'late', partial: undefined },
    ],
    [
      'denied with an answer is done, and says what was denied',
      [{ deny: 'command' }, { text: 'did what I could' }],
      {
        state: 'done',
        result: 'did what I could',
        denied_actions: [{ action: 'command', display_name: 'RunCommand' }],
      },
    ],
    [
      'denied without an answer is a failure',
      [{ deny: 'command' }],
      { state: 'failed', failure_reason: 'denied' },
    ],
    [
      'background work that was cut off is no success',
      [{ text: 'narration' }, { backgroundAbort: 2 }],
      { state: 'failed', failure_reason: 'background_aborted', result: 'narration', partial: true },
    ],
    [
      'a print timeout that calls itself a success is a timeout',
      [{ text: 'half' }, { timeoutNotice: '8s' }],
      { state: 'failed', failure_reason: 'timeout', result: 'half', partial: true },
    ],
  ])('%s', async (_name, steps, expected) => {
    const { state, result, partial, error, failure_reason, denied_actions } = await ending(steps);
    const seen: Record<string, unknown> = { state, result, partial, error, failure_reason, denied_actions };
    for (const [key, value] of Object.entries(expected))
      expect({ [key]: seen[key] }).toEqual({ [key]: value });
    // A reason if and only if it failed; nothing partial without text (26).
    expect(failure_reason !== undefined).toBe(state === 'failed');
    expect(partial === undefined || typeof result === 'string').toBe(true);
  });

  it('6 a quota wall keeps the time of its reset, and says what to do (99)', async () => {
    const status = await ending([{ quota: 1 }]);
    expect(status).toMatchObject({ state: 'failed', failure_reason: 'quota_exhausted' });
    expect(status.error).toContain('Resets in 1h2m3s');
    expect(status.recovery).toMatch(/conversation_id/);
    const withText = await ending([{ text: 'some' }, { quota: 1 }]);
    expect(withText).not.toHaveProperty('recovery');
  });

  it('24, 31, 32, 33: the end of stderr is in the error, bounded, whole characters', async () => {
    const long = `${'ж'.repeat(5000)}the real cause\n`;
    const status = await ending([{ stderr: long }, { exit: 127 }]);
    expect(status.error).toMatch(/the real cause/);
    expect(String(status.error).length).toBeLessThan(2500);
    expect(status.error).not.toContain('\uFFFD');
    const crash = await ending([{ stderr: 'boom\n' }, { exit: 7 }]);
    expect(crash.error).toBe('exit 7: boom');
  });

  it('39 tells the model in every state, as it was resolved (64)', async () => {
    const row = 'gemini-3-pro-preview\tGemini 3 Pro';
    for (const steps of [[{ text: 'x' }], [{ quota: 1 }]]) {
      const models = await session.call('list_models');
      const [id] = models.value.models as string[];
      const status = await ending(steps, { model: `${String(id)}\t${row}` });
      expect(status.model).toBe(id);
    }
  });

  it('45 junk between the events is counted and told, and the result survives', async () => {
    const status = await ending([{ raw: 'Welcome!\n{"broken": \n' }, { text: 'fine' }]);
    expect(status).toMatchObject({ state: 'done', result: 'fine' });
    expect(JSON.stringify(status.notices)).toContain('2 unreadable line(s)');
  });

  it('a character split over single bytes arrives whole', async () => {
    const status = await ending([{ text: '합니다€😀', byteByByte: true }, payload(false as never)]);
    expect(status.result).toBe('합니다€😀');
  });

  it('49 a grandchild that keeps the output open delays nothing', async () => {
    const status = await ending([{ grandchild: { ms: 120_000 } }, { text: 'done already' }]);
    expect(status).toMatchObject({ state: 'done', result: 'done already' });
  });

  it.each(['die', 'exit0', 'result', 'ignore'])(
    '21, 42, 44 the hard limit ends a run that answers SIGTERM with "%s", and what it said is kept',
    async (how) => {
      // A build without a limit of its own, so that ours is the one that strikes.
      const own = await house.connect({ environment: { STANDIN_WITHOUT: 'print-timeout' } });
      const reply = await own.call('agy_run_sync', {
        prompt: script({ on: { SIGTERM: how } }, { text: 'so far' }, { hang: 1 }),
        timeout: '500ms',
      });
      expect(reply.value).toMatchObject({
        state: 'failed',
        failure_reason: 'timeout',
        error: 'job exceeded its timeout and was terminated',
        result: 'so far',
      });
      // An answer that it gave as its last act counts as one.
      expect(reply.value.partial).toBe(how === 'result' ? undefined : true);
      await own.close();
    },
  );

  it('16, 17 a cancel keeps the answer that was complete, and marks the one that was not', async () => {
    for (const [result, partial] of [
      [{ response: 'whole' }, undefined],
      [{ response: 'half', status: 'ERROR', error: 'x' }, true],
    ] as const) {
      const started = await session.call('agy_run', {
        prompt: script({ on: { SIGTERM: 'die' } }, { emitResult: result }, { sleep: 3000 }, { hang: 1 }),
      });
      await session.call('agy_cancel', { job_id: started.value.job_id });
      const ended = await session.call('agy_wait', { job_id: started.value.job_id });
      expect(ended.value).toMatchObject({ state: 'cancelled', result: result.response });
      expect(ended.value.partial).toBe(partial);
      expect(ended.value.conversation_id).toBe(started.value.conversation_id);
    }
  });

  it('a schema run without its object is no success', async () => {
    const schema = { json_schema: '{"type":"object"}' };
    const good = await ending([{ text: 'x' }, { structured: { n: 1 } }], schema);
    expect(good).toMatchObject({ state: 'done', structured_output: { n: 1 } });
    const bad = await ending([{ text: 'x' }, { structured: null }], schema);
    expect(bad).toMatchObject({ state: 'failed', failure_reason: 'agy_error' });
    expect(bad.error).toContain('structured_output');
  });

  it('a conversation that is not there is refused, or the run that opens another one is stopped', async () => {
    const known = await ending([{ text: 'x' }]);
    expect(known.state).toBe('done');
    const refused = await session.call('agy_run', { prompt: 'x', conversation_id: 'no-such-conversation' });
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain('"no-such-conversation" is not known to agy');
    // Without any store of agy's nobody can tell beforehand.
    const own = await house.connect({ environment: { HOME: house.folder } });
    const reply = await own.call('agy_run_sync', {
      prompt: script({ text: 'hello' }, { hang: 1 }),
      conversation_id: 'no-such-conversation',
    });
    expect(reply.value).toMatchObject({ state: 'failed', failure_reason: 'conversation_not_found' });
    await own.close();
  });

  it.each([
    ['23 a folder that does not exist', { cwd: '/nonexistent/folder' }, /\/nonexistent\/folder/],
    ['a file in place of a folder', { cwd: '/etc/hostname' }, /\/etc\/hostname/],
  ])('%s is a failed spawn with its real cause and nothing else', async (_name, args, cause) => {
    const status = await ending([{ text: 'x' }], args);
    expect(status).toMatchObject({ state: 'failed', failure_reason: 'spawn_failed' });
    expect(status.error).toMatch(cause);
    expect(status).not.toHaveProperty('result');
  });
});

describe('what the agent is started with', () => {
  async function about(prompt: string, args: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const reply = await session.call('agy_run_sync', { prompt: `${prompt}\nDO {"about":1}`, ...args });
    return JSON.parse(String(reply.value.result));
  }

  it('61 the flags of the contract, the prompt not among them', async () => {
    const seen = await about('hello', {
      effort: 'low',
      agent: 'reviewer',
      sandbox: true,
      dirs: [house.home],
      cwd: house.work,
      timeout: '20m',
    });
    const argv = seen.argv as string[];
    expect(argv.join(' ')).toMatch(
      /^--dangerously-skip-permissions --print-timeout \S+ .*--output-format stream-json/,
    );
    for (const part of [
      '--disable-slash-commands',
      '--effort low',
      '--agent reviewer',
      '--sandbox',
      `--add-dir ${house.home}`,
    ])
      expect(argv.join(' ')).toContain(part);
    expect(argv.join(' ')).not.toContain('hello');
    expect(seen.cwd).toBe(house.work);
  });

  it('a prompt of any form and size arrives unchanged', async () => {
    const odd = '/review "q" $(x) `y` %PATH% -p \\n C:\\new\\table \u0001 é😀';
    expect((await about(odd)).prompt).toBe(`${odd}\nDO {"about":1}`);
    const big = 'ж'.repeat(150_000);
    expect((await about(big)).prompt).toBe(`${big}\nDO {"about":1}`);
  });

  it('a bound that this agent cannot keep refuses the run', async () => {
    const refused = await session.call('agy_run', { prompt: 'x', max_turns: 3 });
    expect(refused.isError).toBe(true);
    expect(refused.text).toMatch(/--max-turns.*Nothing was started/);
  });

  it('a plan run is sent as one that may change nothing', async () => {
    const seen = await about('x', { mode: 'plan' });
    const argv = (seen.argv as string[]).join(' ');
    expect(argv).toContain('--mode plan');
    expect(argv).not.toMatch(/--dangerously-skip-permissions|--disable-slash-commands/);
  });

  it('neither our secrets nor the marks of the agent that calls', async () => {
    const nested = await house.connect({
      environment: { AGY_MCP_HTTP_TOKEN: 's1', BATON_HTTP_TOKEN: 's2', CLAUDECODE: '1', KEPT: 'yes' },
    });
    const reply = await nested.call('agy_run_sync', {
      prompt: script({ env: ['AGY_MCP_HTTP_TOKEN', 'BATON_HTTP_TOKEN', 'CLAUDECODE', 'KEPT'] }),
    });
    expect(JSON.parse(String(reply.value.result))).toEqual({
      AGY_MCP_HTTP_TOKEN: null,
      BATON_HTTP_TOKEN: null,
      CLAUDECODE: null,
      KEPT: 'yes',
    });
    await nested.close();
  });

  it('63 a folder given by a link or a relative path is the real one, and continue_latest finds its conversation', async () => {
    const first = await session.call('agy_run_sync', { prompt: script({ text: 'x' }), cwd: '../work/.' });
    const seen = await about('y', { continue_latest: true, cwd: house.work });
    expect(seen.conversation_id).toBe(first.value.conversation_id);
    expect(seen.cwd).toBe(house.work);
  });
});
