import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERAS, type ServerHouse, type Session, serverHouse } from '../../support/mcp.ts';
import { callRelay } from '../../support/relay.ts';

let house: ServerHouse;
beforeAll(() => {
  house = serverHouse({ GEMINI_MCP_BACKEND: 'agy' });
  mkdirSync(join(house.work, 'src/deep'), { recursive: true });
  mkdirSync(join(house.work, '.git'));
  mkdirSync(join(house.work, 'node_modules'));
  for (const name of ['src/a.ts', 'src/b c.ts', 'src/.env', 'src/deep/x.md', 'notes.md', '.hidden'])
    writeFileSync(join(house.work, name), 'x');
  symlinkSync(house.folder, join(house.work, 'src/out'));
});
afterAll(() => house.remove());

async function complete(session: Session, name: string, argument: string, value: string): Promise<string[]> {
  const { completion } = await session.client.complete({
    ref: { type: 'ref/prompt', name },
    argument: { name: argument, value },
  });
  return completion.values;
}

describe.each(ERAS)('relay tools as prompts, %s era (relay 9)', (era) => {
  let session: Session;
  beforeAll(async () => {
    session = await house.connect({ era });
  });
  afterAll(() => session.close());

  it('each tool is one, with the arguments of its schema', async () => {
    const { prompts } = await session.client.listPrompts();
    const { tools } = await session.client.listTools();
    const relay = tools.filter((tool) => tool.name.startsWith('gemini-'));
    for (const tool of relay) {
      const prompt = prompts.find((one) => one.name === tool.name);
      expect(prompt?.description).toBe(tool.description);
      expect(prompt?.arguments?.map((one) => one.name)).toEqual(
        Object.keys(tool.inputSchema.properties ?? {}),
      );
      const needed = prompt?.arguments?.filter((one) => one.required).map((one) => one.name);
      expect(needed).toEqual(tool.inputSchema.required ?? []);
    }
  });

  it('become one sentence for the model; what is off or empty is left out', async () => {
    const text = async (name: string, args: Record<string, string>): Promise<unknown> => {
      const { messages } = await session.client.getPrompt({ name, arguments: args });
      return messages.map(({ role, content }) => [role, content.type === 'text' ? content.text : '']);
    };
    expect(await text('gemini-ping', {})).toEqual([['user', 'Use the gemini-ping tool']]);
    expect(
      await text('gemini-ask', {
        prompt: 'Review @src',
        model: 'pro',
        changeMode: 'true',
        sandbox: 'false',
        agent: '',
      }),
    ).toEqual([['user', 'Use the gemini-ask tool: Review @src (model: pro) [changeMode]']]);
    expect(await text('gemini-plan', { task: 'a cache', effort: 'low' })).toEqual([
      ['user', 'Use the gemini-plan tool: a cache (effort: low)'],
    ]);
    expect(await text('gemini-fetch-chunk', { cacheKey: '0123abcd', chunkIndex: '2' })).toEqual([
      ['user', 'Use the gemini-fetch-chunk tool (cacheKey: 0123abcd) (chunkIndex: 2)'],
    ]);
    await expect(session.client.getPrompt({ name: 'gemini-none' })).rejects.toThrow(
      /No prompt defined for tool: gemini-none/,
    );
    await expect(session.client.getPrompt({ name: 'gemini-ask' })).rejects.toThrow(/needs prompt/);
  });

  it('offer models, efforts, modes, methods, backends and conversations', async () => {
    expect(await complete(session, 'gemini-ask', 'model', 'pro')).toEqual([
      'pro',
      'gemini-3.1-pro-high',
      'gemini-3.1-pro-low',
    ]);
    expect(await complete(session, 'gemini-plan', 'effort', '')).toEqual(['low', 'medium', 'high']);
    expect(await complete(session, 'gemini-ask', 'mode', 'p')).toEqual(['accept-edits', 'plan']);
    expect(await complete(session, 'gemini-brainstorm', 'methodology', 'la')).toEqual(['lateral']);
    expect(await complete(session, 'gemini-image', 'aspectRatio', '21')).toEqual(['21:9']);
    expect(await complete(session, 'gemini-ask', 'changeMode', '')).toEqual(['true', 'false']);
    expect(await complete(session, 'gemini-ask', 'backend', 'b')).toEqual(['baton']);
    expect(await complete(session, 'gemini-ask', 'agent', 'x')).toEqual([]);
    const reply = await callRelay(session, 'gemini-ask', { prompt: 'hello' });
    const id = /conversationId: (\S+)/.exec(reply.items[0] ?? '')?.[1] ?? '';
    expect(await complete(session, 'gemini-ask', 'conversationId', id.slice(0, 5))).toEqual([id]);
  });

  it('offer files behind an @, and nothing that is secret or outside', async () => {
    const offer = (value: string) => complete(session, 'gemini-ask', 'prompt', value);
    expect(await offer('Look at @')).toEqual(['Look at @notes.md', 'Look at @src/']);
    expect(await offer('Look at (@src/')).toEqual([
      'Look at (@src/a.ts',
      'Look at (@"src/b c.ts"',
      'Look at (@src/deep/',
    ]);
    expect(await offer('@src/de')).toEqual(['@src/deep/']);
    expect(await offer('@.hid')).toEqual(['@.hidden']);
    for (const value of ['@../', '@src/out/', '@/etc/', '@~/', '@.git/', '@src/.e', 'no reference', 'me@ex'])
      expect(await offer(value)).toEqual([]);
    expect(await complete(session, 'gemini-image', 'outputPath', 'src/d')).toEqual(['src/deep/']);
    expect(await complete(session, 'gemini-plan', 'addDirs', 'src/')).toEqual(['src/deep/']);
    expect(await complete(session, 'gemini-plan', 'task', 'Plan @no')).toEqual(['Plan @notes.md']);
  });
});

it('recipes and prompts come with their set of tools', async () => {
  const names = async (set: string): Promise<string[]> => {
    const session = await house.connect({ command: [...house.command(), '--tools', set] });
    const { prompts } = await session.client.listPrompts();
    await session.close();
    return prompts.map((prompt) => prompt.name);
  };
  expect(await names('jobs')).not.toContain('gemini-ask');
  expect((await names('relay')).every((name) => name.startsWith('gemini-'))).toBe(true);
});
