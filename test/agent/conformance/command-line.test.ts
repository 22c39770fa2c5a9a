import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FLAGS, type FlagSpec } from '../../../src/agent/print/flags.ts';
import { type AgentHouse, agentHouse } from '../../support/agent.ts';
import { type ModelServer, startModelServer } from '../../support/models/server.ts';

let server: ModelServer;
let house: AgentHouse;

beforeAll(async () => {
  server = await startModelServer(() => ({ text: 'hello' }));
  house = agentHouse(server);
});
afterAll(async () => {
  house.remove();
  await server.close();
});

const lastPrompt = (): unknown => {
  const messages = server.calls.at(-1)?.body.messages;
  return Array.isArray(messages) ? messages.at(-1)?.content : undefined;
};

describe('the grammar of flags', () => {
  test.each([
    [['-p', 'x1', '--output-format', 'json']],
    [['--print=x1', '-output-format=json']],
    [['-prompt', 'x1', '--output-format=json']],
    [['--print', 'x1', '-output-format', 'json']],
    [['-p=x1', '--output-format=json']],
  ])('%j means the same in every form (flag-forms, flag-aliases, prompt-once)', async (args) => {
    const run = await house.run(args);
    expect(run.code).toBe(0);
    expect(run.envelope().response).toBe('hello');
    expect(lastPrompt()).toBe('x1');
  });

  test('-phello takes hello as its prompt (flag-attached)', async () => {
    expect((await house.run(['-phello'])).stdout).toBe('hello');
    expect(lastPrompt()).toBe('hello');
  });

  test.each([
    [['--dangerously-skip-permissions'], 'always-proceed'],
    [['--dangerously-skip-permissions=true'], 'always-proceed'],
    [['--dangerously-skip-permissions=false'], 'request-review'],
    [['--dangerously-skip-permissions=T'], 'always-proceed'],
  ])('%j (flag-switch, permission-mode)', async (args, mode) => {
    const run = await house.run(['-p', 'x', '--output-format', 'stream-json', ...args]);
    const [init] = run.events();
    expect(init?.event === 'init' && init.init.permission_mode).toBe(mode);
  });

  test('a switch with a word that is no truth value (flag-bad-switch)', async () => {
    const run = await house.run(['--sandbox=bogus', '-p', 'x']);
    expect(run.code).toBe(2);
    expect(run.stdout).toBe('');
    expect(run.stderr).toContain(
      'invalid boolean value "bogus" for -sandbox: strconv.ParseBool: parsing "bogus": invalid syntax',
    );
    expect(run.stderr).toContain('Usage of baton-agent:');
  });

  test.each([
    [['--acp'], 2, 'flags provided but not defined: -acp'],
    [['-acp'], 2, 'flags provided but not defined: -acp'],
    [['models', '--output-format', 'json'], 1, 'flags provided but not defined: -output-format'],
  ])('%j is no flag here (flag-unknown)', async (args, code, text) => {
    const run = await house.run(args);
    expect(run.code).toBe(code);
    expect(run.stderr).toContain(text);
  });

  test('a flag at the end without its value (flag-no-value)', async () => {
    const run = await house.run(['-p']);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('flag needs an argument: -p');
    expect(run.stderr).toContain('Usage of baton-agent:');
  });

  test('the last value counts, folders add up (flag-repeated)', async () => {
    const first = house.write('one/a.txt', 'a');
    const second = house.write('two/b.txt', 'b');
    const folders = [first, second].map((file) => file.slice(0, -'/a.txt'.length));
    const dirs = folders.flatMap((folder) => ['--add-dir', folder]);
    await house.run([
      '-p',
      'first',
      '-p',
      'second',
      '--model',
      'bogus/bogus',
      '--model',
      'openai/mock-1',
      ...dirs,
    ]);
    expect(lastPrompt()).toBe('second');
    const system = JSON.stringify(server.calls.at(-1)?.body.messages);
    for (const folder of folders) expect(system).toContain(folder);
  });

  test('a stray argument (flag-stray)', async () => {
    const run = await house.run(['--output-format', 'json', 'hello']);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('unexpected argument "hello"');
  });

  test.each([
    [['-p', 'x', '--version'], /^\d+\.\d+\.\d+\n$/],
    [['--', '-version'], /^\d+\.\d+\.\d+\n$/],
    [['--bogus', '--help'], /^Usage of baton-agent:\n/],
    [['models', '-h'], /^Usage of baton-agent:\n/],
    [['help'], /^Usage of baton-agent:\n/],
  ])('%j (flag-anywhere)', async (args, text) => {
    const run = await house.run(args);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toMatch(text);
  });

  test('-v is how much to log (flag-verbosity)', async () => {
    expect(await house.run(['-v', '2', '-p', 'x'])).toMatchObject({ code: 0, stdout: 'hello' });
    expect((await house.run(['-v', 'x', '-p', 'x'])).code).toBe(2);
  });

  test('a prompt flag that swallowed a flag (flag-swallowed)', async () => {
    const run = await house.run([
      '--print',
      '--input-format',
      'stream-json',
      '--output-format',
      'stream-json',
    ]);
    expect(run.code).toBe(2);
    expect(run.stderr).toBe(
      'Error: --print took "--input-format" as its prompt, so the intended prompt was left as an argument and ignored.\n',
    );
    expect((await house.run(['-p', '--sandbox'])).code).toBe(2);
    // Attached, it can only be meant.
    expect((await house.run(['--print=--sandbox'])).stdout).toBe('hello');
  });
});

describe('help and version', () => {
  test('each flag has a line of its own (help-form)', async () => {
    const { stdout } = await house.run(['--help']);
    const lines = stdout.split('\n');
    const flags: readonly FlagSpec[] = FLAGS;
    for (const flag of flags.filter(({ hidden }) => !hidden)) {
      expect(lines.filter((line) => line.startsWith(`  --${flag.name} `))).toHaveLength(1);
      for (const alias of flag.aliases ?? []) {
        expect(
          lines.some((line) => line.startsWith(alias.length === 1 ? `  -${alias} ` : `  --${alias} `)),
        ).toBe(true);
      }
    }
    for (const name of ['print', 'model', 'json-schema', 'print-timeout', 'conversation', 'output-format']) {
      expect(stdout).toMatch(new RegExp(`^ {2}--${name} {3,}\\S`, 'm'));
    }
    expect(stdout.indexOf('Available subcommands:')).toBeGreaterThan(stdout.indexOf('--version'));
  });

  test('one line and nothing on the disk (version-form)', async () => {
    const fresh = agentHouse();
    const run = await fresh.run(['--version']);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(existsSync(fresh.stateDir)).toBe(false);
    fresh.remove();
  });
});

describe('the order of the checks', () => {
  test.each([
    [['--acp', '--input-format', 'bogus', '--model', 'bogus/x'], 'flags provided but not defined'],
    [['--print-timeout', 'bogus', '--model', 'bogus/x'], 'invalid duration'],
  ])('%j (order-parser)', async (args, text) => {
    const run = await house.run(args);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain(text);
  });

  test.each([
    [['--input-format', 'bogus', '--model', 'bogus/x'], 'unknown --input-format "bogus"'],
    [['--input-format', 'stream-json', '--effort', 'bogus'], 'requires --output-format stream-json'],
    [['--input-format', 'stream-json', '--output-format', 'json'], 'requires --output-format stream-json'],
    [['--output-format', 'xml', '-p', 'x'], 'unknown --output-format "xml"'],
  ])('%j (order-input-format)', async (args, text) => {
    const run = await house.run(args);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain(text);
  });

  test.each([
    [
      ['--effort', 'bogus'],
      '(--model "" --effort "bogus"): invalid --effort "bogus" (valid: low, medium, high)',
    ],
    [['--model', 'nothing-9'], 'invalid model selection (--model "nothing-9" --effort "")'],
    [['--json-schema', 'nothing.json'], 'invalid --json-schema "nothing.json"'],
    [['--json-schema', '{"type":"objekt"}'], 'invalid --json-schema'],
  ])('%j (order-validation, effort-unknown, schema-bad)', async (args, text) => {
    const before = server.calls.length;
    for (const format of ['json', 'stream-json']) {
      const run = await house.run(['-p', 'x', '--output-format', format, ...args]);
      expect(run.code).toBe(1);
      expect(run.stdout.trim().split('\n')).toHaveLength(1);
      expect(run.envelope()).toMatchObject({
        conversation_id: '',
        status: 'ERROR',
        response: '',
        num_turns: 0,
      });
      expect(run.envelope().error).toContain(text);
      expect(run.stderr).toContain(text);
    }
    expect(server.calls).toHaveLength(before);
  });

  test('a model that is not in the list of its provider (model-unknown)', async () => {
    const run = await house.run(['-p', 'hi', '--model', 'does-not-exist-model', '--output-format', 'json']);
    expect(run.code).toBe(1);
    expect(run.envelope().error).toContain('(--model "does-not-exist-model" --effort "")');
    expect(run.envelope().error).toContain('mock-1');
  });

  test('a mistyped mode (mode-unknown)', async () => {
    const run = await house.run(['-p', 'x', '--mode', 'bogus']);
    expect(run).toMatchObject({ code: 0, stdout: 'hello' });
    expect(run.stderr).toContain('warning: unrecognized --mode value "bogus" (valid: accept-edits, plan)');
  });

  test('a duration that is none (timeout-bad)', async () => {
    const run = await house.run(['-p', 'x', '--print-timeout', 'bogus']);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(
      'invalid value "bogus" for flag -print-timeout: time: invalid duration "bogus"',
    );
  });
});
