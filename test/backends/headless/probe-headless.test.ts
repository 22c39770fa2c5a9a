import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { allCapabilities, NO_CAPS } from '../../../src/backends/capabilities.ts';
import { createHeadlessProbe } from '../../../src/backends/headless/probe-headless.ts';
import { bareEnvironment, STAND_IN, shellScript, testFolder } from '../support.ts';

const LONG = { versionMs: 30_000, helpMs: 30_000, helpProblemMs: 60_000 };

function standIn(variables: Record<string, string> = {}): {
  program: { path: string; leadingArgs: string[] };
  environment: Record<string, string>;
} {
  return {
    program: { path: STAND_IN, leadingArgs: [] },
    environment: bareEnvironment(testFolder(), variables),
  };
}

/** A script that counts its starts in a file. */
function counting(body: string): { program: { path: string; leadingArgs: string[] }; count: () => number } {
  const folder = testFolder();
  const file = join(folder, 'starts');
  const path = shellScript(join(folder, 'agy'), `echo x >> ${file}\n${body}`);
  return {
    program: { path, leadingArgs: [] },
    count: () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0),
  };
}

test.each([
  ['alone', {}],
  ['with a code', { STANDIN_VERSION_EXIT: '3' }],
  ['with a name', { STANDIN_VERSION_OUTPUT: 'agy version 1.2.16 (abc)\n' }],
  ['behind a notice', { STANDIN_VERSION_OUTPUT: 'Update 9.9.9 is available\n1.2.16\n' }],
])('reads the version, %s', async (_, variables: Record<string, string>) => {
  const { program, environment } = standIn(variables);
  const answer = await createHeadlessProbe(LONG).version(program, 'agy', environment);
  expect(answer).toEqual({ value: [1, 2, 16] });
});

test('a descendant that keeps the output open does not hide the version', async () => {
  const folder = testFolder();
  const pidFile = join(folder, 'pid');
  const path = shellScript(join(folder, 'agy'), `echo 1.2.16; sleep 300 & echo $! > ${pidFile}`);
  onTestFinished(() => void process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL'));
  const probe = createHeadlessProbe(LONG);
  await expect(probe.version({ path, leadingArgs: [] }, 'agy', bareEnvironment(folder))).resolves.toEqual({
    value: [1, 2, 16],
  });
});

test.each([
  [
    { STANDIN_VERSION_OUTPUT: 'no idea' },
    `parse agy version from "no idea" (${STAND_IN}): no version number found`,
  ],
  [{ STANDIN_VERSION_OUTPUT: '' }, `parse agy version from "" (${STAND_IN}): no version number found`],
])('quotes what is no version: %j', async (variables, problem) => {
  const { program, environment } = standIn(variables);
  await expect(createHeadlessProbe(LONG).version(program, 'agy', environment)).resolves.toEqual({ problem });
});

test('a version that does not come is a problem after the limit', async () => {
  const { program, environment } = standIn({ STANDIN_VERSION_HANG: '1' });
  const probe = createHeadlessProbe({ ...LONG, versionMs: 300 });
  await expect(probe.version(program, 'agy', environment)).resolves.toEqual({
    problem: `determine version of agy at ${STAND_IN}: agy --version did not complete within 0.3s: it printed nothing`,
  });
});

test('a program that cannot be started is a problem with the cause', async () => {
  const folder = testFolder();
  const path = join(folder, 'agy');
  writeFileSync(path, '#!/nonexistent/interpreter\n', { mode: 0o755 });
  const probe = createHeadlessProbe(LONG);
  const answer = await probe.version({ path, leadingArgs: [] }, 'agy', bareEnvironment(folder));
  expect(answer).toEqual({
    problem: `determine version of agy at ${path}: spawn ${path} ENOENT (the file is there, but the program that its first line names is not)`,
  });
});

test('a caller that gives up gets its problem, the others their version', async () => {
  const { program, count } = counting('sleep 0.3; echo 1.2.3');
  const environment = bareEnvironment(testFolder());
  const probe = createHeadlessProbe(LONG);
  const controller = new AbortController();
  const first = probe.version(program, 'agy', environment, controller.signal);
  const second = probe.version(program, 'agy', environment);
  controller.abort();
  await expect(first).resolves.toEqual({
    problem: `determine version of agy at ${program.path}: agy --version was cancelled: the caller gave up`,
  });
  await expect(second).resolves.toEqual({ value: [1, 2, 3] });
  expect(count()).toBe(1);
});

test('a version is asked once, until the file is replaced', async () => {
  const { program, count } = counting('echo 1.2.3');
  const environment = bareEnvironment(testFolder());
  const probe = createHeadlessProbe(LONG);
  const ask = () => probe.version(program, 'agy', environment);
  await Promise.all([ask(), ask(), ask()]);
  await ask();
  expect(count()).toBe(1);
  shellScript(program.path, 'echo 1.2.4');
  await expect(ask()).resolves.toEqual({ value: [1, 2, 4] });
});

test('a version that failed is asked again', async () => {
  const folder = testFolder();
  const mark = join(folder, 'installed');
  const { program, count } = counting(`[ -e ${mark} ] && echo 1.2.3`);
  const probe = createHeadlessProbe(LONG);
  const ask = () => probe.version(program, 'agy', bareEnvironment(folder));
  await expect(ask()).resolves.toHaveProperty('problem');
  writeFileSync(mark, '');
  await expect(ask()).resolves.toEqual({ value: [1, 2, 3] });
  expect(count()).toBe(2);
});

test.each(['full', 'stderr'])('reads the flags of a build, help printed as %s', async (how) => {
  const { program, environment } = standIn({ STANDIN_HELP: how });
  await expect(createHeadlessProbe(LONG).capabilities(program, 'agy', environment)).resolves.toEqual({
    value: { ...allCapabilities(true), ...NO_CAPS },
  });
});

test('an older build has fewer flags', async () => {
  const { program, environment } = standIn({ STANDIN_VERSION: '1.1.10', STANDIN_WITHOUT: 'sandbox' });
  await expect(createHeadlessProbe(LONG).capabilities(program, 'agy', environment)).resolves.toEqual({
    value: { ...allCapabilities(true), ...NO_CAPS, streamJsonInput: false, sandbox: false },
  });
});

test.each([
  ['empty', 'agy --help printed nothing'],
  ['garbage', 'agy --help named none of the flags of a headless agent'],
  ['fail', 'agy --help named none of the flags of a headless agent'],
  ['hang', 'agy --help did not complete within 0.5s'],
])('a help that tells nothing (%s) is a problem', async (how, problem) => {
  const { program, environment } = standIn({ STANDIN_HELP: how });
  const probe = createHeadlessProbe({ ...LONG, helpMs: how === 'hang' ? 500 : 30_000 });
  await expect(probe.capabilities(program, 'agy', environment)).resolves.toMatchObject({ problem });
});

test('a help that failed is asked again, one that was read is not', async () => {
  const folder = testFolder();
  const mark = join(folder, 'repaired');
  const { program, count } = counting(`[ -e ${mark} ] && echo "--model --mode"`);
  const environment = bareEnvironment(folder);
  const probe = createHeadlessProbe(LONG);
  const ask = () => probe.capabilities(program, 'agy', environment);
  await expect(ask()).resolves.toHaveProperty('problem');
  writeFileSync(mark, '');
  await expect(ask()).resolves.toMatchObject({ value: { model: true, mode: true, effort: false } });
  await ask();
  expect(count()).toBe(2);
});

test.each([
  [60_000, 1],
  [0, 2],
])(
  'a help that hung is remembered for %d ms: of two questions %d start it',
  async (helpProblemMs, starts) => {
    const { program, count } = counting('sleep 300');
    const environment = bareEnvironment(testFolder());
    const probe = createHeadlessProbe({ ...LONG, helpMs: 500, helpProblemMs });
    for (let question = 0; question < 2; question++) {
      await expect(probe.capabilities(program, 'agy', environment)).resolves.toMatchObject({
        problem: 'agy --help did not complete within 0.5s',
      });
    }
    expect(count()).toBe(starts);
  },
);

test('a repaired program is asked at once: its file is another one', async () => {
  const { program } = counting('exit 1');
  const environment = bareEnvironment(testFolder());
  const probe = createHeadlessProbe(LONG);
  await expect(probe.capabilities(program, 'agy', environment)).resolves.toHaveProperty('problem');
  shellScript(program.path, 'echo "usage: --model"');
  await expect(probe.capabilities(program, 'agy', environment)).resolves.toMatchObject({
    value: { model: true },
  });
});
