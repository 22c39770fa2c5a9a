import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import {
  createGeminiBackend,
  geminiQuotaRetry,
  geminiRetryFailed,
} from '../../../src/backends/gemini/gemini.ts';
import type { RunRequest } from '../../../src/backends/types.ts';
import { runInvocation } from '../run-invocation.ts';
import { bareEnvironment, shellScript, testFolder } from '../support.ts';

const STAND_IN = fileURLToPath(new URL('../../programs/gemini-stand-in.mjs', import.meta.url));
const gemini = createGeminiBackend();

function standIn(variables: Record<string, string> = {}): Record<string, string> {
  return bareEnvironment(testFolder(), { GEMINI_CLI_PATH: STAND_IN, ...variables });
}

async function invoke(request: Partial<RunRequest>, environment = standIn()) {
  const resolved = await gemini.resolve(environment);
  return gemini.invoke(
    { prompt: 'hello', cwd: testFolder(), timeoutMs: 60_000, ...request },
    resolved,
    environment,
  );
}

test('is found by its variable, or on PATH', async () => {
  const folder = testFolder();
  const onPath = shellScript(join(folder, 'gemini'), `exec ${STAND_IN} "$@"`);
  const environment = bareEnvironment(folder);
  await expect(
    gemini.resolve({ ...environment, PATH: `${folder}:${environment.PATH}` }),
  ).resolves.toMatchObject({
    program: onPath,
    version: '0.9.0',
  });
  await expect(gemini.resolve(standIn())).resolves.toMatchObject({ name: 'gemini', program: STAND_IN });
});

test('a missing one says where it was looked for and what to use instead', async () => {
  const environment = { PATH: '/nonexistent', HOME: testFolder() };
  await expect(gemini.resolve(environment)).rejects.toMatchObject({
    kind: 'not_found',
    message: expect.stringMatching(
      /^Could not find the "gemini" executable\.\n.*\/nonexistent[^]*GEMINI_CLI_PATH[^]*GEMINI_MCP_BACKEND=agy[^]*BATON_BACKEND=baton/,
    ),
  });
  await expect(gemini.resolve({ ...environment, GEMINI_CLI_PATH: '/typo' })).rejects.toThrow(
    'config: GEMINI_CLI_PATH "/typo": no such file or directory',
  );
});

test.each<[string, Partial<RunRequest>, string[], string]>([
  ['a plain prompt as an argument', {}, ['-p', 'hello'], ''],
  ['model and sandbox', { model: 'm', sandbox: true }, ['-m', 'm', '-s', '-p', 'hello'], ''],
  ['the short name flash', { model: 'Flash' }, ['-m', 'gemini-2.5-flash', '-p', 'hello'], ''],
  ['the short name pro', { model: 'pro' }, ['-m', 'gemini-2.5-pro', '-p', 'hello'], ''],
  ['a reference on stdin, where this CLI reads it', { prompt: 'read @a.ts' }, [], 'read @a.ts'],
  ['a long prompt on stdin', { prompt: 'x'.repeat(140_000) }, [], 'x'.repeat(140_000)],
  ['the input in place of the prompt', { prompt: 'a', input: 'b' }, ['-p', 'b'], ''],
])('sends %s', async (_, request, args, stdin) => {
  await expect(invoke(request)).resolves.toMatchObject({
    backend: 'gemini',
    args,
    stdin,
    outputFormat: 'text',
    expectsStructuredOutput: false,
    notices: [],
  });
});

test.each<Partial<RunRequest>>([{ prompt: '-s $(id) "x"' }, { prompt: 'see @a.ts\n' }])(
  'the prompt %j arrives unchanged',
  async (request) => {
    const { response } = await runInvocation(await invoke(request), standIn(), testFolder());
    expect(response).toBe(`gemini-2.5-pro said: ${request.prompt}`.trimEnd());
  },
);

test('what it cannot be told is a notice each', async () => {
  const { notices } = await invoke({
    effort: 'high',
    mode: 'accept-edits',
    dirs: ['/a'],
    agent: 'x',
    skipPermissions: true,
    allowSlashCommands: true,
  });
  expect(notices).toHaveLength(6);
  expect(notices[0]).toBe('the gemini backend cannot be told effort "high"; it was not applied.');
});

test.each<[Partial<RunRequest>, RegExp]>([
  [
    { mode: 'plan' },
    /^a plan run could not be kept read-only: .*Nothing was started; use GEMINI_MCP_BACKEND=agy/,
  ],
  [{ jsonSchema: '{}' }, /^the answer cannot be held to the schema/],
  [{ conversationId: 'c' }, /^the conversation cannot be continued/],
])('%j is refused', async (request, refusal) => {
  await expect(invoke(request)).rejects.toThrow(refusal);
});

test('a ceiling of plan refuses every run', async () => {
  await expect(invoke({}, standIn({ BATON_RIGHTS: 'plan' }))).rejects.toThrow(/could not be kept read-only/);
});

test('an exhausted Pro quota is tried once more with Flash, anything else is not', async () => {
  const environment = standIn({ STANDIN_GEMINI: 'pro-quota' });
  const first = await invoke({}, environment);
  const { code, stderr } = await runInvocation(first, environment, testFolder());
  expect(code).toBe(1);
  const retry = geminiQuotaRetry(stderr, first.model);
  expect(retry).toBe('gemini-2.5-flash');
  const second = await runInvocation(await invoke({ model: retry! }, environment), environment, testFolder());
  expect(second.response).toBe('gemini-2.5-flash said: hello');

  expect(geminiQuotaRetry(stderr, 'gemini-2.5-flash')).toBeUndefined();
  expect(geminiQuotaRetry('Quota exceeded for something else', undefined)).toBeUndefined();
  expect(geminiRetryFailed('no')).toBe(
    'gemini-2.5-pro quota exceeded, gemini-2.5-flash fallback also failed: no',
  );
});

test('its models are fixed, it keeps no conversations, its help is its own', async () => {
  await expect(gemini.listModels({})).resolves.toEqual([
    { id: 'gemini-2.5-pro', label: 'Gemini 2.5 Pro' },
    { id: 'gemini-2.5-flash', label: 'Gemini 2.5 Flash' },
  ]);
  await expect(gemini.listSessions({})).resolves.toEqual([]);
  expect(gemini.hasConversation({}, 'x')).toBeUndefined();
  expect(gemini.latestConversation({}, '/')).toBeUndefined();
  await expect(gemini.helpText(standIn())).resolves.toMatch(/^Usage: gemini/);
});
