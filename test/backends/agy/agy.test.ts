import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAgyBackend } from '../../../src/backends/agy/agy.ts';
import type { RunRequest } from '../../../src/backends/types.ts';
import { runInvocation } from '../run-invocation.ts';
import { bareEnvironment, STAND_IN, shellScript, testFolder } from '../support.ts';

const job = createAgyBackend({ forRelay: false });
const relay = createAgyBackend({ forRelay: true });

function standIn(variables: Record<string, string> = {}): Record<string, string> {
  const folder = testFolder();
  // A file of its own per test: what a probe found is remembered by file.
  const path = shellScript(join(folder, 'agy'), `exec ${STAND_IN} "$@"`);
  return bareEnvironment(folder, { AGY_MCP_AGY_PATH: path, ...variables });
}

function request(more: Partial<RunRequest> = {}): RunRequest {
  return { prompt: 'hello', cwd: testFolder(), timeoutMs: 600_000, ...more };
}

test('a build at the floor is accepted, one below it refused with both versions', async () => {
  await expect(job.resolve(standIn({ STANDIN_VERSION: '1.1.10' }))).resolves.toMatchObject({
    name: 'agy',
    version: '1.1.10',
    capabilities: { outputFormat: true, streamJsonInput: false },
  });
  const old = standIn({ STANDIN_VERSION: '1.1.9' });
  await expect(job.resolve(old)).rejects.toMatchObject({
    name: 'BackendError',
    kind: 'unusable',
    message: `agy 1.1.10 or newer is required (agy-mcp drives agy through --output-format stream-json); found 1.1.9 at ${old.AGY_MCP_AGY_PATH}`,
  });
});

test('an upgrade is noticed after a refusal and after a success', async () => {
  const folder = testFolder();
  const path = join(folder, 'agy');
  const build = (version: string) => shellScript(path, `STANDIN_VERSION=${version} exec ${STAND_IN} "$@"`);
  const environment = bareEnvironment(folder, { AGY_MCP_AGY_PATH: path });
  build('1.1.9');
  await expect(job.resolve(environment)).rejects.toThrow(/found 1\.1\.9 /);
  build('1.1.14');
  await expect(job.resolve(environment)).resolves.toMatchObject({
    version: '1.1.14',
    capabilities: { streamJsonInput: false },
  });
  build('1.1.15');
  await expect(job.resolve(environment)).resolves.toMatchObject({
    version: '1.1.15',
    capabilities: { streamJsonInput: true },
  });
});

test('the relay takes a build of any version and of none', async () => {
  await expect(relay.resolve(standIn({ STANDIN_VERSION: '1.0.9' }))).resolves.toMatchObject({
    version: '1.0.9',
    capabilities: { outputFormat: false, conversation: true },
  });
  await expect(relay.resolve(standIn({ STANDIN_VERSION_OUTPUT: 'dev build' }))).resolves.toMatchObject({
    version: '',
    capabilities: { streamJsonInput: true },
  });
});

test('when help tells nothing, jobs rely on what the floor has, the relay on nothing', async () => {
  const environment = standIn({ STANDIN_HELP: 'garbage' });
  const resolved = await job.resolve(environment);
  expect(resolved.capabilities).toMatchObject({ outputFormat: true, mode: true, streamJsonInput: false });
  expect(job.invoke(request(), resolved, environment).args).toContain('-p');
  const forRelay = await relay.resolve(environment);
  expect(forRelay.helpProblem).toBe('agy --help named none of the flags of a headless agent');
  expect(relay.invoke(request(), forRelay, environment).args).toEqual(['-p', 'hello']);
});

test('a build that hides --output-format cannot serve jobs', async () => {
  await expect(job.resolve(standIn({ STANDIN_WITHOUT: 'output-format' }))).rejects.toThrow(
    /^agy 1\.2\.16 at .* does not offer --output-format in its help, which is required/,
  );
});

test.each([
  ['1.1.11', /ignores --mode in print mode \(heeded since 1\.1\.12\)/],
  ['1.1.9', /ignores --mode in print mode/],
])('a plan on %s is refused: the flag is there and does nothing', async (version, refusal) => {
  const environment = standIn({ STANDIN_VERSION: version });
  const resolved = await relay.resolve(environment);
  expect(() => relay.invoke(request({ mode: 'plan' }), resolved, environment)).toThrow(refusal);
  expect(() => relay.invoke(request(), resolved, { ...environment, BATON_RIGHTS: 'plan' })).toThrow(refusal);
});

interface ModelRow {
  kind?: 'relay';
  model?: string;
  effort?: 'low' | 'medium' | 'high';
  standard?: string;
  want?: string;
}
test.each<ModelRow>([
  {},
  { model: 'claude-sonnet-4-6', want: 'claude-sonnet-4-6' },
  { model: ' gemini-3.8-flash-high\tGemini 3.8 Flash (High)', want: 'gemini-3.8-flash-high' },
  { model: 'Gemini 3.8 Flash (High)', want: 'Gemini 3.8 Flash (High)' },
  { model: '\tlabel', want: 'label' },
  { model: ' \t ', want: ' \t ' },
  { standard: 'm\tM', want: 'm' },
  { standard: 'm', model: 'n', want: 'n' },
  { model: 'flash', want: 'flash' },
  { kind: 'relay' },
  { kind: 'relay', standard: 'm', want: 'm' },
  { kind: 'relay', model: 'flash', want: 'gemini-3.8-flash-high' },
  { kind: 'relay', model: ' Gemini-2.5-Flash ', want: 'gemini-3.8-flash-high' },
  { kind: 'relay', model: 'PRO', want: 'gemini-3.1-pro-high' },
  { kind: 'relay', model: 'gemini-2.5-pro', want: 'gemini-3.1-pro-high' },
  { kind: 'relay', model: 'flash', effort: 'low', want: 'gemini-3.8-flash-low' },
  { kind: 'relay', model: relay.pinnedModel!, effort: 'medium', want: 'gemini-3.8-flash-medium' },
  { kind: 'relay', model: relay.pinnedModel!, effort: 'high', want: 'gemini-3.8-flash-high' },
  { kind: 'relay', model: 'gemini-3.1-pro-low', want: 'gemini-3.1-pro-low' },
  { kind: 'relay', model: 'anything', effort: 'low', want: 'anything' },
])('the model of %j', async ({ kind, model, effort, standard, want }) => {
  const backend = kind === 'relay' ? relay : job;
  const environment = standIn(standard === undefined ? {} : { AGY_MCP_DEFAULT_MODEL: standard });
  const invocation = backend.invoke(
    request({ ...(model !== undefined && { model }), ...(effort && { effort }) }),
    {
      name: 'agy',
      program: STAND_IN,
      leadingArgs: [],
      version: '1.2.16',
      capabilities: (await backend.resolve(environment)).capabilities,
    },
    environment,
  );
  expect(invocation.model).toBe(want);
  const at = invocation.args.indexOf('--model');
  expect(at === -1 ? undefined : invocation.args[at + 1]).toBe(want);
});

test.each([
  ['90s', '90s', 0],
  ['10m', '540s', 1],
  ['9m59s', '9m59s', 0],
])('AGY_PRINT_TIMEOUT=%s in a relay run of ten minutes sends %s', async (value, sent, notices) => {
  const environment = standIn({ AGY_PRINT_TIMEOUT: value });
  const invocation = relay.invoke(request(), await relay.resolve(environment), environment);
  expect(invocation.args[invocation.args.indexOf('--print-timeout') + 1]).toBe(sent);
  expect(invocation.notices).toHaveLength(notices);
  const ofJob = job.invoke(request(), await job.resolve(environment), environment);
  expect(ofJob.args[ofJob.args.indexOf('--print-timeout') + 1]).toBe('9m0s');
});

test.each(['ten', '10', '0s', '-5s'])('AGY_PRINT_TIMEOUT=%s is refused with the value', async (value) => {
  const environment = standIn({ AGY_PRINT_TIMEOUT: value });
  const resolved = await relay.resolve(environment);
  expect(() => relay.invoke(request(), resolved, environment)).toThrow(
    `AGY_PRINT_TIMEOUT="${value}" is not `,
  );
});

test('a sandbox is sent, with what it is worth', async () => {
  const environment = standIn();
  const { args, notices } = relay.invoke(
    request({ sandbox: true }),
    await relay.resolve(environment),
    environment,
  );
  expect(args).toContain('--sandbox');
  expect(notices).toEqual([expect.stringContaining('not guaranteed to be isolated')]);
});

test('the environment of a run: no updates, no marks of an outer agent, no browser, none of our secrets', async () => {
  const environment = standIn({
    CLAUDECODE: '1',
    CLAUDE_CODE_ENTRYPOINT: 'cli',
    ANTIGRAVITY_AGENT: '1',
    AGY_MCP_HTTP_TOKEN: 's',
    BATON_HTTP_TOKEN: 's',
    BATON_TOKEN: 's',
    BATON_TOKEN_FILE: '/f',
    BROWSER: 'firefox',
    GEMINI_API_KEY: 'kept',
    BATON_STATE_DIR: '/kept',
  });
  const names = [...Object.keys(environment), 'AGY_CLI_DISABLE_AUTO_UPDATE', 'BATON_RIGHTS'].sort();
  const prompt = `DO ${JSON.stringify({ env: names })}`;
  const resolved = await job.resolve(environment);
  const invocation = job.invoke(request({ prompt }), resolved, environment);
  const { response } = await runInvocation(invocation, environment, testFolder());
  expect(JSON.parse(response)).toEqual({
    ...environment,
    ...Object.fromEntries(
      [
        'CLAUDECODE',
        'CLAUDE_CODE_ENTRYPOINT',
        'ANTIGRAVITY_AGENT',
        'AGY_MCP_HTTP_TOKEN',
        'BATON_HTTP_TOKEN',
        'BATON_TOKEN',
        'BATON_TOKEN_FILE',
      ].map((name) => [name, null]),
    ),
    BROWSER: 'false',
    AGY_CLI_DISABLE_AUTO_UPDATE: 'true',
    BATON_RIGHTS: 'full',
  });
});

test.each([
  ['1.2.16', job],
  ['1.1.12', job],
  ['1.2.16', relay],
  ['1.1.12', relay],
  ['1.0.9', relay],
])('an awkward prompt reaches agy %s unchanged', async (version, backend) => {
  const log = join(testFolder(), 'log');
  const environment = standIn({ STANDIN_VERSION: version, STANDIN_LOG: log });
  const prompt = '/etc "a" \'b\' $(id) `id` %PATH% -p --model x\n\té 日本 😀 \\';
  const invocation = backend.invoke(request({ prompt }), await backend.resolve(environment), environment);
  const { code, response } = await runInvocation(invocation, environment, testFolder());
  expect(code).toBe(0);
  expect(response.endsWith(prompt)).toBe(true);
});

test('a prompt of 300 KB reaches agy unchanged on stdin', async () => {
  const environment = standIn();
  const prompt = `é${'x'.repeat(300_000)}😀`;
  const invocation = job.invoke(request({ prompt }), await job.resolve(environment), environment);
  const { response } = await runInvocation(invocation, environment, testFolder());
  expect(response).toBe(`You said: ${prompt}`);
});

test('a big schema reaches agy through a private file', async () => {
  const environment = standIn();
  const jsonSchema = JSON.stringify({ type: 'object', description: 'x'.repeat(200_000) });
  const invocation = job.invoke(request({ jsonSchema }), await job.resolve(environment), environment);
  const { stdout, code } = await runInvocation(invocation, environment, testFolder());
  expect(code).toBe(0);
  expect(stdout).toContain('x'.repeat(200_000));
});

test('a plan is one for agy: no warning, nothing written, the slash literal', async () => {
  const environment = standIn();
  const cwd = testFolder();
  const prompt = `/review\nDO ${JSON.stringify([{ write: { file: 'made.txt' } }, { about: 1 }])}`;
  const invocation = job.invoke(
    request({ cwd, prompt, mode: 'plan' }),
    await job.resolve(environment),
    environment,
  );
  const { stdout, stderr } = await runInvocation(invocation, environment, testFolder());
  expect(stdout).toContain('"expanded_commands":[{"name":"plan"');
  expect(stderr).not.toContain('no effect');
  expect(existsSync(join(cwd, 'made.txt'))).toBe(false);
});

test('conversations: the id of a run is found, listed, continued and known by its folder', async () => {
  const environment = standIn();
  const cwd = testFolder();
  const resolved = await job.resolve(environment);
  expect(job.hasConversation(environment, 'x')).toBeUndefined();
  expect(job.latestConversation(environment, cwd)).toBeUndefined();
  await expect(job.listSessions(environment)).resolves.toEqual([]);
  const fresh = job.invoke(request({ cwd, prompt: 'first', continueLatest: true }), resolved, environment);
  expect(fresh.conversationId).toBeUndefined();
  const { conversationId } = await runInvocation(fresh, environment, testFolder());
  expect(job.hasConversation(environment, conversationId)).toBe(true);
  expect(job.hasConversation(environment, 'x')).toBe(false);
  await expect(job.listSessions(environment)).resolves.toEqual([
    { workspace: cwd, conversation_id: conversationId },
  ]);

  const prompt = `DO ${JSON.stringify({ about: 1 })}`;
  const again = job.invoke(request({ cwd, prompt, continueLatest: true }), resolved, environment);
  expect(again.conversationId).toBe(conversationId);
  const { response } = await runInvocation(again, environment, testFolder());
  expect(JSON.parse(response)).toMatchObject({ conversation_id: conversationId, earlier_prompts: ['first'] });
});

test('help is the text of the CLI itself; a failure says what happened', async () => {
  await expect(relay.helpText(standIn())).resolves.toMatch(/^Usage of agy:\n/);
  await expect(relay.helpText(standIn({ STANDIN_HELP: 'empty' }))).rejects.toThrow(
    'agy --help printed nothing',
  );
});

test('nothing but the asked program is started', async () => {
  const log = join(testFolder(), 'log');
  await job.resolve(standIn({ STANDIN_LOG: log }));
  const starts = readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).argv.join(' '));
  expect(new Set(starts)).toEqual(new Set(['--help', '--version']));
  expect(starts).toHaveLength(2);
});
