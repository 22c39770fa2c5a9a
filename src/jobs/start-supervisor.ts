import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isFields, parseJson, textOr } from '../contract/fields.ts';
import { makePrivateFolder, PRIVATE_FILE } from '../platform/atomic-file.ts';
import { errorCode, errorMessage } from '../platform/errors.ts';
import { requireLocks, tryAcquireLock } from '../platform/kernel-lock.ts';
import { packageRoot } from '../platform/paths.ts';
import { bootId, namespaceId, processStartTime } from '../platform/process-identity.ts';
import { checkSocketFolder, supervisorSocketPath } from '../platform/socket-path.ts';
import { VERSION } from '../platform/version.ts';
import { type Connection, type ConnectionEvents, connect } from './connection.ts';

const START_LIMIT_MS = 20_000;
/** A supervisor that does not answer for this long hangs. */
const PING_MS = 3000;
/** The holder of the start lock may itself have been stopped: it is not waited for longer than this. */
const START_LOCK_MS = 2000;
/** A supervisor that holds the lock but has not opened its door for this long hangs too. */
const SILENT_MS = 10_000;
const MAX_LOG_BYTES = 1024 * 1024;

/** Variables that the supervisor itself reads. A job's environment comes with its submission and is no part of this. */
const KEPT = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'TZ', 'SystemRoot', 'BATON_FAULTS', 'BATON_RETENTION'];

function minimalEnvironment(): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of KEPT) {
    const value = process.env[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}

/**
 * Starts a supervisor in a session of its own, as a child of process 1: a short-lived shell stands between, so that
 * whatever ends this process or its tree does not reach it.
 */
function launch(stateDir: string): void {
  const logFile = join(stateDir, 'supervisor.log');
  if ((statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES) truncateSync(logFile);
  const log = openSync(logFile, 'a', PRIVATE_FILE);
  try {
    const program = join(packageRoot(), 'dist', 'supervisor.js');
    const windows = process.platform === 'win32';
    const [command, args] = windows
      ? [process.execPath, [program, stateDir]]
      : ['/bin/sh', ['-c', '"$@" </dev/null &', 'sh', process.execPath, program, stateDir]];
    const child = spawn(command, args, {
      cwd: windows ? undefined : '/',
      detached: true,
      windowsHide: true,
      env: minimalEnvironment(),
      stdio: ['ignore', log, log],
    });
    child.on('error', () => {});
    child.unref();
  } finally {
    closeSync(log);
  }
}

function lastLogLine(stateDir: string): string {
  try {
    return readFileSync(join(stateDir, 'supervisor.log'), 'utf8').trimEnd().split('\n').at(-1) ?? '';
  } catch {
    return '';
  }
}

interface Registered {
  pid: number;
  start_time: string;
  boot_id: string;
  namespace: string;
  version: string;
}

export function readRegistered(stateDir: string): Registered | undefined {
  let value: unknown;
  try {
    value = parseJson(readFileSync(join(stateDir, 'supervisor.json'), 'utf8'));
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
  if (!isFields(value)) return undefined;
  const { pid, start_time, boot_id } = value;
  if (typeof pid !== 'number' || typeof start_time !== 'string' || typeof boot_id !== 'string')
    return undefined;
  return { pid, start_time, boot_id, namespace: textOr(value.namespace), version: textOr(value.version) };
}

/** Kills the registered supervisor if it is still exactly that process. Its children go on and are adopted. */
function killHanging(stateDir: string): void {
  const registered = readRegistered(stateDir);
  if (!registered || registered.boot_id !== bootId()) return;
  if (processStartTime(registered.pid) !== registered.start_time) return;
  try {
    process.kill(registered.pid, 'SIGKILL');
  } catch {
    // It ended by itself in this moment.
  }
}

/** -1, 0 or 1, by the numbers of a version. */
function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split(/[.+-]/).slice(0, 3).map(Number));
  for (let i = 0; i < 3; i++) {
    const difference = (left?.[i] || 0) - (right?.[i] || 0);
    if (difference !== 0) return Math.sign(difference);
  }
  return 0;
}

type Greeting = 'good' | 'hangs' | 'left';

/** Says hello. A supervisor of an older version is asked to leave; one of another namespace is not used. */
async function greet(connection: Connection): Promise<Greeting> {
  let value: Awaited<ReturnType<Connection['request']>>;
  try {
    value = await connection.request({ op: 'hello', version: VERSION, namespace: namespaceId() }, PING_MS);
  } catch {
    return connection.closed ? 'left' : 'hangs';
  }
  if (value.namespace !== undefined && value.namespace !== namespaceId()) {
    connection.close();
    throw new Error(
      'the supervisor of this state folder runs in another container or namespace, where process numbers and paths mean other things. ' +
        'Set BATON_STATE_DIR to a folder that only this container uses.',
    );
  }
  if (compareVersions(VERSION, value.version ?? '0') > 0) {
    await connection.request({ op: 'leave' }, PING_MS).catch(() => {});
    return 'left';
  }
  return 'good';
}

/**
 * A connection to the supervisor of a state folder, starting one when none listens, replacing one that hangs or is of an
 * older version.
 * @throws with the reason when none can be had.
 */
export async function reachSupervisor(stateDir: string, events: ConnectionEvents): Promise<Connection> {
  const path = supervisorSocketPath(stateDir);
  const deadline = performance.now() + START_LIMIT_MS;
  let startLock: ReturnType<typeof tryAcquireLock>;
  let launchedAt = -Infinity;
  let relaunchMs = 1000;
  let pause = 5;
  const beginning = performance.now();
  try {
    for (;;) {
      const outcome = await tryConnect(path, events);
      if (typeof outcome === 'object') return outcome;
      if (outcome === 'hangs' || performance.now() - beginning > SILENT_MS) killHanging(stateDir);
      if (performance.now() > deadline) {
        throw new Error(
          `the supervisor could not be started within ${START_LIMIT_MS / 1000} s; last line of ${join(stateDir, 'supervisor.log')}: ${lastLogLine(stateDir) || '(nothing)'}`,
        );
      }
      if (!startLock && performance.now() - launchedAt > relaunchMs) {
        prepare(stateDir);
        startLock = tryAcquireLock(join(stateDir, 'start.lock'));
        if (startLock || performance.now() - beginning > START_LOCK_MS) {
          launch(stateDir);
          launchedAt = performance.now();
        }
      } else if (startLock && performance.now() - launchedAt > relaunchMs) {
        launch(stateDir);
        launchedAt = performance.now();
        relaunchMs *= 2;
      }
      await sleep(pause);
      pause = Math.min(40, pause * 1.5);
    }
  } finally {
    startLock?.release();
  }
}

function prepare(stateDir: string): void {
  requireLocks();
  try {
    makePrivateFolder(stateDir);
    checkSocketFolder(dirname(supervisorSocketPath(stateDir)));
  } catch (error) {
    throw new Error(
      `the state folder ${stateDir} cannot be used (${errorMessage(error)}); set BATON_STATE_DIR to a folder that you can write`,
      { cause: error },
    );
  }
}

async function tryConnect(path: string, events: ConnectionEvents): Promise<Connection | 'absent' | Greeting> {
  let established = false;
  let connection: Connection;
  try {
    connection = await connect(path, {
      onChanged: (id, state) => events.onChanged(id, state),
      onClosed: () => {
        if (established) events.onClosed();
      },
    });
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    return 'absent';
  }
  const greeting = await greet(connection);
  if (greeting !== 'good') {
    connection.close();
    return greeting;
  }
  established = true;
  return connection;
}

/** A connection to a supervisor that listens already, or undefined; starts none. */
export async function findSupervisor(
  stateDir: string,
  events: ConnectionEvents,
): Promise<Connection | undefined> {
  const outcome = await tryConnect(supervisorSocketPath(stateDir), events);
  return typeof outcome === 'object' ? outcome : undefined;
}

/** Whether the supervisor of a state folder answers; starts and replaces none. */
export async function probeSupervisor(stateDir: string): Promise<'good' | 'hangs' | 'absent'> {
  const outcome = await tryConnect(supervisorSocketPath(stateDir), {
    onChanged: () => {},
    onClosed: () => {},
  });
  if (typeof outcome === 'object') {
    outcome.close();
    return 'good';
  }
  return outcome === 'hangs' ? 'hangs' : 'absent';
}
