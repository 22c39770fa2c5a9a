import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type AgentHouse, agentHouse, initOf, stepsOf } from '../../support/agent.ts';
import type { ScriptedReply } from '../../support/models/script.ts';
import { type ModelServer, startModelServer } from '../../support/models/server.ts';

let server: ModelServer;
let house: AgentHouse;
const JSON_OUT = ['--output-format', 'json'];
const STREAM = ['--output-format', 'stream-json'];

afterEach(async () => {
  house.remove();
  await server.close();
});

async function withReply(reply: (index: number) => ScriptedReply): Promise<void> {
  server = await startModelServer((_call, index) => reply(index));
  house = agentHouse(server);
}
const looking: ScriptedReply = {
  text: 'I look. ',
  calls: [{ name: 'list_dir', arguments: { DirectoryPath: '.' } }],
};
const systemText = (): string => {
  const messages = server.calls.at(-1)?.body.messages;
  return Array.isArray(messages) ? String(messages[0]?.content) : '';
};

describe('caps name themselves', () => {
  test('--max-turns', async () => {
    await withReply(() => looking);
    const run = await house.run(['-p', 'x', '--max-turns', '3', ...JSON_OUT]);
    expect(run.code).toBe(1);
    expect(server.calls).toHaveLength(3);
    expect(run.envelope()).toMatchObject({ status: 'ERROR', response: 'I look. ' });
    expect(run.envelope().error).toMatch(/^stopped by --max-turns 3: /);
  });

  test('--max-tokens stops behind the call that used them up, and not before', async () => {
    await withReply((index) => (index < 3 ? looking : { text: 'done' }));
    const enough = await house.run(['-p', 'x', '--max-tokens', '331', ...JSON_OUT]);
    expect(enough.envelope()).toMatchObject({ status: 'SUCCESS', usage: { total_tokens: 440 } });
    const run = await house.run(['-p', 'x', '--max-tokens', '330', ...JSON_OUT]);
    // The server goes on answering "done", which needs no further call.
    expect(run.envelope().status).toBe('SUCCESS');
    await server.close();
    house.remove();
    await withReply(() => looking);
    const stopped = await house.run(['-p', 'x', '--max-tokens', '330', ...JSON_OUT]);
    expect(stopped.envelope().error).toBe('stopped by --max-tokens 330: the run has used 330 tokens');
  });

  test('--max-cost is refused when the price is not known', async () => {
    await withReply(() => ({ text: 'x' }));
    const run = await house.run(['-p', 'x', '--max-cost', '0.50', ...JSON_OUT]);
    expect(run.code).toBe(1);
    expect(run.envelope().error).toContain('the price of openai/mock-1 is not known');
    expect(server.calls).toHaveLength(0);
  });

  test.each([
    ['--max-turns', '-1'],
    ['--max-tokens', '1.5'],
    ['--max-cost', 'cheap'],
  ])('%s %s is refused', async (flag, value) => {
    await withReply(() => ({ text: 'x' }));
    const run = await house.run(['-p', 'x', flag, value]);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(`invalid value "${value}" for flag ${flag.slice(1)}: must be`);
  });
});

test('--cwd is where the run works; paths of other flags start where the program was called', async () => {
  await withReply((index) => (index === 0 ? looking : { text: 'done' }));
  house.write('sub/inside.txt', 'x');
  house.write('prompt.txt', 'from a file');
  const run = await house.run(['--cwd', 'sub', '--prompt-file', 'prompt.txt', ...STREAM]);
  expect(initOf(run).cwd).toBe(join(house.folder, 'sub'));
  expect(JSON.stringify(server.calls[1]?.body.messages)).toContain('inside.txt');
  const missing = await house.run(['--cwd', 'nowhere', '-p', 'x', ...JSON_OUT]);
  expect(missing.code).toBe(1);
  expect(missing.envelope().error).toMatch(/^--cwd "nowhere" cannot be used: ENOENT/);
});

test('--prompt-file and --print together, or a file that is not there', async () => {
  await withReply(() => ({ text: 'x' }));
  expect((await house.run(['--prompt-file', 'a', '-p', 'b'])).code).toBe(2);
  const missing = await house.run(['--prompt-file', 'a.txt', ...JSON_OUT]);
  expect(missing.envelope().error).toMatch(/^--prompt-file "a.txt" cannot be read: ENOENT/);
  expect((await house.run(['--prompt-file', '-'], { stdin: 'piped' })).stdout).toBe('x');
});

test('--system-prompt-file replaces our introduction and keeps the surroundings', async () => {
  await withReply(() => ({ text: 'x' }));
  house.write('system.md', 'You are a pirate.');
  await house.run(['-p', 'x', '--system-prompt-file', 'system.md']);
  expect(systemText()).toMatch(/^You are a pirate\.\n/);
  expect(systemText()).toContain(house.folder);
  expect(systemText()).not.toContain('You are baton-agent');
});

test('--record makes a file that plays the run again with the real tools', async () => {
  await withReply((index) => (index === 0 ? looking : { text: 'There is one file.' }));
  house.write('only.txt', 'x');
  const recording = join(house.home, 'run.json');
  const recorded = await house.run(['-p', 'how many files?', '--record', recording, ...JSON_OUT]);
  expect(recorded.envelope().status).toBe('SUCCESS');
  const calls = server.calls.length;
  const elsewhere = join(house.folder, '..', 'again');
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, 'only.txt'), 'x');
  const played = await house.run(['-p', 'how many files?', '--model', `replay/${recording}`, ...STREAM], {
    cwd: elsewhere,
  });
  expect(played.stderr).toContain('recorded from openai/mock-1');
  expect(played.envelope()).toMatchObject({ status: 'SUCCESS', response: 'There is one file.' });
  expect(stepsOf(played).some(({ tool_name }) => tool_name === 'list_dir')).toBe(true);
  expect(server.calls).toHaveLength(calls);
  writeFileSync(join(elsewhere, 'second.txt'), 'x');
  const mismatch = await house.run(['-p', 'how many files?', '--model', `replay/${recording}`, ...JSON_OUT], {
    cwd: elsewhere,
  });
  expect(mismatch.code).toBe(3);
  expect(mismatch.envelope().error).toContain('is not the expected one');
});

test('--log-file gets the diagnostics too', async () => {
  await withReply(() => ({ text: '' }));
  await house.run(['-p', 'x', '--log-file', 'run.log']);
  expect(readFileSync(join(house.folder, 'run.log'), 'utf8')).toMatch(
    /^\S+Z error: the model ended its turn without/m,
  );
});

describe('--sandbox', () => {
  test('that cannot be had ends the run before anything is sent', async () => {
    await withReply(() => ({ text: 'x' }));
    const environment = { BATON_SANDBOX_NETWORK: 'perhaps' };
    const run = await house.run(['-p', 'x', '--sandbox', ...STREAM], { environment });
    expect(run.code).toBe(1);
    expect(run.events()).toHaveLength(1);
    expect(run.envelope().error).toMatch(/^sandbox unavailable: BATON_SANDBOX_NETWORK="perhaps"/);
    expect(server.calls).toHaveLength(0);
  });
});

describe('instructions', () => {
  test('of the user and the workspace, in that order, each once', async () => {
    await withReply(() => ({ text: 'x' }));
    house.write('AGENTS.md', 'workspace rule');
    symlinkSync('AGENTS.md', join(house.folder, 'CLAUDE.md'));
    house.write('.agents/rules/on.md', '---\ntrigger: always_on\n---\nrule that is on');
    house.write('.agents/rules/off.md', '---\ntrigger: manual\n---\nrule that is off');
    const config = join(house.home, '.config/baton');
    mkdirSync(config, { recursive: true });
    writeFileSync(join(config, 'AGENTS.md'), 'user rule');
    expect((await house.run(['-p', 'x'])).stderr).toBe('');
    const system = systemText();
    expect(system.indexOf('user rule')).toBeLessThan(system.indexOf('workspace rule'));
    expect(system.split('workspace rule')).toHaveLength(2);
    expect(system).toContain('rule that is on');
    expect(system).not.toContain('rule that is off');
  });

  test('too long ones are cut, with a notice', async () => {
    await withReply(() => ({ text: 'x' }));
    house.write('AGENTS.md', `${'ü'.repeat(20_000)}THE END`);
    const run = await house.run(['-p', 'x']);
    expect(run.stderr).toMatch(/notice: .*AGENTS\.md was cut to its first 24576 of 40007 bytes/);
    expect(systemText()).not.toContain('THE END');
    expect(systemText()).not.toContain('\uFFFD');
  });

  test('a link that leads out of the workspace is not followed', async () => {
    await withReply(() => ({ text: 'x' }));
    writeFileSync(join(house.home, 'secret'), 'the secret');
    symlinkSync(join(house.home, 'secret'), join(house.folder, 'AGENTS.md'));
    const run = await house.run(['-p', 'x']);
    expect(systemText()).not.toContain('the secret');
    expect(run.stderr).toContain('is a link that leads out of the workspace');
  });
});
