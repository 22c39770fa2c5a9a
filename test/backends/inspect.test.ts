import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAgyBackend } from '../../src/backends/agy/agy.ts';
import { createBatonBackend } from '../../src/backends/baton/baton.ts';
import { createGeminiBackend } from '../../src/backends/gemini/gemini.ts';
import { bareEnvironment, STAND_IN, shellScript, testFolder } from './support.ts';

const agy = createAgyBackend({ forRelay: true });

function standIn(variables: Record<string, string> = {}): Record<string, string> {
  const folder = testFolder();
  const path = shellScript(join(folder, 'agy'), `exec ${STAND_IN} "$@"`);
  return bareEnvironment(folder, { AGY_CLI_PATH: path, ...variables });
}

test('a working agy is described', async () => {
  const environment = standIn();
  await expect(agy.inspect(environment)).resolves.toMatchObject({
    path: environment.AGY_CLI_PATH,
    version: '1.2.16',
    capabilities: { mode: true },
  });
});

test('an agy that is old, speechless or missing is described as well, never thrown', async () => {
  await expect(agy.inspect(standIn({ STANDIN_VERSION: '1.0.3' }))).resolves.toMatchObject({
    version: '1.0.3',
  });
  await expect(agy.inspect(standIn({ STANDIN_VERSION_OUTPUT: 'x', STANDIN_HELP: 'empty' }))).resolves.toEqual(
    {
      path: expect.any(String),
      problem: expect.stringMatching(/^parse agy version from "x"/),
      helpProblem: 'agy --help printed nothing',
    },
  );
  await expect(agy.inspect({ PATH: '/nonexistent', HOME: testFolder() })).resolves.toEqual({
    problem: expect.stringMatching(/^Could not find the "agy" executable/),
  });
});

test('our own agent and a missing legacy CLI', async () => {
  const baton = createBatonBackend({ forRelay: true });
  await expect(baton.inspect(bareEnvironment(testFolder()))).resolves.toMatchObject({
    path: expect.stringMatching(/dist\/baton-agent\.js$/),
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    capabilities: { streamJsonInput: true, sandbox: true },
  });
  const gemini = createGeminiBackend();
  await expect(gemini.inspect({ PATH: '/nonexistent', HOME: testFolder() })).resolves.toEqual({
    problem: expect.stringMatching(/^Could not find the "gemini" executable/),
  });
});

test('usage: what is left of each quota', async () => {
  await expect(agy.usage!(standIn())).resolves.toEqual({
    groups: [
      {
        name: 'Gemini Models',
        buckets: [
          { name: 'Weekly Limit', window: 'weekly', remaining: 0.83, resetTime: '2026-12-08T08:00:00Z' },
          { name: 'Five Hour Limit', window: '5h', remaining: 0.83, resetTime: '2026-12-08T08:00:00Z' },
        ],
      },
      {
        name: 'Third-party models',
        buckets: [
          { name: 'Weekly Limit', window: 'weekly', remaining: 0.83, resetTime: '2026-12-08T08:00:00Z' },
        ],
      },
    ],
  });
});

test.each<[Record<string, string>, object]>([
  [
    { STANDIN_USAGE: 'signed-out' },
    { problem: 'status', status: 'ERROR', detail: 'authentication failed or timed out' },
  ],
  [{ STANDIN_USAGE: 'garbage' }, { problem: 'unparsable', detail: 'no json here' }],
  [
    { STANDIN_WITHOUT: 'output-format' },
    { problem: 'failed', detail: 'flags provided but not defined: -output-format' },
  ],
  [
    { STANDIN_START: 'signed-out' },
    { problem: 'status', status: 'ERROR', detail: 'authentication failed or timed out' },
  ],
])('usage that cannot be told: %j', async (variables, report) => {
  await expect(agy.usage!(standIn(variables))).resolves.toEqual(report);
});

test.each([
  ['{"status":"SUCCESS"}', { problem: 'no_groups' }],
  ['{"status":"SUCCESS","command":{"data":{"groups":[]}}}', { problem: 'no_groups' }],
  [
    '{"status":"SUCCESS","command":{"data":{"groups":[{"name":"g"},{"buckets":[]}]}}}',
    { problem: 'no_buckets' },
  ],
  [
    'Update available\n{"status":"SUCCESS","command":{"data":{"groups":[{"name":"g","buckets":[{"window":"5h","remaining_fraction":"?"}]}]}}}',
    { groups: [{ name: 'g', buckets: [{ name: '5h', window: '5h' }] }] },
  ],
])('usage of odd shape: %s', async (text, report) => {
  const folder = testFolder();
  const answer = join(folder, 'answer');
  writeFileSync(answer, text);
  const path = shellScript(join(folder, 'agy'), `cat ${answer}`);
  await expect(agy.usage!(bareEnvironment(folder, { AGY_CLI_PATH: path }))).resolves.toEqual(report);
});

test('usage of a missing agy', async () => {
  await expect(agy.usage!({ PATH: '/nonexistent', HOME: testFolder() })).resolves.toMatchObject({
    problem: 'failed',
  });
});
