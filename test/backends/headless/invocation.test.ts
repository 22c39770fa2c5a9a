import { expect, test } from 'vitest';
import { allCapabilities, noCapabilities } from '../../../src/backends/capabilities.ts';
import { buildInvocation, type HeadlessProgram } from '../../../src/backends/headless/invocation.ts';
import type { Capabilities, ResolvedBackend, RunRequest } from '../../../src/backends/types.ts';

const MINUTES = 60_000;
const NEW = allCapabilities(true);
const OLD: Capabilities = { ...NEW, streamJsonInput: false };
const BARE = noCapabilities();

interface Given extends Partial<RunRequest> {
  capabilities?: Capabilities;
  helpProblem?: string;
  environment?: Record<string, string>;
  program?: Partial<HeadlessProgram>;
}

function build(given: Given) {
  const { capabilities = NEW, helpProblem, environment = {}, program, ...request } = given;
  const resolved: ResolvedBackend = {
    name: 'agy',
    program: '/bin/agy',
    leadingArgs: [],
    version: '1.2.16',
    capabilities,
    ...(helpProblem !== undefined && { helpProblem }),
  };
  return buildInvocation(
    { prompt: 'hello', cwd: '/work', timeoutMs: 30 * MINUTES, ...request },
    resolved,
    environment,
    { label: 'agy', upgrade: 'upgrade agy', forRelay: false, environment: {}, ...program },
  );
}

const relay = { forRelay: true };
const line = (content: string): string =>
  `${JSON.stringify({ event: 'user', message: { role: 'user', content } })}\n`;

// Everything that a job can ask for at once, in the order in which it is sent.
const EVERYTHING: Given = {
  effort: 'high',
  mode: 'accept-edits',
  agent: 'reviewer',
  sandbox: true,
  maxTurns: 5,
  maxTokens: 9000,
  maxCost: 0.25,
  dirs: ['/data', '/work', '/more stuff', '/data'],
  jsonSchema: '{"type":"object"}',
  program: { model: 'gemini-3.8-flash-high', conversationId: 'c-1' },
};

test.each<[name: string, given: Given, args: string[]]>([
  [
    'a plain job',
    {},
    [
      '--dangerously-skip-permissions --print-timeout 29m0s --input-format stream-json --output-format stream-json',
      '--disable-slash-commands --add-dir /work',
    ],
  ],
  [
    'a job on a build without prompts on stdin',
    { capabilities: OLD },
    [
      '--dangerously-skip-permissions --print-timeout 29m0s --output-format stream-json',
      '--disable-slash-commands --add-dir /work -p hello',
    ],
  ],
  [
    'a plain relay run',
    { program: relay, timeoutMs: 45 * MINUTES },
    [
      '--print-timeout 2640s --input-format stream-json --output-format stream-json',
      '--disable-slash-commands --add-dir /work',
    ],
  ],
  [
    'a relay run on a build without prompts on stdin',
    { program: relay, capabilities: OLD, timeoutMs: 30_000 },
    ['--print-timeout 15s --output-format json --disable-slash-commands --add-dir /work -p hello'],
  ],
  ['a relay run on a build of which nothing is known', { program: relay, capabilities: BARE }, ['-p hello']],
  [
    'a relay run that may act',
    { program: relay, skipPermissions: true, timeoutMs: 2 * MINUTES },
    [
      '--dangerously-skip-permissions --print-timeout 60s --input-format stream-json --output-format stream-json',
      '--disable-slash-commands --add-dir /work',
    ],
  ],
  [
    'a job that may not act without asking',
    { skipPermissions: false },
    [
      '--print-timeout 29m0s --input-format stream-json --output-format stream-json',
      '--disable-slash-commands --add-dir /work',
    ],
  ],
  [
    'a plan: neither of the two flags that would undo it',
    { mode: 'plan', skipPermissions: true },
    [
      '--print-timeout 29m0s --input-format stream-json --output-format stream-json --mode plan --add-dir /work',
    ],
  ],
  [
    'a command for the CLI itself: on the command line, since stdin does not take it',
    { program: relay, prompt: '/usage', allowSlashCommands: true },
    ['--print-timeout 1740s --output-format json --add-dir /work -p /usage'],
  ],
  [
    'commands allowed, but no command',
    { program: relay, allowSlashCommands: true },
    ['--print-timeout 1740s --input-format stream-json --output-format stream-json --add-dir /work'],
  ],
  [
    'a limit of the operator',
    { program: { ...relay, printTimeout: '90s' } },
    [
      '--print-timeout 90s --input-format stream-json --output-format stream-json',
      '--disable-slash-commands --add-dir /work',
    ],
  ],
])('%s', (_, given, args) => {
  expect(build(given).args).toEqual(args.join(' ').split(' '));
});

test('everything at once, each part in its place and a value with blanks as one argument', () => {
  expect(build(EVERYTHING)).toEqual({
    backend: 'agy',
    program: '/bin/agy',
    args: [
      '--dangerously-skip-permissions',
      '--print-timeout',
      '29m0s',
      '--input-format',
      'stream-json',
      '--output-format',
      'stream-json',
      '--disable-slash-commands',
      '--model',
      'gemini-3.8-flash-high',
      '--effort',
      'high',
      '--mode',
      'accept-edits',
      '--agent',
      'reviewer',
      '--sandbox',
      '--max-turns',
      '5',
      '--max-tokens',
      '9000',
      '--max-cost',
      '0.25',
      '--add-dir',
      '/work',
      '--add-dir',
      '/data',
      '--add-dir',
      '/more stuff',
      '--conversation',
      'c-1',
      '--json-schema',
      '{"type":"object"}',
    ],
    cwd: '/work',
    stdin: line('hello'),
    environment: { BATON_RIGHTS: 'full' },
    outputFormat: 'stream-json',
    model: 'gemini-3.8-flash-high',
    conversationId: 'c-1',
    expectsStructuredOutput: true,
    notices: [],
  });
});

test.each([
  'quotes " and \' and \\',
  '$(rm -rf ~) `id` %PATH% !x',
  '/etc/hosts is broken, why?',
  '-p --model x',
  '  leading and trailing  \n\n',
  'line\r\nline\u2028line\u0000nul',
  'é 日本 😀',
])('the prompt %j reaches stdin unchanged, as one line', (prompt) => {
  const { stdin, args } = build({ prompt });
  expect(stdin).toBe(line(prompt));
  expect(stdin.indexOf('\n')).toBe(stdin.length - 1);
  expect(args.join(' ')).not.toContain(prompt);
});

test('the input is sent in place of the prompt', () => {
  expect(build({ prompt: 'see @a.ts', input: 'see a.ts: …' }).stdin).toBe(line('see a.ts: …'));
});

test('where no flag keeps a leading slash literal, a first line of ours does', () => {
  const guarded = (given: Given): string => {
    const { stdin, args } = build({ prompt: '/etc/hosts is broken', ...given });
    return stdin || args.at(-1) || '';
  };
  const literal = /no command\.(\n|\\n)\/etc\/hosts is broken/;
  expect(guarded({ mode: 'plan' })).toMatch(literal);
  expect(guarded({ capabilities: { ...NEW, disableSlashCommands: false } })).toMatch(literal);
  expect(guarded({ program: relay, capabilities: BARE })).toMatch(literal);
  expect(guarded({ prompt: ' \n/plan x', mode: 'plan' })).toMatch(/no command\.\\n \\n\/plan x/);
  expect(guarded({})).toBe(line('/etc/hosts is broken'));
  expect(guarded({ prompt: 'look into /etc/hosts', mode: 'plan' })).toBe(line('look into /etc/hosts'));
});

test('a prompt of 131071 bytes is the longest that a command line takes', () => {
  const prompt = 'x'.repeat(131_071);
  expect(build({ prompt, capabilities: OLD }).args.at(-1)).toBe(prompt);
});

test.each([
  [
    '131072 bytes',
    'x'.repeat(131_072),
    /^the prompt is 131072 bytes, .*1\.2\.16 at \/bin\/agy .*; upgrade agy, or shorten/,
  ],
  ['many bytes, not characters', 'é'.repeat(70_000), /^the prompt is 140000 bytes/],
  ['a NUL character', 'a\0b', /^the prompt holds a NUL character \(at 1\).*; upgrade agy, or remove it/],
])('a prompt of %s is refused for a command line, and taken on stdin', (_, prompt, refusal) => {
  expect(() => build({ prompt, capabilities: OLD })).toThrow(refusal);
  expect(build({ prompt }).stdin).toBe(line(prompt));
});

test.each<[Given, RegExp]>([
  [
    { effort: 'low', capabilities: { ...NEW, effort: false } },
    /does not offer --effort; "low" was not applied\.$/,
  ],
  [{ agent: 'x', capabilities: { ...NEW, agent: false } }, /does not offer --agent; "x" was not applied/],
  [
    { program: { model: 'm' }, capabilities: { ...NEW, model: false } },
    /does not offer --model; "m" was not applied/,
  ],
  [
    { mode: 'accept-edits', capabilities: { ...NEW, mode: false } },
    /does not offer --mode; "accept-edits" was not/,
  ],
  [
    { dirs: ['/a'], capabilities: { ...NEW, addDir: false } },
    /does not offer --add-dir; "\/a" was not applied/,
  ],
  [
    { capabilities: { ...NEW, dangerouslySkipPermissions: false } },
    /does not offer --dangerously-skip-permissions; the permission to act without asking was not applied/,
  ],
  [
    { program: { ...relay, model: 'm' }, capabilities: BARE, helpProblem: 'agy --help printed nothing' },
    /did not tell its flags \(agy --help printed nothing\), so --model cannot be sent; "m" was not applied/,
  ],
])('a lost flag is a notice: %j', (given, notice) => {
  const { notices, model } = build(given);
  expect(notices).toEqual([expect.stringMatching(notice)]);
  expect(notices[0]).toContain('agy 1.2.16 at /bin/agy');
  expect(model).toBeUndefined();
});

test.each<[Given, RegExp]>([
  [
    { mode: 'plan', capabilities: { ...NEW, mode: false } },
    /^a plan run could not be kept read-only: agy 1\.2\.16 at \/bin\/agy does not offer --mode\. Nothing was started; upgrade agy$/,
  ],
  [
    { mode: 'plan', program: { planProblem: 'agy is too old' } },
    /^a plan run could not be kept read-only: agy is too old/,
  ],
  [
    { sandbox: true, capabilities: { ...NEW, sandbox: false } },
    /^the sandbox asked for cannot be had: .* --sandbox/,
  ],
  [{ maxTurns: 3, capabilities: { ...NEW, maxTurns: false } }, /^the cap --max-turns cannot be kept: /],
  [{ maxTokens: 3, capabilities: { ...NEW, maxTokens: false } }, /^the cap --max-tokens cannot be kept: /],
  [{ maxCost: 0.5, capabilities: { ...NEW, maxCost: false } }, /^the cap --max-cost cannot be kept: /],
  [
    { jsonSchema: '{}', capabilities: { ...NEW, jsonSchema: false } },
    /^the answer cannot be held to the schema: /,
  ],
  [{ jsonSchema: '{}', program: relay, capabilities: { ...NEW, outputFormat: false } }, /held to the schema/],
  [
    { program: { conversationId: 'c' }, capabilities: { ...NEW, conversation: false } },
    /^the conversation cannot be continued: /,
  ],
  [
    { mode: 'plan', program: relay, capabilities: BARE, helpProblem: 'it hangs' },
    /read-only: .* did not tell its flags \(it hangs\), so --mode cannot be sent\./,
  ],
  [
    { conversationId: 'c', continueLatest: true },
    /^conversation_id and continue_latest are mutually exclusive: pass one or the other$/,
  ],
])('what safety or meaning hangs on is refused: %j', (given, refusal) => {
  expect(() => build(given)).toThrow(refusal);
});

test('a schema too big for a command line goes into a file', () => {
  const schema = JSON.stringify({ type: 'object', description: 'é'.repeat(40_000) });
  const { args, files } = build({ jsonSchema: schema });
  expect(files).toEqual([
    { name: 'schema.json', content: schema, argument: args.indexOf('--json-schema') + 1 },
  ]);
  expect(args.join(' ')).not.toContain('éé');
  expect(build({ jsonSchema: 'x'.repeat(60 * 1024) }).files).toBeUndefined();
});

type RightsRow = [
  ceiling: string | undefined,
  given: Given,
  flags: string[],
  rights: string,
  notices: number,
];
test.each<RightsRow>([
  [undefined, {}, ['--dangerously-skip-permissions'], 'full', 0],
  ['full', { mode: 'accept-edits' }, ['--dangerously-skip-permissions', '--mode', 'accept-edits'], 'full', 0],
  ['full', { mode: 'plan' }, ['--mode', 'plan'], 'plan', 0],
  [' FULL ', {}, ['--dangerously-skip-permissions'], 'full', 0],
  ['workspace', {}, ['--mode', 'accept-edits'], 'workspace', 0],
  ['workspace', { skipPermissions: true }, ['--mode', 'accept-edits'], 'workspace', 1],
  ['workspace', { skipPermissions: false }, [], 'workspace', 0],
  ['workspace', { mode: 'accept-edits' }, ['--mode', 'accept-edits'], 'workspace', 0],
  ['workspace', { mode: 'plan' }, ['--mode', 'plan'], 'plan', 0],
  ['workspace', { program: relay }, [], 'workspace', 0],
  ['workspace', { program: relay, skipPermissions: true }, ['--mode', 'accept-edits'], 'workspace', 1],
  ['plan', {}, ['--mode', 'plan'], 'plan', 0],
  ['plan', { skipPermissions: true }, ['--mode', 'plan'], 'plan', 1],
  ['plan', { mode: 'accept-edits' }, ['--mode', 'plan'], 'plan', 1],
  ['plan', { program: relay }, ['--mode', 'plan'], 'plan', 0],
])('with BATON_RIGHTS=%s %j sends %j and hands on %s', (ceiling, given, flags, rights, count) => {
  const environment: Record<string, string> = {};
  if (ceiling !== undefined) environment.BATON_RIGHTS = ceiling;
  const { args, environment: changes, notices } = build({ ...given, environment });
  const sent = args.filter((arg, at) =>
    ['--dangerously-skip-permissions', '--mode'].some(
      (flag) => arg === flag || (flag === '--mode' && args[at - 1] === flag),
    ),
  );
  expect(sent).toEqual(flags);
  expect(args.includes('--disable-slash-commands')).toBe(rights !== 'plan');
  expect(changes.BATON_RIGHTS).toBe(rights);
  expect(notices).toHaveLength(count);
});

test('a ceiling that is none is refused, not taken for the widest', () => {
  expect(() => build({ environment: { BATON_RIGHTS: 'all' } })).toThrow(
    'BATON_RIGHTS="all" is not one of plan, workspace, full; nothing was started',
  );
});

test('a ceiling of plan binds builds that cannot plan as well', () => {
  expect(() =>
    build({ environment: { BATON_RIGHTS: 'plan' }, capabilities: { ...NEW, mode: false } }),
  ).toThrow(/could not be kept read-only/);
});
