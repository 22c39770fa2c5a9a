import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isFields, parseJson } from '../../../src/contract/fields.ts';
import { until } from '../../support/jobs.ts';
import { ERAS, type Era, type ServerHouse, type Session, script, serverHouse } from '../../support/mcp.ts';
import { startRaw } from '../../support/raw-mcp.ts';

async function text(client: Client, uri: string): Promise<string> {
  const { contents } = await client.readResource({ uri });
  const [content] = contents;
  expect(contents).toHaveLength(1);
  expect(content?.uri).toBe(uri);
  return content && 'text' in content ? content.text : '';
}

async function object(client: Client, uri: string): Promise<Record<string, unknown>> {
  const value = parseJson(await text(client, uri));
  return isFields(value) ? value : {};
}

/** Collects the addresses of which this client is told that they changed. */
function updates(client: Client): string[] {
  const seen: string[] = [];
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    seen.push(params.uri);
  });
  return seen;
}

async function subscribe(client: Client, era: Era, uris: string[]): Promise<void> {
  if (era === 'modern') await client.listen({ resourceSubscriptions: uris });
  else for (const uri of uris) await client.subscribeResource({ uri });
}

describe.each(ERAS)('jobs as resources over stdio, %s era', (era) => {
  let house: ServerHouse;
  let session: Session;
  let client: Client;
  beforeAll(async () => {
    house = serverHouse();
    session = await house.connect({ era });
    ({ client } = session);
  });
  afterAll(() => house.remove());

  it('lists the newest jobs and the templates for all', async () => {
    const ran = await session.call('agy_run_sync', { prompt: script({ text: 'listed' }) });
    const id = String(ran.value.job_id);
    const { resources } = await client.listResources();
    expect(resources[0]).toMatchObject({ uri: 'baton://jobs', mimeType: 'application/json' });
    expect(resources[1]).toMatchObject({ uri: `baton://jobs/${id}/text`, title: 'Do as told.' });
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'baton://jobs/{job_id}',
      'baton://jobs/{job_id}/text',
      'baton://jobs/{job_id}/events{?cursor}',
      'baton://jobs/{job_id}/stderr',
    ]);
    const jobs = await object(client, 'baton://jobs');
    expect(jobs.jobs).toMatchObject([{ uri: `baton://jobs/${id}`, job_id: id, state: 'done' }]);
  });

  it('gives status, text, events by cursor and diagnostics of a job', async () => {
    const go = join(house.folder, `go-${era}`);
    const started = await session.call('agy_run', {
      prompt: script(
        { stderr: 'careful\n' },
        { text: 'so far', open: true },
        { waitFor: go },
        { text: ' and done' },
      ),
    });
    const id = String(started.value.job_id);
    await until(async () => (await text(client, `baton://jobs/${id}/text`)) === 'so far', 'the text so far');
    expect(await object(client, `baton://jobs/${id}`)).toMatchObject({ job_id: id, state: 'running' });
    const first = await object(client, `baton://jobs/${id}/events`);
    expect(first).toMatchObject({ at_end: true, state: 'running' });
    expect(first.events).toMatchObject([{ event: 'init' }, {}, {}]);
    writeFileSync(go, '');
    const ended = await session.call('agy_wait', { job_id: id });
    const rest = await object(client, String(first.next_uri));
    const events = Array.isArray(rest.events) ? rest.events : [];
    expect(events.at(-1)).toMatchObject({ event: 'result' });
    expect(events).not.toContainEqual(expect.objectContaining({ event: 'init' }));
    expect(rest).toMatchObject({ at_end: true, state: 'done' });
    expect(await object(client, String(rest.next_uri))).toMatchObject({ events: [], at_end: true });
    expect(await text(client, `baton://jobs/${id}/text`)).toBe(ended.value.result);
    expect(await text(client, `baton://jobs/${id}/stderr`)).toContain('careful');
  });

  it('pages through many events and passes over what is no event', async () => {
    const ran = await session.call('agy_run_sync', {
      prompt: script({ flood: 3000 }, { raw: 'no event\n' }, { long: 300_000 }, { text: 'end' }),
    });
    const seen: unknown[] = [];
    let uri = `baton://jobs/${String(ran.value.job_id)}/events`;
    let pages = 0;
    for (let atEnd = false; !atEnd; pages++) {
      const page = await object(client, uri);
      seen.push(...(Array.isArray(page.events) ? page.events : []));
      uri = String(page.next_uri);
      atEnd = page.at_end === true;
    }
    expect(pages).toBeGreaterThan(2);
    expect(seen.length).toBeGreaterThan(3000);
    expect(seen.at(-1)).toMatchObject({ event: 'result' });
  });

  it('tells whoever subscribed that a job went on and ended, and nobody else', async () => {
    const other = await house.connect({ era });
    const [seen, unasked] = [updates(client), updates(other.client)];
    const go = join(house.folder, `wake-${era}`);
    const started = await session.call('agy_run', { prompt: script({ waitFor: go }, { text: 'x' }) });
    const uri = `baton://jobs/${String(started.value.job_id)}`;
    await subscribe(client, era, [uri, 'baton://jobs']);
    writeFileSync(go, '');
    await until(async () => seen.includes(uri) && (await object(client, uri)).state === 'done', 'the update');
    await until(() => seen.includes('baton://jobs'), 'the update of the list');
    expect(unasked).toEqual([]);
    await other.close();
  });

  it('links a begun job and a long answer, for clients that know links', async () => {
    const blocks = async (name: string, args: Record<string, unknown>): Promise<unknown[]> =>
      (await client.callTool({ name, arguments: args })).content;
    const begun = await blocks('agy_run', { prompt: script({ text: 'x' }) });
    expect(begun[1]).toMatchObject({
      type: 'resource_link',
      uri: expect.stringMatching(/^baton:\/\/jobs\/[^/]+$/),
    });
    expect(await blocks('agy_run_sync', { prompt: script({ text: 'short' }) })).toHaveLength(1);
    const long = await blocks('agy_run_sync', { prompt: script({ text: 'long '.repeat(20_000) }) });
    const link = isFields(long[1]) ? String(long[1].uri) : '';
    expect(link).toMatch(/\/text$/);
    expect(await text(client, link)).toHaveLength(100_000);
  });

  it('knows no other addresses', async () => {
    for (const uri of [
      'baton://jobs/never-was',
      'baton://jobs/../secrets',
      'baton://jobs/x/y',
      'baton://jobs/x/text?cursor=1',
      'file:///etc/passwd',
    ]) {
      await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32_602 });
    }
  });

  it('offers recipes, with what was typed in them in quotes', async () => {
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name).filter((name) => !name.startsWith('gemini-'))).toEqual([
      'peer-review',
      'second-opinion',
      'delegate',
      'collect-jobs',
    ]);
    expect(prompts[0]?.arguments?.[0]).toMatchObject({ name: 'what', required: true });
    const got = await client.getPrompt({
      name: 'peer-review',
      arguments: { what: 'HEAD~1 "quoted"', focus: ' ' },
    });
    const [message] = got.messages;
    const said = message?.content.type === 'text' ? message.content.text : '';
    expect(said).toContain(String.raw`"HEAD~1 \"quoted\""`);
    expect(said).toContain('agy_run_sync');
    expect(said).not.toContain('the focus is');
    await expect(client.getPrompt({ name: 'peer-review' })).rejects.toMatchObject({
      code: -32_602,
      message: /needs what/,
    });
    await expect(client.getPrompt({ name: 'nope' })).rejects.toMatchObject({
      code: -32_602,
      message: /No prompt defined for tool: nope/,
    });
  });

  it('completes ids of jobs and models', async () => {
    const ran = await session.call('agy_run_sync', { prompt: script({ text: 'x' }) });
    const id = String(ran.value.job_id);
    const byTemplate = await client.complete({
      ref: { type: 'ref/resource', uri: 'baton://jobs/{job_id}/text' },
      argument: { name: 'job_id', value: id.slice(0, 12) },
    });
    expect(byTemplate.completion.values).toContain(id);
    const byPrompt = await client.complete({
      ref: { type: 'ref/prompt', name: 'collect-jobs' },
      argument: { name: 'job_id', value: 'zzzz' },
    });
    expect(byPrompt.completion.values).toEqual([]);
    const models = await client.complete({
      ref: { type: 'ref/prompt', name: 'delegate' },
      argument: { name: 'model', value: 'GEMINI' },
    });
    expect(models.completion.values.length).toBeGreaterThan(0);
    for (const model of models.completion.values) expect(model.toLowerCase()).toContain('gemini');
    const none = await client.complete({
      ref: { type: 'ref/prompt', name: 'delegate' },
      argument: { name: 'task', value: 'x' },
    });
    expect(none.completion.values).toEqual([]);
  });
});

it('sends no link to a client of a revision that has none', async () => {
  const house = serverHouse();
  const server = startRaw(house.command(), { cwd: house.work, env: house.environment() });
  try {
    await server.request(1, 'initialize', {
      protocolVersion: '2025-03-26',
      capabilities: {},
      clientInfo: { name: 'old', version: '1' },
    });
    server.send({ method: 'notifications/initialized' });
    const call = { name: 'agy_run', arguments: { prompt: script({ text: 'x' }) } };
    const { result } = await server.request(2, 'tools/call', call);
    expect(isFields(result) ? result.content : []).toMatchObject([{ type: 'text' }]);
  } finally {
    server.kill();
    await house.remove();
  }
});

it.each(ERAS)('tells subscribers over HTTP as well, %s era', async (era) => {
  const house = serverHouse();
  const server = startRaw([...house.command(), '--http=127.0.0.1:0'], {
    cwd: house.work,
    env: house.environment(),
  });
  try {
    const url = await until(() => /on (http:\/\/[\d.:]+)/.exec(server.stderr())?.[1], 'the address');
    const client = new Client(
      { name: 'subscriber', version: '1' },
      { versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' } },
    );
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
    const seen = updates(client);
    const go = join(house.folder, 'go');
    const reply = await client.callTool({ name: 'agy_run', arguments: { prompt: script({ waitFor: go }) } });
    const id = isFields(reply.structuredContent) ? String(reply.structuredContent.job_id) : '';
    await subscribe(client, era, [`baton://jobs/${id}`]);
    writeFileSync(go, '');
    await until(() => existsSync(join(house.stateDir, 'jobs', id, 'result.json')), 'the end');
    await until(() => seen.length > 0, 'the update');
    expect(new Set(seen)).toEqual(new Set([`baton://jobs/${id}`]));
    await client.close();
  } finally {
    server.kill();
    await house.remove();
  }
});
