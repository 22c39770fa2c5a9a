import { readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PRIVATE_FILE } from '../../platform/atomic-file.ts';
import { tryAcquireLock } from '../../platform/kernel-lock.ts';
import { conversationArtifacts, pruneStamp, storedConversations } from './folder.ts';

/** What the conversations may take together by default, their images and outputs included. */
export const DEFAULT_MAX_BYTES = 1024 ** 3;

export interface PruneLimits {
  maxBytes: number;
  /** Conversations not used for longer than this go whatever their size, in milliseconds. */
  maxAgeMs?: number;
  /** The conversation that must stay. */
  keep?: string;
  dryRun?: boolean;
}

export interface Pruned {
  removed: { id: string; bytes: number }[];
  keptBytes: number;
}

function folderBytes(folder: string): number {
  let bytes = 0;
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
      if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size;
    }
  } catch {
    // There is none, or it goes away while it is looked at.
  }
  return bytes;
}

/** Removes a conversation unless a process has it open. */
function remove(stateDir: string, id: string, file: string): boolean {
  const lock = tryAcquireLock(file);
  if (!lock) return false;
  try {
    rmSync(file, { force: true });
    rmSync(conversationArtifacts(stateDir, id), { recursive: true, force: true });
    return true;
  } finally {
    lock.release();
  }
}

/** Removes the longest unused conversations until the rest keeps within the limits. One that is in use stays. */
export function pruneConversations(stateDir: string, limits: PruneLimits): Pruned {
  const now = Date.now();
  const removed: Pruned['removed'] = [];
  let keptBytes = 0;
  for (const { id, file, bytes, modifiedMs } of storedConversations(stateDir)) {
    const size = bytes + folderBytes(conversationArtifacts(stateDir, id));
    const isOld = limits.maxAgeMs !== undefined && now - modifiedMs > limits.maxAgeMs;
    const isTooMuch = keptBytes + size > limits.maxBytes;
    const goes = id !== limits.keep && (isOld || isTooMuch) && (limits.dryRun || remove(stateDir, id, file));
    if (goes) removed.push({ id, bytes: size });
    else keptBytes += size;
  }
  return { removed, keptBytes };
}

/** Prunes by size now, and notes that it was done. */
export function pruneNow(stateDir: string, maxBytes: number, keep: string): Pruned {
  const stamp = pruneStamp(stateDir);
  writeFileSync(stamp, '', { mode: PRIVATE_FILE });
  utimesSync(stamp, new Date(), new Date());
  return pruneConversations(stateDir, { maxBytes, keep });
}

/** `500MB`, `2GiB`, `1000000`: bytes. */
export function parseSize(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([kmg]?)(i?)b?$/i.exec(text.trim());
  if (!match) return undefined;
  const power = ['', 'k', 'm', 'g'].indexOf((match[2] ?? '').toLowerCase());
  return Math.floor(Number(match[1]) * (match[3] ? 1024 : 1000) ** power);
}
