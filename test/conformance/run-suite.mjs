#!/usr/bin/env node
/**
 * The official MCP conformance suite against this package, on HTTP (the suite has no stdio):
 *
 *   node test/conformance/run-suite.mjs            all of it; needs a build (npm run build)
 *
 * 1. Against the fixture server (our HTTP stack with the suite's fixtures): what each revision requires, and the ten
 *    scenarios of tasks. Every one must pass.
 * 2. Against the real server: every scenario that needs no fixture.
 *
 * The suite wants Node 22; both come from the registry, pinned, into a cache folder. Where they cannot be had, it says
 * so loudly and ends with exit code 0 (1 with CONFORMANCE_REQUIRED=1).
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
const SUITE = '0.2.0-alpha.12';
const NODE = '22.23.3';
const cache =
  process.env.BATON_TOOLS_CACHE ??
  join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'baton-test-tools');
const REVISIONS = ['2026-07-28', '2025-11-25'];
const TASKS = [
  'tasks-lifecycle',
  'tasks-capability-negotiation',
  'tasks-wire-fields',
  'tasks-request-state-removal',
  'tasks-mrtr-input',
  'tasks-request-headers',
  'tasks-dispatch-and-envelope',
  'tasks-status-notifications',
  'tasks-required-task-error',
  'tasks-mrtr-composition',
];
/** Scenarios that ask for nothing that only a fixture has, by the revision they are run on. */
const ON_THE_REAL_SERVER = [
  [
    '2026-07-28',
    [
      'server-stateless',
      'tools-list',
      'resources-list',
      'prompts-list',
      'sep-2164-resource-not-found',
      'dns-rebinding-protection',
      'caching',
      'http-header-validation',
    ],
  ],
  [
    '2025-11-25',
    [
      'server-initialize',
      'server-session-lifecycle',
      'ping',
      'tools-list',
      'resources-list',
      'prompts-list',
      'dns-rebinding-protection',
    ],
  ],
];

/** Installs the suite once; undefined when the registry cannot be reached. */
function tools() {
  const folder = join(cache, `conformance-${SUITE}-node-${NODE}`);
  const node = join(folder, 'node_modules/node/bin/node');
  const suite = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  if (!existsSync(suite) || !existsSync(node)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
    const packages = [`@modelcontextprotocol/conformance@${SUITE}`, `node@${NODE}`];
    const args = ['install', '--save-exact', '--no-audit', '--no-fund', '--loglevel=error', ...packages];
    spawnSync('npm', args, { cwd: folder, stdio: 'inherit', timeout: 300_000 });
  }
  return existsSync(suite) && existsSync(node) ? { node, suite } : undefined;
}

/** Starts a server and resolves with its address. */
function start(args, env, pattern) {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  return new Promise((resolve, reject) => {
    const look = (chunk) => {
      output += chunk;
      const url = pattern.exec(output)?.[1];
      if (url) resolve({ url, child });
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${output}`)));
  });
}

const results = [];

/** The checks that failed, without the suite's long explanations. */
function faults(output) {
  const lines = stripVTControlCharacters(output).split('\n');
  const found = lines.flatMap((line, at) =>
    /^\s*Error: /.test(line) ? [lines[at - 1], line] : /✗|: FAIL/.test(line) ? [line] : [],
  );
  return (found.length > 0 ? found : lines.slice(-20)).join('\n');
}

/** Whether all that the suite found wrong is that a fixture of its own is missing, which the real server has not. */
function onlyLacksFixtures(output) {
  const errors = output.split('\n').filter((line) => /^\s*Error: /.test(line));
  return (
    errors.length > 0 &&
    errors.every((line) => line.includes('Not testable: server does not list the diagnostic tool'))
  );
}

function run({ node, suite }, url, args, folder) {
  const all = [suite, 'server', '--url', `${url}/mcp`, ...args];
  const { status, stdout, stderr } = spawnSync(node, all, {
    cwd: folder,
    encoding: 'utf8',
    timeout: 180_000,
  });
  const name = args.filter((word) => !word.startsWith('--')).join(' ');
  const output = `${stdout}\n${stderr}`;
  const lacksFixtures = status !== 0 && onlyLacksFixtures(output);
  const passed = status === 0 || lacksFixtures;
  results.push({ name, passed });
  console.log(
    `${passed ? 'passed' : 'FAILED'}  ${name}${lacksFixtures ? ' (but for checks that need a fixture)' : ''}`,
  );
  if (process.env.CONFORMANCE_VERBOSE) console.log(output);
  else if (!passed) console.log(faults(output));
}

async function main() {
  const found = tools();
  if (!found) {
    console.log(
      `SKIPPED: the conformance suite ${SUITE} and Node ${NODE} could not be installed into ${cache}`,
    );
    process.exitCode = process.env.CONFORMANCE_REQUIRED ? 1 : 0;
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'baton-conformance-'));
  const children = [];
  try {
    const entry = join(folder, 'fixture-server.cjs');
    await build({
      entryPoints: [join(root, 'test/conformance/fixture-server.ts')],
      bundle: true,
      platform: 'node',
      target: 'node20',
      format: 'cjs',
      outfile: entry,
      external: ['fs-native-extensions'],
      define: {
        __BATON_VERSION__: '"0.0.0-conformance"',
        'import.meta.url': JSON.stringify(new URL('../../dist/fixture.js', import.meta.url).href),
      },
      logLevel: 'error',
    });
    const environment = {
      HOME: folder,
      AGY_MCP_STATE_DIR: join(folder, 'state'),
      AGY_MCP_AGY_PATH: join(root, 'test/programs/agy-stand-in.mjs'),
      NODE_PATH: join(root, 'node_modules'),
    };
    const fixtures = await start([entry], environment, /LISTENING (\S+)/);
    children.push(fixtures.child);
    for (const revision of REVISIONS) run(found, fixtures.url, ['--requirements', revision], folder);
    for (const scenario of TASKS) run(found, fixtures.url, ['--scenario', scenario], folder);
    const args = [join(root, 'dist/baton.js'), 'serve', '--http=127.0.0.1:0'];
    const real = await start(args, environment, /Streamable HTTP on (http:\/\/[\d.:]+)/);
    children.push(real.child);
    for (const [revision, scenarios] of ON_THE_REAL_SERVER)
      for (const scenario of scenarios)
        run(found, real.url, ['--spec-version', revision, '--scenario', scenario], folder);
    spawnSync(process.execPath, [join(root, 'dist/baton.js'), 'supervisor', 'stop'], {
      env: { ...process.env, ...environment },
    });
  } finally {
    for (const child of children) child.kill('SIGTERM');
    await Promise.all(
      children.map(
        (child) =>
          new Promise((resolve) => (child.exitCode === null ? child.once('exit', resolve) : resolve())),
      ),
    );
    rmSync(folder, { recursive: true, force: true });
  }
  const failed = results.filter(({ passed }) => !passed);
  console.log(`conformance: ${results.length - failed.length} passed, ${failed.length} failed`);
  process.exitCode = failed.length > 0 ? 1 : 0;
}

await main();
