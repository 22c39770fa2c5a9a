import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isFields, textOr } from '../../../src/contract/fields.ts';
import { startCommand } from '../../support/command.ts';
import { ERAS, type ServerHouse, serverHouse } from '../../support/mcp.ts';
import { callRelay } from '../../support/relay.ts';

const RELAY_TOOLS = [
  'gemini-ask',
  'gemini-plan',
  'gemini-image',
  'gemini-models',
  'gemini-doctor',
  'gemini-brainstorm',
  'gemini-fetch-chunk',
  'gemini-conversations',
  'gemini-cancel',
  'gemini-ping',
  'gemini-help',
];

let house: ServerHouse;
beforeAll(() => {
  house = serverHouse({ GEMINI_MCP_BACKEND: 'agy' });
});
afterAll(() => house.remove());

describe.each(ERAS)('relay tools over stdio, %s era', (era) => {
  it('are listed behind the job tools, or alone with the waiting ones (decision 23)', async () => {
    const names = async (...flags: string[]): Promise<string[]> => {
      const session = await house.connect({ era, command: [...house.command(), ...flags] });
      const { tools } = await session.client.listTools();
      await session.close();
      return tools.map((tool) => tool.name);
    };
    const all = await names();
    expect(all.filter((name) => name.startsWith('gemini-'))).toEqual(RELAY_TOOLS);
    expect(all.slice(0, 2)).toEqual(['agy_run', 'agy_run_sync']);
    expect(await names('--tools', 'jobs,relay')).toEqual(all);
    expect(await names('--tools=relay')).toEqual(['agy_wait', 'agy_status', ...RELAY_TOOLS]);
    expect((await names('--tools=jobs')).filter((name) => name.startsWith('gemini-'))).toEqual([]);
  });

  it('have true hints, described properties and schemas that strict providers take (rows 18, 19)', async () => {
    const session = await house.connect({ era });
    const { tools } = await session.client.listTools();
    const hints = Object.fromEntries(
      tools
        .filter((tool) => tool.name.startsWith('gemini-'))
        .map((tool) => {
          const { readOnlyHint, destructiveHint, openWorldHint } = tool.annotations ?? {};
          return [
            tool.name,
            [readOnlyHint && 'reads', destructiveHint && 'changes', openWorldHint && 'world'],
          ];
        }),
    );
    expect(hints).toMatchSnapshot();
    for (const tool of tools) {
      const text = JSON.stringify([tool.inputSchema, tool.outputSchema]);
      expect(text).not.toMatch(/"\$ref"|"format"|"\$schema"|"oneOf"/);
      // An id of today in a description keeps a model from passing one of tomorrow.
      expect(tool.description).not.toMatch(/gemini-\d/);
      for (const property of Object.values(tool.inputSchema.properties ?? {}))
        expect(isFields(property) && property.description).toBeTruthy();
    }
    await session.close();
  });

  it('have the parameters, types, enums and defaults of the reference', async () => {
    const session = await house.connect({ era });
    const { tools } = await session.client.listTools();
    const table = tools
      .filter((tool) => tool.name.startsWith('gemini-'))
      .flatMap((tool) =>
        Object.entries(tool.inputSchema.properties ?? {}).map(([name, property]) => {
          const { description, ...shape } = isFields(property) ? property : {};
          const needed = tool.inputSchema.required?.includes(name) ? ', required' : '';
          const fallback = /Default [^:;.]*(?:\.\d[^:;. ]*)?/.exec(textOr(description))?.[0];
          return `${tool.name}  ${name}: ${JSON.stringify(shape)}${needed}${fallback ? `; ${fallback}` : ''}`;
        }),
      );
    expect(table.join('\n')).toMatchSnapshot();
    await session.close();
  });
});

describe('relay tools', () => {
  it('drop unknown arguments, and name what is wrong with known ones', async () => {
    const session = await house.connect();
    const pong = await callRelay(session, 'gemini-ping', { message: 'not this', prompt: 'hello & world' });
    expect(pong.shown).toBe('hello & world');
    const wrong = await callRelay(session, 'gemini-brainstorm', { prompt: 'x', ideaCount: 1.5 });
    expect(wrong.shown).toBe(
      '(error)\nError executing gemini-brainstorm: Invalid arguments for gemini-brainstorm: ideaCount: want integer, got number 1.5',
    );
    const missing = await callRelay(session, 'gemini-plan', { prompt: 'x' });
    expect(missing.shown).toContain('Invalid arguments for gemini-plan: missing: task');
    await session.close();
  });

  it('refuse a blank prompt before anything is started', async () => {
    const session = await house.connect();
    for (const [tool, args] of [
      ['gemini-ask', { prompt: ' ' }],
      ['gemini-plan', { task: '\n' }],
      ['gemini-brainstorm', { prompt: '' }],
      ['gemini-image', { prompt: '\t' }],
    ] as const) {
      const reply = await callRelay(session, tool, args);
      expect(reply.shown).toMatchSnapshot();
    }
    expect((await session.call('agy_jobs')).value.total).toBe(0);
    await session.close();
  });

  it('come with the timeout test only where that was asked for', async () => {
    const session = await house.connect({ environment: { GEMINI_MCP_TEST_TOOLS: '1' } });
    const { tools } = await session.client.listTools();
    expect(tools.at(-1)?.name).toBe('gemini-timeout-test');
    const reply = await callRelay(session, 'gemini-timeout-test', { duration: 20 });
    expect(reply.shown.replace(/Actual duration: \d+ms/, 'Actual duration: <n>ms')).toMatchSnapshot();
    const short = await callRelay(session, 'gemini-timeout-test', { duration: 9 });
    expect(short.isError).toBe(true);
    await session.close();
  });

  it('are not served under a name that is no set', async () => {
    const run = startCommand('baton', ['serve', '--tools', 'jobs,relais'], {
      cwd: house.work,
      env: house.environment(),
    });
    const { code, stderr } = await run.ended;
    expect(code).toBe(1);
    expect(stderr).toContain('--tools "jobs,relais": want jobs, relay');
  });
});
