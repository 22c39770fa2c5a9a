import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentHouse, agentHouse, initOf } from '../../support/agent.ts';
import { type ModelServer, startModelServer } from '../../support/models/server.ts';

let server: ModelServer;
let house: AgentHouse;
const JSON_OUT = ['--output-format', 'json'];
const STREAM = ['--output-format', 'stream-json'];

beforeAll(async () => {
  server = await startModelServer(() => ({ text: 'hello' }), { models: ['mock-1', 'mock-2'] });
  house = agentHouse(server);
  house.write(
    '.agents/skills/review/SKILL.md',
    '---\nname: review\ndescription: Reviews a file\n---\nReview $ARGUMENTS well.\n',
  );
  house.write(
    '.agents/skills/silent/SKILL.md',
    '---\ndescription: x\ndisable-slash-command: true\n---\nNever.\n',
  );
  house.write(
    '.agents/agents/scout.md',
    '---\nname: scout\ndescription: Only looks\ntools: [view_file, list_dir, viewfile]\n---\n# Role\n\nYou are the scout.\n',
  );
  const userAgent = join(house.home, '.config/baton/agents/mine/agent.md');
  mkdirSync(dirname(userAgent), { recursive: true });
  writeFileSync(userAgent, '---\ndescription: of the user\n---\nYou are mine.\n');
});
afterAll(async () => {
  house.remove();
  await server.close();
});

const lastCall = (): { system: string; prompt: unknown; tools: string } => {
  const messages = server.calls.at(-1)?.body.messages;
  const list = Array.isArray(messages) ? messages : [];
  return {
    system: list[0]?.content,
    prompt: list.at(-1)?.content,
    tools: JSON.stringify(server.calls.at(-1)?.body.tools),
  };
};

describe('subcommands', () => {
  test('models, as text (models-text)', async () => {
    const run = await house.run(['models']);
    expect(run).toMatchObject({ code: 0 });
    expect(run.stdout.split('\n')).toEqual(
      expect.arrayContaining(['openai/mock-1\tmock-1', 'openai/mock-2\tmock-2']),
    );
    expect(run.stderr).toContain('Fetching available models...');
  });

  test('models, as JSON and as a stream (models-json, slash-stream-json)', async () => {
    const run = await house.run([...JSON_OUT, 'models']);
    expect(run.envelope()).toMatchObject({
      conversation_id: '',
      status: 'SUCCESS',
      num_turns: 0,
      command: { name: 'models' },
    });
    expect(run.envelope().command?.data).toMatchObject({
      models: expect.arrayContaining([{ id: 'openai/mock-1', label: 'mock-1' }]),
    });
    const stream = await house.run([...STREAM, 'models']);
    expect(stream.events().map(({ event }) => event)).toEqual(['command_result', 'result']);
  });

  test('agents (agents-list)', async () => {
    const run = await house.run(['agents']);
    expect(run).toMatchObject({ code: 0, stdout: 'scout\nmine\n', stderr: '' });
    const asJson = await house.run([...JSON_OUT, 'agent']);
    expect(asJson.envelope().command).toMatchObject({
      name: 'agents',
      data: { agents: [{ name: 'scout' }, { name: 'mine' }] },
    });
  });
});

describe('--agent', () => {
  test('runs as that agent (agent-flag, init-fields)', async () => {
    const run = await house.run(['-p', 'x', '--agent', 'scout', ...STREAM]);
    expect(run.code).toBe(0);
    expect(initOf(run)).toMatchObject({ agent: 'scout', tools: ['view_file', 'list_dir'] });
    expect(lastCall().system).toContain('You are the scout.');
    expect(lastCall().system).not.toContain('You are baton-agent');
    expect(lastCall().tools).not.toContain('write_to_file');
    expect(run.stderr).toContain('agent scout names the tool "viewfile", which does not exist');
  });

  test('with a name that none has (agent-flag)', async () => {
    const run = await house.run(['-p', 'x', '--agent', 'scuot', ...STREAM]);
    expect(run.code).toBe(1);
    expect(run.events()).toHaveLength(1);
    expect(run.envelope().error).toMatch(/^unknown --agent "scuot": the agents here are: scout, mine/);
  });
});

describe('slash commands', () => {
  test.each(['/usage', '/quota', '/model', '/effort', '/skills', '/help', '/agents', '/permissions'])(
    '%s costs no turn (slash-answered)',
    async (command) => {
      const calls = server.calls.length;
      const text = await house.run(['-p', command]);
      expect(text).toMatchObject({ code: 0, stderr: '' });
      expect(text.stdout).toMatch(/\n$/);
      const run = await house.run(['-p', command, ...JSON_OUT]);
      expect(run.envelope()).toMatchObject({
        conversation_id: '',
        status: 'SUCCESS',
        num_turns: 0,
        usage: { total_tokens: 0 },
        command: { name: command === '/quota' ? 'usage' : command.slice(1), data: expect.any(Object) },
      });
      expect(server.calls).toHaveLength(calls);
    },
  );

  test('what they say (slash-answered)', async () => {
    const data = async (command: string, ...flags: string[]): Promise<unknown> =>
      (await house.run(['-p', command, ...JSON_OUT, ...flags])).envelope().command?.data;
    expect(await data('/model', '--model', 'openai/mock-2')).toMatchObject({
      id: 'openai/mock-2',
      is_default: false,
    });
    expect(await data('/skills')).toMatchObject({ skills: [{ name: 'review' }, { name: 'silent' }] });
    expect(await data('/usage')).toMatchObject({ groups: [] });
    expect(await data('/permissions', '--allow', 'command(git)', '--mode', 'plan')).toMatchObject({
      mode: 'plan',
      allow: [{ rule: 'command(git)', source: '--allow' }],
    });
  });

  test('in stream-json (slash-stream-json)', async () => {
    const run = await house.run(['-p', '/help', ...STREAM]);
    expect(run.events().map(({ event }) => event)).toEqual(['command_result', 'result']);
    expect(run.envelope().conversation_id).toBe('');
  });

  test.each([
    ['/clear', '/clear is not available in print mode'],
    ['/logout', '/logout is not available in print mode'],
    ['/model gpt', '/model takes no arguments in print mode'],
  ])('%s is refused (slash-refused)', async (prompt, error) => {
    const run = await house.run(['-p', prompt, ...JSON_OUT]);
    expect(run.code).toBe(2);
    expect(run.envelope()).toMatchObject({ status: 'ERROR', num_turns: 0 });
    expect(run.envelope().error).toContain(error);
    expect(run.stderr).toContain(error);
  });

  test.each([['/model'], ['/clear'], ['/review a.ts']])(
    '%s is text when they are off (slash-off)',
    async (prompt) => {
      const run = await house.run(['-p', prompt, '--disable-slash-commands']);
      expect(run).toMatchObject({ code: 0, stdout: 'hello' });
      expect(lastCall().prompt).toBe(prompt);
    },
  );

  test('a skill (slash-skill)', async () => {
    const run = await house.run(['-p', '/review a.ts', ...STREAM]);
    expect(lastCall().prompt).toBe('Review a.ts well.');
    expect(initOf(run).expanded_commands).toEqual([{ name: 'review', type: 'skill' }]);
    expect(lastCall().system).toContain('- review: Reviews a file');
  });

  test('of the user, and one that leads out of the workspace', async () => {
    const mine = join(house.home, '.config/baton/skills/mine/SKILL.md');
    mkdirSync(dirname(mine), { recursive: true });
    writeFileSync(mine, '---\ndescription: of the user\n---\nDo mine.\n');
    mkdirSync(join(house.folder, '.agents/skills/stray'));
    symlinkSync(mine, join(house.folder, '.agents/skills/stray/SKILL.md'));
    const run = await house.run(['-p', '/mine']);
    expect(lastCall().prompt).toBe('Do mine.');
    expect(lastCall().system).not.toContain('of the user');
    expect(run.stderr).toContain('stray/SKILL.md was left out: it is a link that leads out of the workspace');
    rmSync(join(house.folder, '.agents/skills/stray'), { recursive: true });
  });

  test.each([['/silent x'], ['/usr/bin is a folder'], ['/unknown thing']])('%s is text', async (prompt) => {
    await house.run(['-p', prompt]);
    expect(lastCall().prompt).toBe(prompt);
  });
});
