import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { liveJobIds } from '../../jobs/job-folder.ts';
import { hasEnded } from '../../jobs/read-status.ts';
import { findSupervisor } from '../../jobs/start-supervisor.ts';
import { packageRoot } from '../../platform/paths.ts';

/** The question that the scripted model of the package answers, about the sample repository of the package. */
export const SCRIPTED_QUESTION =
  'Entries of this cache that are read often never expire, whatever their ttl. Where is the bug, why do the tests not see it, and what is the fix? Do not change any file.';

/** Where a demo runs: everything it leaves is in one temporary folder, which goes at its end. */
export interface DemoPlace {
  stateDir: string;
  /** The folder that the agent works in. */
  workspace: string;
  environment: Record<string, string>;
  remove(): Promise<void>;
}

/** Settings and keys of the person: the scripted demo must neither use nor show them. */
const STEERING = /^(BATON|AGY|GEMINI|GOOGLE|OPENAI|ANTHROPIC|OLLAMA|LMSTUDIO)_/;

function scriptedEnvironment(): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env))
    if (value !== undefined && !STEERING.test(name)) kept[name] = value;
  return { ...kept, BATON_BACKEND: 'baton', BATON_MODEL: 'replay/demo' };
}

function ownEnvironment(): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) kept[name] = value;
  return { ...kept, BATON_BACKEND: kept.BATON_BACKEND ?? 'baton' };
}

async function endSupervisor(stateDir: string): Promise<void> {
  const nothing = { onChanged: () => {}, onClosed: () => {} };
  const connection = await findSupervisor(stateDir, nothing);
  if (!connection) return;
  // A demo that was broken off may have left its run going.
  const live = liveJobIds(stateDir).filter((id) => !hasEnded(stateDir, id));
  for (const id of live) await connection.request({ op: 'cancel', job_id: id }).catch(() => {});
  for (let look = 0; look < 500 && live.some((id) => !hasEnded(stateDir, id)); look++) await sleep(20);
  await connection.request({ op: 'leave' }).catch(() => {});
  connection.close();
  for (let look = 0; look < 100; look++) {
    const still = await findSupervisor(stateDir, nothing);
    if (!still) return;
    still.close();
    await sleep(20);
  }
}

/**
 * Makes the place of a demo.
 * @param live the person's own model on the current folder, instead of the script on a copy of the sample
 */
export function openPlace(live: boolean): DemoPlace {
  const folder = mkdtempSync(join(tmpdir(), 'baton-demo-'));
  const stateDir = join(folder, 'state');
  const workspace = live ? process.cwd() : join(folder, 'ttl-cache');
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true });
  // Also when the process ends at once, because nobody reads what it prints any more.
  process.once('exit', removeFolder);
  if (!live) cpSync(join(packageRoot(), 'sample', 'ttl-cache'), workspace, { recursive: true });
  return {
    stateDir,
    workspace,
    environment: {
      ...(live ? ownEnvironment() : scriptedEnvironment()),
      AGY_MCP_STATE_DIR: stateDir,
      BATON_STATE_DIR: stateDir,
    },
    async remove() {
      await endSupervisor(stateDir);
      removeFolder();
    },
  };
}

/** The files of a folder, relative, for the introduction of the sample. */
export function sampleFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}
