import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createBatonBackend } from '../../../src/backends/baton/baton.ts';
import { allCapabilities, readCapabilities } from '../../../src/backends/capabilities.ts';
import type { RunRequest } from '../../../src/backends/types.ts';
import { packageRoot } from '../../../src/platform/paths.ts';
import { runInvocation } from '../run-invocation.ts';
import { bareEnvironment, STAND_IN, shellScript, testFolder } from '../support.ts';

const job = createBatonBackend({ forRelay: false });
const relay = createBatonBackend({ forRelay: true });
const AGENT = join(packageRoot(), 'dist', 'baton-agent.js');

function request(more: Partial<RunRequest> = {}): RunRequest {
  return { prompt: 'hello', cwd: testFolder(), timeoutMs: 600_000, ...more };
}

test('the agent of this package is started by the Node that runs now, and really has all the flags', async () => {
  const resolved = await job.resolve(bareEnvironment(testFolder()));
  expect(resolved).toEqual({
    name: 'baton',
    program: process.execPath,
    leadingArgs: [AGENT],
    version: '0.0.0-test',
    capabilities: allCapabilities(true),
  });
  const help = execFileSync(process.execPath, [AGENT, '--help'], { encoding: 'utf8' });
  expect(readCapabilities(help)).toEqual(resolved.capabilities);
});

test('a job is one command line of the headless contract, its script before every flag', async () => {
  const environment = bareEnvironment(testFolder(), { BATON_MODEL: 'openai/gpt-5', CLAUDECODE: '1' });
  const invocation = job.invoke(request({ cwd: '/work' }), await job.resolve(environment), environment);
  expect(invocation).toMatchObject({
    backend: 'baton',
    program: process.execPath,
    args: [
      AGENT,
      '--dangerously-skip-permissions',
      '--print-timeout',
      '9m0s',
      '--input-format',
      'stream-json',
      '--output-format',
      'stream-json',
      '--disable-slash-commands',
      '--model',
      'openai/gpt-5',
      '--add-dir',
      '/work',
    ],
    stdin: '{"event":"user","message":{"role":"user","content":"hello"}}\n',
    environment: { CLAUDECODE: undefined, BROWSER: 'false', BATON_RIGHTS: 'full' },
    model: 'openai/gpt-5',
    notices: [],
  });
});

test.each([
  [undefined, undefined, undefined],
  [undefined, 'openai/x', 'openai/x'],
  ['anthropic/y', 'openai/x', 'anthropic/y'],
  ['y\tThe Y', undefined, 'y'],
  ['flash', 'openai/x', 'openai/x'],
  ['PRO', undefined, undefined],
  ['gemini-2.5-pro', 'openai/x', 'gemini-2.5-pro'],
])('asked for %j with BATON_MODEL=%j it is told %j', async (model, configured, want) => {
  for (const backend of [job, relay]) {
    const environment = bareEnvironment(
      testFolder(),
      configured === undefined ? {} : { BATON_MODEL: configured },
    );
    const resolved = await backend.resolve(environment);
    const invocation = backend.invoke(request(model === undefined ? {} : { model }), resolved, environment);
    expect(invocation.model).toBe(want);
  }
  expect(relay.pinnedModel).toBeUndefined();
});

test('the relay acts only where it was allowed to', async () => {
  const environment = bareEnvironment(testFolder());
  const resolved = await relay.resolve(environment);
  expect(relay.invoke(request(), resolved, environment).args).not.toContain('--dangerously-skip-permissions');
  expect(relay.invoke(request({ skipPermissions: true }), resolved, environment).args).toContain(
    '--dangerously-skip-permissions',
  );
});

test('another agent can be named: an executable, or a script for this Node', async () => {
  const folder = testFolder();
  const executable = shellScript(join(folder, 'my-agent'), `exec ${STAND_IN} "$@"`);
  const environment = bareEnvironment(folder, { BATON_AGENT_PATH: executable });
  const resolved = await job.resolve(environment);
  expect(resolved).toMatchObject({ program: executable, leadingArgs: [], version: '1.2.16' });
  const { response } = await runInvocation(
    job.invoke(request(), resolved, environment),
    environment,
    testFolder(),
  );
  expect(response).toBe('You said: hello');

  const script = join(folder, 'agent.cjs');
  writeFileSync(script, 'console.log("baton-agent 3.1.4\\n--model --output-format json")');
  chmodSync(script, 0o644);
  await expect(job.resolve({ ...environment, BATON_AGENT_PATH: script })).resolves.toMatchObject({
    program: process.execPath,
    leadingArgs: [script],
    version: '3.1.4',
    capabilities: { model: true, outputFormat: true, mode: false },
  });
});

test.each([
  ['/nonexistent/agent', 'config: BATON_AGENT_PATH "/nonexistent/agent": no such file or directory'],
  ['/nonexistent/agent.js', 'config: BATON_AGENT_PATH "/nonexistent/agent.js": no such file or directory'],
  ['/etc/passwd', 'config: BATON_AGENT_PATH "/etc/passwd": permission denied (this user may not execute it)'],
])('%s cannot be the agent', async (path, message) => {
  await expect(job.resolve(bareEnvironment(testFolder(), { BATON_AGENT_PATH: path }))).rejects.toThrow(
    message,
  );
});

test('an agent that does not tell its flags is refused', async () => {
  const folder = testFolder();
  const path = shellScript(join(folder, 'agent'), 'echo 1.0.0');
  await expect(job.resolve(bareEnvironment(folder, { BATON_AGENT_PATH: path }))).rejects.toThrow(
    `baton-agent at ${path} cannot be used: baton-agent --help named none of the flags of a headless agent`,
  );
});

test('models come from the agent, errors under its name', async () => {
  const environment = bareEnvironment(testFolder(), { BATON_AGENT_PATH: STAND_IN });
  await expect(job.listModels(environment)).resolves.toHaveLength(6);
  await expect(job.listModels({ ...environment, STANDIN_MODELS: '{}' })).rejects.toThrow(
    'baton-agent models: envelope status "", want "SUCCESS"',
  );
});

function storedConversation(state: string, id: string, cwd: string, minute: number, more: object = {}): void {
  const folder = join(state, 'conversations');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${id}.jsonl`);
  const header = { id: 1, parentId: 0, type: 'conversation', version: 1, conversationId: id, cwd, ...more };
  writeFileSync(file, `${JSON.stringify(header)}\n${'x'.repeat(50_000)}\n`);
  utimesSync(file, minute * 60, minute * 60);
}

test('sessions: the newest conversation of each folder, subagents and foreign files aside', async () => {
  const state = testFolder();
  const cwd = testFolder();
  const environment = bareEnvironment(testFolder(), { BATON_STATE_DIR: state });
  await expect(job.listSessions(environment)).resolves.toEqual([]);
  expect(job.hasConversation(environment, 'a')).toBe(false);
  storedConversation(state, 'a', cwd, 10);
  storedConversation(state, 'b', cwd, 20);
  storedConversation(state, 'c', cwd, 30, { parentConversationId: 'b' });
  storedConversation(state, 'd', '/else', 5);
  writeFileSync(join(state, 'conversations', 'broken.jsonl'), '{"type":"conv');
  writeFileSync(join(state, 'conversations', 'notes.txt'), '');
  const all = [
    { workspace: cwd, conversation_id: 'b' },
    { workspace: '/else', conversation_id: 'd' },
  ];
  all.sort((x, y) => (x.workspace < y.workspace ? -1 : 1));
  await expect(job.listSessions(environment)).resolves.toEqual(all);
  await expect(job.listSessions(environment, `${cwd}/`)).resolves.toEqual([
    { workspace: cwd, conversation_id: 'b' },
  ]);
  expect(job.latestConversation(environment, cwd)).toBe('b');
  const shown = await job.listConversations(environment, 2);
  expect(shown).toEqual([
    { conversation_id: 'b', workspace: cwd, lastActiveMs: 1_200_000 },
    { conversation_id: 'a', workspace: cwd, lastActiveMs: 600_000 },
  ]);
  await expect(job.listConversations(environment, 20)).resolves.toHaveLength(3);
  expect(job.latestConversation(environment, '/nowhere')).toBeUndefined();
  expect(job.hasConversation(environment, 'a')).toBe(true);
  for (const id of ['', 'x', '../conversations/a', '.hidden']) {
    expect(job.hasConversation(environment, id)).toBe(false);
  }
  const resolved = await job.resolve(environment);
  expect(job.invoke(request({ cwd, continueLatest: true }), resolved, environment).conversationId).toBe('b');
  const fresh = job.invoke(request({ continueLatest: true }), resolved, environment);
  expect(fresh.args).not.toContain('--conversation');
});

test('a run of the agent itself: it answers, keeps its conversation, and that one is found', async () => {
  const replay = join(testFolder(), 'replay.json');
  const turns = [{ replies: [{ text: 'one' }] }, { replies: [{ text: 'two' }] }];
  writeFileSync(
    replay,
    JSON.stringify({ format: 'baton-replay', version: 1, origin: { kind: 'scripted' }, turns }),
  );
  const environment = bareEnvironment(testFolder(), {
    BATON_STATE_DIR: testFolder(),
    BATON_MODEL: `replay/${replay}`,
  });
  const cwd = testFolder();
  const resolved = await job.resolve(environment);
  const run = (more: Partial<RunRequest>) =>
    runInvocation(job.invoke(request({ cwd, ...more }), resolved, environment), environment, testFolder());
  const first = await run({});
  expect(first).toMatchObject({ code: 0, response: 'one' });
  await expect(job.listSessions(environment)).resolves.toEqual([
    { workspace: cwd, conversation_id: first.conversationId },
  ]);
  expect(job.hasConversation(environment, first.conversationId)).toBe(true);
  const second = await run({ continueLatest: true });
  expect(second).toMatchObject({ code: 0, response: 'two', conversationId: first.conversationId });
  await expect(job.listConversations(environment, 20)).resolves.toMatchObject([
    { conversation_id: first.conversationId, workspace: cwd, firstPrompt: 'hello' },
  ]);
});

test('without anything that makes images it says so, and the ways out; a kept key counts', () => {
  const config = testFolder();
  const bare = bareEnvironment(testFolder(), { XDG_CONFIG_HOME: config });
  const problem = (more: Record<string, string> = {}): string | undefined =>
    job.imageProblem?.({ ...bare, ...more });
  expect(problem()).toContain('set GEMINI_API_KEY, OPENAI_API_KEY');
  expect(problem({ ANTHROPIC_API_KEY: 'k' })).toContain('BATON_IMAGE_MODEL');
  expect(problem({ GEMINI_API_KEY: 'k' })).toBeUndefined();
  expect(problem({ BATON_IMAGE_MODEL: 'openai/sd-local' })).toBeUndefined();
  expect(problem({ BATON_AGENT_PATH: '/some/agent' })).toBeUndefined();
  mkdirSync(join(config, 'baton'));
  const file = join(config, 'baton', 'keys.json');
  writeFileSync(file, JSON.stringify({ format: 1, keys: { GEMINI_API_KEY: 'k' } }), { mode: 0o600 });
  expect(problem()).toBeUndefined();
  chmodSync(file, 0o644);
  expect(problem()).toContain('no provider that makes images');
});
