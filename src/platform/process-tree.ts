import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readProcStat } from './process-identity.ts';

/** A process of a run, with the start time that it had when it was found: a signal goes to no other. */
export interface FoundProcess {
  pid: number;
  start: string;
}

interface Row extends FoundProcess {
  parent: number;
  group: number;
  session: number;
}

function allProcesses(): Row[] {
  const rows: Row[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = readProcStat(Number(name));
    if (!stat || stat.state === 'Z' || stat.state === 'X') continue;
    rows.push({
      pid: Number(name),
      start: stat.start,
      parent: stat.parent,
      group: stat.group,
      session: stat.session,
    });
  }
  return rows;
}

function hasMarker(pid: number, marker: string): boolean {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`.includes(`\0${marker}\0`);
  } catch {
    return false;
  }
}

function holdsFile(pid: number, path: string): boolean {
  let names: string[];
  try {
    names = readdirSync(`/proc/${pid}/fd`);
  } catch {
    return false;
  }
  for (const name of names) {
    try {
      if (readlinkSync(`/proc/${pid}/fd/${name}`) === path) return true;
    } catch {
      // Closed between the listing and the look.
    }
  }
  return false;
}

/** What makes a process part of a run. Each finds survivors that the others miss. */
export interface TreeMarks {
  /** The run's leader: its descendants and its process group belong to it. */
  leader?: number;
  /** A variable that the run's processes inherit, as `NAME=value`. */
  marker?: string;
  /** A file that the run's processes inherit open; an absolute path without links. */
  heldFile?: string;
}

/**
 * The living processes of a run, this process never among them. Best effort: a descendant that left its parent, its
 * group, its environment and its descriptors is found by nothing (only a cgroup would). Linux only; elsewhere empty,
 * and the process group is all there is. Costs 5 to 140 ms, so it is meant for ends and adoptions, not for loops.
 */
export function findProcesses(marks: TreeMarks): FoundProcess[] {
  if (process.platform !== 'linux') return [];
  const rows = allProcesses();
  const found = new Map<number, Row>();
  const add = (row: Row): void => {
    if (row.pid !== process.pid) found.set(row.pid, row);
  };
  for (const row of rows) {
    if (
      marks.leader !== undefined &&
      (row.pid === marks.leader || row.group === marks.leader || row.session === marks.leader)
    ) {
      add(row);
    } else if (marks.marker !== undefined && hasMarker(row.pid, marks.marker)) add(row);
    else if (marks.heldFile !== undefined && holdsFile(row.pid, marks.heldFile)) add(row);
  }
  for (let grown = true; grown; ) {
    grown = false;
    for (const row of rows) {
      if (!found.has(row.pid) && row.pid !== process.pid && found.has(row.parent)) {
        found.set(row.pid, row);
        grown = true;
      }
    }
  }
  return [...found.values()].map(({ pid, start }) => ({ pid, start }));
}

/** Sends a signal to a process if it is still the one that was found; false when it is gone. */
export function signalProcess(target: FoundProcess, signal: NodeJS.Signals): boolean {
  const stat = readProcStat(target.pid);
  if (!stat || stat.start !== target.start) return false;
  try {
    process.kill(target.pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** Sends a signal to a process group; false when it has no member. */
export function signalGroup(leader: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(-leader, signal);
    return true;
  } catch {
    return false;
  }
}
