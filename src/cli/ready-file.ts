import { closeSync, openSync } from 'node:fs';
import { PRIVATE_FILE } from '../platform/atomic-file.ts';

/**
 * Tells a parent that signals are handled from now on, by creating the file it named in `AGY_MCP_WAIT_READY_FILE`. An
 * existing file is left alone, and a path that cannot be created is no failure of the wait.
 */
export function announceReady(environment: Readonly<Record<string, string | undefined>>): void {
  const path = environment.AGY_MCP_WAIT_READY_FILE;
  if (!path) return;
  try {
    closeSync(openSync(path, 'wx', PRIVATE_FILE));
  } catch {
    // The parent keeps its own time limit for this.
  }
}
