import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isFields } from '../../src/contract/fields.ts';
import { ERAS, type ServerHouse, type Session, script, serverHouse } from '../support/mcp.ts';

const TOOLS = [
  'agy_run',
  'agy_run_sync',
  'agy_wait',
  'agy_status',
  'agy_cancel',
  'agy_jobs',
  'list_models',
  'list_sessions',
];

const ANNOTATIONS: Record<string, Record<string, unknown>> = {
  agy_run: { title: 'Delegate to agy (async)', destructiveHint: true, openWorldHint: true },
  agy_run_sync: { title: 'Delegate to agy (wait inline)', destructiveHint: true, openWorldHint: true },
  agy_status: { title: 'Check an agy job', readOnlyHint: true, openWorldHint: false },
  agy_wait: { title: 'Wait for an agy job', readOnlyHint: true, openWorldHint: false },
  agy_cancel: {
    title: 'Cancel an agy job',
    destructiveHint: true,
    idempotentHint: true,
    openWorldHint: false,
  },
  agy_jobs: { title: 'List agy jobs', readOnlyHint: true, openWorldHint: false },
  list_models: { title: 'List agy models', readOnlyHint: true, openWorldHint: true },
  list_sessions: { title: 'List agy conversations', readOnlyHint: true, openWorldHint: false },
};

/** Which other tools each description must lead to. */
const ROUTES: Record<string, string[]> = {
  agy_run: ['agy_run_sync', 'agy_wait', 'agy_status'],
  agy_run_sync: ['agy_run', 'agy_wait', 'agy_status'],
  agy_wait: ['agy_run', 'agy_status'],
  agy_status: ['agy_wait'],
  agy_cancel: ['agy_run', 'agy_status'],
  agy_jobs: ['agy_wait', 'agy_status'],
  list_models: ['agy_run', 'agy_run_sync'],
  list_sessions: ['agy_run', 'agy_run_sync'],
};

/** Every property below a schema that carries no description. */
function undescribed(schema: unknown, path: string): string[] {
  if (!isFields(schema)) return [];
  const missing: string[] = [];
  if (isFields(schema.properties)) {
    for (const [name, property] of Object.entries(schema.properties)) {
      const here = `${path}.${name}`;
      if (!isFields(property) || typeof property.description !== 'string' || property.description === '')
        missing.push(here);
      missing.push(...undescribed(property, here));
    }
  }
  return [...missing, ...undescribed(schema.items, `${path}[]`)];
}

describe.each(ERAS)('job tools over stdio, %s era', (era) => {
  let house: ServerHouse;
  let session: Session;
  beforeAll(async () => {
    house = serverHouse();
    session = await house.connect({ era, command: [...house.command(), '--tools', 'jobs'] });
  });
  afterAll(() => house.remove());

  it('lists its tools in a fixed order, with exact titles and hints (90)', async () => {
    const { tools } = await session.client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(TOOLS);
    for (const tool of tools) {
      expect(tool.title).toBe(ANNOTATIONS[tool.name]?.title);
      expect(tool.annotations).toEqual(ANNOTATIONS[tool.name]);
    }
  });

  it('describes every property, and leads from tool to tool (90)', async () => {
    const { tools } = await session.client.listTools();
    for (const tool of tools) {
      expect(undescribed(tool.inputSchema, tool.name)).toEqual([]);
      expect(undescribed(tool.outputSchema, tool.name)).toEqual([]);
      expect(tool.inputSchema.additionalProperties).toBe(false);
      for (const other of ROUTES[tool.name] ?? [])
        expect(tool.description).toMatch(new RegExp(`(?<!\\w)${other}(?!\\w)`));
    }
    for (const name of ['agy_run', 'agy_run_sync']) {
      const text = tools.find((tool) => tool.name === name)?.description;
      expect(text).toContain('peer review');
      expect(text).toMatch(/permission checks off.*cwd and dirs.*network/);
    }
  });

  it('says in its instructions what a delegated answer is (91)', () => {
    const text = session.client.getInstructions();
    for (const part of ['Peer review', 'agy_run_sync', 'SAME conversation_id', 'report to weigh'])
      expect(text).toContain(part);
  });

  it('runs inline: result, conversation, usage, and the same object as text (81, 86)', async () => {
    const reply = await session.call('agy_run_sync', { prompt: script({ text: 'all good' }) });
    expect(reply.isError).toBe(false);
    expect(JSON.parse(reply.text)).toEqual(reply.value);
    expect(reply.value).toMatchObject({
      state: 'done',
      result: 'all good',
      num_turns: 1,
      usage: {
        input_tokens: 100,
        output_tokens: 8,
        thinking_tokens: 0,
        cache_read_tokens: 0,
        total_tokens: 108,
      },
    });
    expect(reply.value.elapsed).toMatch(/^\d+s$/);
    expect(reply.value.conversation_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(reply.value).not.toHaveProperty('partial');
    expect(reply.value).not.toHaveProperty('note');
    expect(reply.value).not.toHaveProperty('poll_after_ms');
  });

  it('starts in the background, names the conversation, and is waited for (79, 83)', async () => {
    const started = await session.call('agy_run', { prompt: script({ sleep: 700 }, { text: 'later' }) });
    expect(started.value.state).toBe('running');
    expect(started.value.conversation_id).toMatch(/^[0-9a-f-]{36}$/);
    const early = await session.call('agy_wait', { job_id: started.value.job_id, wait: '50ms' });
    expect(early.value).toMatchObject({ job_id: started.value.job_id, state: 'running' });
    expect(early.value.note).toMatch(/agy_wait/);
    expect(early.value.poll_after_ms).toBeGreaterThan(0);
    const late = await session.call('agy_wait', { job_id: started.value.job_id });
    expect(late.value).toMatchObject({ state: 'done', result: 'later' });
    expect(late.value.conversation_id).toBe(started.value.conversation_id);
    const status = await session.call('agy_status', { job_id: started.value.job_id });
    expect(status.value).toMatchObject({ state: 'done', result: 'later' });
    expect(status.value).not.toHaveProperty('job_id');
  });

  it('refuses unknown, missing and mistyped arguments as tool errors', async () => {
    for (const [args, part] of [
      [{}, 'prompt'],
      [{ prompt: 'x', Model: 'y' }, 'did you mean model?'],
      [{ prompt: 7 }, 'want string, got integer 7'],
      [{ prompt: 'x', dirs: ['a', 1] }, 'dirs[1]'],
    ] as const) {
      const reply = await session.call('agy_run', { ...args });
      expect(reply.isError).toBe(true);
      expect(reply.text).toMatch(/^validating "arguments": /);
      expect(reply.text).toContain(part);
    }
  });

  it('answers an unknown tool with a protocol error', async () => {
    await expect(session.call('agy_nothing')).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('unknown tool "agy_nothing"'),
    });
  });

  it('checks wait, effort, mode, timeout in this order, with Go’s own words (87)', async () => {
    const wrong = { prompt: 'x', wait: '10', effort: 'max', mode: 'yolo', timeout: '0s' };
    const said = async (args: Record<string, unknown>): Promise<string> => {
      const reply = await session.call('agy_run_sync', args);
      expect(reply.isError).toBe(true);
      return reply.text;
    };
    expect(await said(wrong)).toBe('invalid wait "10": time: missing unit in duration "10"');
    expect(await said({ ...wrong, wait: '-1s' })).toBe(
      'invalid wait "-1s": want a positive Go duration like 90s',
    );
    expect(await said({ ...wrong, wait: '1s' })).toBe('invalid effort "max": want low, medium or high');
    expect(await said({ ...wrong, wait: '1s', effort: 'low' })).toBe(
      'invalid mode "yolo": want accept-edits or plan',
    );
    expect(await said({ prompt: 'x', timeout: '0s' })).toBe(
      'invalid timeout "0s": want a positive Go duration like 20m',
    );
    expect(await said({ prompt: 'x', timeout: 'soon' })).toBe(
      'invalid timeout "soon": time: invalid duration "soon"',
    );
    expect(await said({ prompt: 'x', timeout: '24h1s' })).toBe(
      'timeout "24h1s" exceeds the maximum of 24h0m0s',
    );
    expect(await said({ prompt: 'x', conversation_id: 'c', continue_latest: true })).toBe(
      'conversation_id and continue_latest are mutually exclusive: pass one or the other',
    );
    const unknown = await session.call('agy_wait', { job_id: 'nope', wait: 'x' });
    expect(unknown.text).toMatch(/^invalid wait "x"/);
  });

  it('names what is wrong with a job id (87, 100)', async () => {
    for (const id of ['../x', 'a/b', '', '.', 'x.']) {
      const reply = await session.call('agy_status', { job_id: id });
      expect(reply.isError).toBe(true);
      expect(reply.text).toContain('invalid job id');
    }
    const waited = await session.call('agy_wait', { job_id: 'never-was' });
    expect(waited.text).toMatch(/^job never-was status read failed: /);
    const cancelled = await session.call('agy_cancel', { job_id: 'never-was' });
    expect(cancelled.text).toMatch(/^load job never-was to cancel: /);
  });

  it('cancels, and what the job left is kept (15, 80)', async () => {
    const started = await session.call('agy_run', {
      prompt: script({ on: { SIGTERM: 'die' } }, { text: 'half ', open: true }, { hang: 1 }),
    });
    const reply = await session.call('agy_cancel', { job_id: started.value.job_id });
    expect(['running', 'cancelled']).toContain(reply.value.state);
    const ended = await session.call('agy_wait', { job_id: started.value.job_id });
    expect(ended.value).toMatchObject({ state: 'cancelled', result: 'half ', partial: true });
    expect(ended.value.conversation_id).toBe(started.value.conversation_id);
    const again = await session.call('agy_cancel', { job_id: started.value.job_id });
    expect(again.value.state).toBe('cancelled');
  });

  it('finds a job by its request id instead of starting another', async () => {
    const args = { prompt: script({ text: 'once' }), request_id: `key-${era}` };
    const first = await session.call('agy_run_sync', args);
    const second = await session.call('agy_run_sync', args);
    expect(second.value.job_id).toBe(first.value.job_id);
    expect(second.value).toMatchObject({ state: 'done', result: 'once' });
  });

  it('lists jobs, so that a lost id is not a lost job', async () => {
    const started = await session.call('agy_run_sync', { prompt: script({ text: 'x' }), cwd: house.work });
    const all = await session.call('agy_jobs', { limit: 1 });
    expect(all.value.jobs).toMatchObject([
      {
        job_id: started.value.job_id,
        kind: 'agy_run_sync',
        state: 'done',
        cwd: house.work,
        prompt: 'Do as told.',
        backend: 'agy',
      },
    ]);
    expect(all.value.total).toBeGreaterThan(1);
    const none = await session.call('agy_jobs', { state: 'live' });
    expect(none.value).toEqual({ jobs: [], total: 0 });
  });

  it('lists models with their labels, and conversations by folder (88, 89)', async () => {
    const models = await session.call('list_models');
    const ids = models.value.models;
    expect(Array.isArray(ids) && ids.length > 0).toBe(true);
    expect(models.value.model_details).toHaveLength(Array.isArray(ids) ? ids.length : -1);
    await session.call('agy_run_sync', { prompt: script({ text: 'x' }), cwd: house.work });
    const sessions = await session.call('list_sessions', { dir: house.work });
    expect(sessions.value.sessions).toMatchObject([{ workspace: house.work }]);
    const nowhere = await session.call('list_sessions', { dir: house.folder });
    expect(nowhere.value).toEqual({ sessions: [] });
  });
});
