import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { rightsCeiling } from '../../backends/headless/rights.ts';
import { selectBackend } from '../../backends/select.ts';
import { isTerminal } from '../../contract/outcome.ts';
import { createJobsClient } from '../../jobs/client.ts';
import { maxJobs, outputLimitBytes } from '../../jobs/run-limits.ts';
import { findSupervisor, readRegistered } from '../../jobs/start-supervisor.ts';
import { errorMessage } from '../../platform/errors.ts';
import { requireLocks } from '../../platform/kernel-lock.ts';
import { configDir, stateDir } from '../../platform/paths.ts';
import { checkSocketFolder, supervisorSocketPath } from '../../platform/socket-path.ts';
import { VERSION } from '../../platform/version.ts';
import { relayHealth } from '../../relay/doctor/health.ts';
import { type Finding, finding } from '../doctor/finding.ts';
import { relayFindings } from '../doctor/relay-findings.ts';
import { shownValue, VARIABLES } from '../environment-table.ts';
import { parseFlags } from '../flags.ts';
import { createPaint, printable } from '../paint.ts';

const MB = 1024 * 1024;

/** The nearest folder above that exists: what a missing state folder will be made in. */
function existing(folder: string): string {
  return existsSync(folder) ? folder : existing(dirname(folder));
}

function lookAtFolder(folder: string): Finding {
  const place = existing(folder);
  try {
    accessSync(place, constants.W_OK);
  } catch (error) {
    return finding(
      'state folder',
      'bad',
      `${folder}: ${errorMessage(error)}; set BATON_STATE_DIR to a folder of yours`,
    );
  }
  if (place === folder) {
    try {
      checkSocketFolder(dirname(supervisorSocketPath(folder)));
    } catch (error) {
      return finding('state folder', 'bad', errorMessage(error));
    }
  }
  const { bavail, bsize } = statfsSync(place);
  const free = Math.round((bavail * bsize) / MB);
  const isNew = place === folder ? '' : ' (made on first use)';
  return finding('state folder', free < 64 ? 'bad' : 'good', `${folder}${isNew}, ${free} MB free`);
}

/** Settings that every run reads: a wrong one refuses each of them. */
function lookAtLimits(): Finding {
  try {
    const rights = rightsCeiling(process.env);
    const jobs = maxJobs(process.env);
    outputLimitBytes(process.env);
    return finding('limits', 'good', `${jobs} run(s) at once, rights up to ${rights}`);
  } catch (error) {
    return finding('limits', 'bad', errorMessage(error));
  }
}

function lookAtLocks(): Finding {
  try {
    requireLocks();
    return finding('locks', 'good', 'kernel file locks work');
  } catch (error) {
    return finding('locks', 'bad', errorMessage(error));
  }
}

async function lookAtJobs(folder: string): Promise<Finding> {
  const jobs = createJobsClient({ stateDir: folder });
  try {
    const all = await jobs.list();
    const live = all.filter(({ status }) => !isTerminal(status.state)).length;
    return finding('jobs', 'good', `${all.length} kept, ${live} of them not over`);
  } catch (error) {
    return finding('jobs', 'bad', errorMessage(error));
  } finally {
    jobs.close();
  }
}

async function lookAtSupervisor(folder: string): Promise<Finding> {
  let connection: Awaited<ReturnType<typeof findSupervisor>>;
  try {
    connection = await findSupervisor(folder, { onChanged: () => {}, onClosed: () => {} });
  } catch (error) {
    return finding('supervisor', 'bad', errorMessage(error));
  }
  if (!connection) return finding('supervisor', 'good', 'not running (started with the first job)');
  connection.close();
  return finding('supervisor', 'good', `running, pid ${readRegistered(folder)?.pid ?? 'unknown'}`);
}

/** Whether a backend is there; asks the program for its version and flags, nothing else. */
async function lookAtBackend(name: string): Promise<Finding> {
  try {
    const { backend } = selectBackend(process.env, { requested: name });
    const found = await backend.resolve(process.env);
    return finding(
      name,
      'good',
      `${found.version || 'unknown version'} at ${[found.program, ...found.leadingArgs].join(' ')}`,
    );
  } catch (error) {
    return finding(name, 'note', errorMessage(error));
  }
}

/** Standard ports of Ollama, LM Studio and llama.cpp, which baton-agent uses when nothing is configured. */
const LOCAL_PORTS = [11434, 1234, 8080];

async function listensLocally(port: number): Promise<boolean> {
  const { connect } = await import('node:net');
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: 300 });
    const end = (answer: boolean) => () => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false));
  });
}

async function lookAtModels(): Promise<Finding> {
  const named = process.env.BATON_MODEL;
  if (named) return finding('model', 'good', `${named} (BATON_MODEL)`);
  const keys = VARIABLES.filter((row) => row.name.endsWith('_API_KEY') && process.env[row.name]).map(
    (row) => row.name,
  );
  if (keys.length === 0) {
    const local = await Promise.all(LOCAL_PORTS.map(listensLocally));
    const port = LOCAL_PORTS.find((_, at) => local[at]);
    if (port !== undefined)
      return finding(
        'model',
        'good',
        `something listens on port ${port}, where baton-agent looks for a local model server`,
      );
    return finding(
      'model',
      'note',
      'baton-agent has no model: set BATON_MODEL, or the key of one provider, or start a local server (Ollama, LM Studio, llama.cpp)',
    );
  }
  return finding('model', 'good', `keys set: ${keys.join(', ')}`);
}

/** A fault in one of these refuses every run, whatever the backend. */
const NEEDED_BY_EVERY_RUN: ReadonlySet<string> = new Set([
  'state folder',
  'limits',
  'locks',
  'jobs',
  'supervisor',
]);

/**
 * `baton doctor`: what is installed, configured and missing, each with what to do about it. Changes nothing and costs
 * nothing; agy is asked whether its account is signed in.
 */
export async function doctor(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(
    argv,
    { json: { kind: 'boolean' } },
    { interspersed: true, command: 'baton doctor' },
  );
  const folder = stateDir(process.env);
  const backends = await Promise.all(['agy', 'baton'].map(lookAtBackend));
  const [models, health] = await Promise.all([lookAtModels(), relayHealth(process.env)]);
  const findings: Finding[] = [
    finding(
      'baton',
      'good',
      `${VERSION} on Node ${process.versions.node}, ${process.platform} ${process.arch}`,
    ),
    lookAtFolder(folder),
    finding('settings', 'good', configDir(process.env)),
    lookAtLimits(),
    lookAtLocks(),
    await lookAtJobs(folder),
    await lookAtSupervisor(folder),
    ...backends,
    models,
    ...relayFindings(health),
  ];
  const variables = VARIABLES.map((row) => {
    const value = process.env[row.name];
    return {
      name: row.name,
      meaning: row.meaning,
      default: row.fallback,
      ...(value && { value: shownValue(row, value) }),
    };
  });
  const [agy, own] = backends;
  const hasAgent = agy?.state === 'good' || (own?.state === 'good' && models.state === 'good');
  const canRun =
    hasAgent && findings.every(({ topic, state }) => state !== 'bad' || !NEEDED_BY_EVERY_RUN.has(topic));
  const usable = canRun && findings.every(({ state }) => state !== 'bad');
  if (flags.has('json')) {
    process.stdout.write(`${JSON.stringify({ usable, findings, variables })}\n`);
    return usable ? 0 : 1;
  }
  const paint = createPaint(process.stdout);
  const marks = { good: paint.green('✓'), note: paint.yellow('!'), bad: paint.red('✗') };
  for (const { topic, state, text } of findings)
    process.stdout.write(`${marks[state]} ${topic.padEnd(13)} ${printable(text)}\n`);
  process.stdout.write(`\n${paint.bold('Variables')}\n`);
  const set = variables.filter(({ value }) => value !== undefined);
  if (set.length === 0) process.stdout.write('  none set\n');
  for (const { name, value = '' } of set) process.stdout.write(`  ${name}=${printable(value)}\n`);
  process.stdout.write(
    paint.dim(`  ${variables.length - set.length} unset; baton doctor --json lists them all\n`),
  );
  process.stdout.write(
    `\n${usable ? paint.green('Jobs can be run.') : paint.red(canRun ? 'Not all of it works: see the lines marked ✗.' : 'No job can be run yet: see the lines marked ✗ and !.')}\n`,
  );
  return usable ? 0 : 1;
}
