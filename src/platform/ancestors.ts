import { readFileSync } from 'node:fs';
import { readProcStat } from './process-identity.ts';

/** Further up there is no agent any more, only what started the session. */
const MAX_STEPS = 32;

function variableOf(pid: number, name: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return undefined;
  }
  const entry = text.split('\0').find((piece) => piece.startsWith(`${name}=`));
  return entry?.slice(name.length + 1);
}

/**
 * A variable as the nearest process above this one was started with it, whatever was removed from our own environment
 * on the way. Linux only (elsewhere undefined); processes of other users cannot be read and are passed over.
 */
export function ancestorVariable(name: string): string | undefined {
  if (process.platform !== 'linux') return undefined;
  let pid = process.ppid;
  for (let step = 0; step < MAX_STEPS && pid > 1; step++) {
    const value = variableOf(pid, name);
    if (value) return value;
    pid = readProcStat(pid)?.parent ?? 0;
  }
  return undefined;
}
