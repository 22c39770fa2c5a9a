import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isFields } from '../../src/contract/fields.ts';
import { runQuestion, wantsConfirmation } from '../../src/server/confirm/question.ts';
import { ERAS, type Era, type ServerHouse, script, serverHouse } from '../support/mcp.ts';
import { modernClient, TASKS } from '../support/modern-mcp.ts';
import { startRaw } from '../support/raw-mcp.ts';

let house: ServerHouse;
beforeEach(() => {
  house = serverHouse();
});
afterEach(() => house.remove());

interface Answering {
  client: Client;
  questions: string[];
}

/** A client whose person answers each question in the same way. */
async function answering(
  era: Era,
  action: 'accept' | 'decline' | 'cancel' | 'cannot',
  environment: Record<string, string> = { BATON_CONFIRM: '1' },
): Promise<Answering> {
  const client = new Client(
    { name: 'confirming', version: '1' },
    {
      capabilities: action === 'cannot' ? {} : { elicitation: {} },
      versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' },
    },
  );
  const questions: string[] = [];
  if (action !== 'cannot') {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      questions.push(params.message);
      return action === 'accept' ? { action, content: {} } : { action };
    });
  }
  const [command = '', ...args] = house.command();
  await client.connect(
    new StdioClientTransport({
      command,
      args,
      cwd: house.work,
      env: house.environment({ ...environment, BATON_LOG: 'off' }),
    }),
  );
  return { client, questions };
}

async function run(
  client: Client,
  args: Record<string, unknown> = {},
): Promise<{ text: string; isError: boolean }> {
  const reply = await client.callTool({
    name: 'agy_run_sync',
    arguments: { prompt: script({ text: 'ran' }), ...args },
  });
  const [block] = reply.content;
  return { text: block?.type === 'text' ? block.text : '', isError: reply.isError === true };
}

async function jobs(client: Client): Promise<unknown> {
  const { structuredContent } = await client.callTool({ name: 'agy_jobs', arguments: {} });
  return isFields(structuredContent) ? structuredContent.total : undefined;
}

describe.each(ERAS)('BATON_CONFIRM=1, %s era', (era) => {
  it('starts a run when the person says yes, and says what is asked', async () => {
    const { client, questions } = await answering(era, 'accept');
    expect(await run(client)).toMatchObject({
      text: expect.stringContaining('"result":"ran"'),
      isError: false,
    });
    expect(questions).toHaveLength(1);
    expect(questions[0]).toContain(`Start an agent in ${house.work} with permission checks off`);
    expect(questions[0]).toContain('Task: Do as told.');
    await client.close();
  });

  it.each(['decline', 'cancel'] as const)('starts nothing on %s', async (action) => {
    const { client } = await answering(era, action);
    const refused = await run(client);
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('did not confirm') });
    expect(await jobs(client)).toBe(0);
    await client.close();
  });

  it('starts nothing where the client cannot ask, and says what can be done', async () => {
    const { client } = await answering(era, 'cannot');
    const refused = await run(client);
    expect(refused.isError).toBe(true);
    expect(refused.text).toMatch(/declares no elicitation.*mode "plan".*BATON_RIGHTS=workspace/);
    expect(await jobs(client)).toBe(0);
    expect((await run(client, { mode: 'plan' })).isError).toBe(false);
    await client.close();
  });

  it('asks nothing when the operator does not want it', async () => {
    const { client, questions } = await answering(era, 'accept', {});
    expect((await run(client)).isError).toBe(false);
    expect(questions).toEqual([]);
    await client.close();
  });
});

it('asks before a task as well: no task is there until the person said yes', async () => {
  const server = startRaw(house.command(), {
    cwd: house.work,
    env: house.environment({ BATON_CONFIRM: '1' }),
  });
  const client = modernClient(server, { extensions: { [TASKS]: {} }, elicitation: { form: {} } });
  const call = { name: 'agy_run_sync', arguments: { prompt: script({ text: 'x' }) } };
  const asked = await client.ask('tools/call', call);
  expect(asked).toMatchObject({
    resultType: 'input_required',
    inputRequests: { confirm: { method: 'elicitation/create' } },
  });
  const confirmed = await client.ask('tools/call', {
    ...call,
    inputResponses: { confirm: { action: 'accept', content: {} } },
  });
  expect(confirmed).toMatchObject({ resultType: 'task' });
  await client.call('agy_wait', { job_id: confirmed.taskId });
  server.kill();
  await server.ended();
});

it('asks about what may change more than the workspace, and about nothing else', () => {
  const work = join(house.folder, 'work');
  mkdirSync(join(work, 'sub'), { recursive: true });
  const base = { prompt: 'the task\nmore', cwd: work, timeoutMs: 1000 };
  const ask = (request: object, rights?: string): string | undefined =>
    runQuestion({ ...base, ...request }, { BATON_RIGHTS: rights }, work);
  expect(ask({})).toMatch(/permission checks off.*\nTask: the task$/s);
  expect(ask({ mode: 'plan' })).toBeUndefined();
  expect(ask({}, 'plan')).toBeUndefined();
  expect(ask({}, 'workspace')).toBeUndefined();
  expect(ask({ cwd: join(work, 'sub') }, 'workspace')).toBeUndefined();
  expect(ask({ cwd: house.folder }, 'workspace')).toContain(`may edit files outside of ${work}`);
  expect(ask({ dirs: ['/elsewhere'] }, 'workspace')).toContain('Further folders: /elsewhere');
  expect(ask({ cwd: `${work}-other` }, 'workspace')).toBeDefined();
  for (const [value, wanted] of [
    ['1', true],
    ['true', true],
    ['0', false],
    ['', false],
  ] as const)
    expect(wantsConfirmation({ BATON_CONFIRM: value })).toBe(wanted);
  expect(() => wantsConfirmation({ BATON_CONFIRM: 'perhaps' })).toThrow('neither 1 nor 0');
});
