import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createAgyBackend } from '../../../src/backends/agy/agy.ts';
import { bareEnvironment, STAND_IN, shellScript, testFolder } from '../support.ts';

const job = createAgyBackend({ forRelay: false });

function listing(variables: Record<string, string>) {
  return job.listModels(bareEnvironment(testFolder(), { AGY_MCP_AGY_PATH: STAND_IN, ...variables }));
}

function catalogue(models: unknown): string {
  return JSON.stringify({ status: 'SUCCESS', command: { name: 'models', data: { models } } });
}

test('lists ids and labels in order', async () => {
  const models = await listing({});
  expect(models).toHaveLength(6);
  expect(models[0]).toEqual({ id: 'gemini-3.8-flash-high', label: 'Gemini 3.8 Flash (High)' });
});

test.each<[string, string, { id: string; label: string }[]]>([
  [
    'an entry without a label keeps its place',
    catalogue([{ id: 'b' }, { id: 'a', label: 'A' }]),
    [
      { id: 'b', label: '' },
      { id: 'a', label: 'A' },
    ],
  ],
  ['an empty catalogue is one', catalogue([]), []],
  [
    'lines ahead of the object are passed over',
    `Update available\n{broken\n${catalogue([{ id: 'a', label: 'A' }])}\n`,
    [{ id: 'a', label: 'A' }],
  ],
  [
    'an object over several lines',
    JSON.stringify(JSON.parse(catalogue([{ id: 'a', label: 'A' }])), null, 2),
    [{ id: 'a', label: 'A' }],
  ],
  [
    'rows of a build without the JSON form',
    'a-1\tA 1\nb-2\tB 2\n',
    [
      { id: 'a-1', label: 'A 1' },
      { id: 'b-2', label: 'B 2' },
    ],
  ],
])('%s', async (_, text, models) => {
  await expect(listing({ STANDIN_MODELS: text })).resolves.toEqual(models);
});

test.each([
  ['not json', 'parse json envelope: stdout was "not json": Fetching available models...'],
  ['[]', 'parse json envelope: stdout was "[]": Fetching available models...'],
  ['{}', 'envelope status "", want "SUCCESS"'],
  ['{"status":"ERROR","error":"no network"}', 'envelope status "ERROR", want "SUCCESS": no network'],
  ['{"status":"SUCCESS"}', 'envelope command "", want "models"'],
  ['{"status":"SUCCESS","command":{"name":"usage"}}', 'envelope command "usage", want "models"'],
  ['{"status":"SUCCESS","command":{"name":"models"}}', 'envelope has no command.data.models array'],
  [
    '{"status":"SUCCESS","command":{"name":"models","data":{"models":null}}}',
    'envelope has no command.data.models array',
  ],
  [
    '{"status":"SUCCESS","command":{"name":"models","data":{"models":{}}}}',
    'envelope has no command.data.models array',
  ],
])('the answer %j is refused', async (text, problem) => {
  await expect(listing({ STANDIN_MODELS: text })).rejects.toThrow(`agy models: ${problem}`);
});

test('a failure carries the code and what agy said', async () => {
  await expect(listing({ STANDIN_MODELS: 'signed-out' })).rejects.toThrow(
    /^agy models: exit status 1: Fetching available models\.\.\. Error: Please sign in to view available models\./,
  );
});

test('a descendant that keeps the output open does not hide the list', async () => {
  const folder = testFolder();
  const pidFile = join(folder, 'pid');
  const path = shellScript(
    join(folder, 'agy'),
    `case "$*" in *models*) sleep 300 & echo $! > ${pidFile};; esac; exec ${STAND_IN} "$@"`,
  );
  onTestFinished(() => void process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL'));
  await expect(job.listModels(bareEnvironment(folder, { AGY_MCP_AGY_PATH: path }))).resolves.toHaveLength(6);
});

test('a caller that gives up is told so', async () => {
  const environment = bareEnvironment(testFolder(), { AGY_MCP_AGY_PATH: STAND_IN, STANDIN_MODELS: 'hang' });
  await job.resolve(environment);
  const controller = new AbortController();
  const listed = job.listModels(environment, controller.signal);
  setTimeout(() => controller.abort(), 200);
  await expect(listed).rejects.toThrow('agy models: cancelled by the caller');
});

test('a build below the floor is refused here as well, a missing one named', async () => {
  await expect(listing({ STANDIN_VERSION: '1.1.7', AGY_MCP_AGY_PATH: copyOfStandIn() })).rejects.toThrow(
    /found 1\.1\.7 at/,
  );
  await expect(job.listModels({ PATH: '/nonexistent', HOME: testFolder() })).rejects.toThrow(
    /^agy not found on PATH/,
  );
});

function copyOfStandIn(): string {
  return shellScript(join(testFolder(), 'agy'), `exec ${STAND_IN} "$@"`);
}
