import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';

/**
 * A process told apart from a later one with the same number: by its start time within one boot. `start_time` is in
 * clock ticks since boot on Linux, the text of `ps` on macOS, the creation time on Windows.
 */
export interface ProcessIdentity {
  pid: number;
  start_time: string;
  boot_id: string;
}

let boot: string | undefined;

function run(program: string, args: string[]): string {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}

/** Names the current boot of the machine; '' where the platform has no such name (creation times decide there). */
export function bootId(): string {
  if (boot !== undefined) return boot;
  if (process.platform === 'linux') {
    try {
      boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    } catch {
      boot = '';
    }
  } else if (process.platform === 'darwin') {
    boot = run('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid']);
  } else {
    boot = '';
  }
  return boot;
}

interface Stat {
  state: string;
  parent: number;
  group: number;
  session: number;
  start: string;
}

/** The fields of `/proc/<pid>/stat` that are used here, or undefined when there is no such process. */
export function readProcStat(pid: number): Stat | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The name is in parentheses and may hold blanks and parentheses itself, so reading starts behind the last one.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group, session] = fields;
  const start = fields[19];
  if (state === undefined || start === undefined) return undefined;
  return { state, parent: Number(parent), group: Number(group), session: Number(session), start };
}

/** Start time of a living process, or undefined when it does not live (a zombie does not). */
export function processStartTime(pid: number): string | undefined {
  if (process.platform === 'linux') {
    const stat = readProcStat(pid);
    return stat && stat.state !== 'Z' && stat.state !== 'X' ? stat.start : undefined;
  }
  if (process.platform === 'win32') {
    const script = `(Get-Process -Id ${pid} -ErrorAction Stop).StartTime.ToFileTimeUtc()`;
    return run('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', script]) || undefined;
  }
  const line = run('/bin/ps', ['-o', 'stat=,lstart=', '-p', String(pid)]);
  const [, state, start] = /^(\S+)\s+(.+)$/.exec(line) ?? [];
  return state && start && !state.startsWith('Z') ? start.trim() : undefined;
}

/** The identity of a living process, or undefined. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const start = processStartTime(pid);
  return start === undefined ? undefined : { pid, start_time: start, boot_id: bootId() };
}

/** Whether exactly this process still lives. */
export function isSameProcessAlive(identity: ProcessIdentity): boolean {
  return identity.boot_id === bootId() && processStartTime(identity.pid) === identity.start_time;
}

/**
 * The pid and mount namespaces of this process (`pid:[…] mnt:[…]`), '' where the platform has none. Process numbers and
 * paths mean the same only to processes for which this is equal.
 */
export function namespaceId(): string {
  if (process.platform !== 'linux') return '';
  try {
    return `${readlinkSync('/proc/self/ns/pid')} ${readlinkSync('/proc/self/ns/mnt')}`;
  } catch {
    return '';
  }
}

/** Milliseconds of the machine's running time: the same clock for all processes of one boot, standing still in sleep. */
export function runningTimeMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
