import { setTimeout as sleep } from 'node:timers/promises';
import { processStartTime } from '../../platform/process-identity.ts';
import { type FoundProcess, findProcesses, signalGroup, signalProcess } from '../../platform/process-tree.ts';
import { jobFiles } from '../job-folder.ts';
import { jobMarker } from '../liveness.ts';

/** How long an agent may take to end by itself after SIGTERM. */
export const GRACE_MS = 10_000;
const SWEEP_ROUNDS = 10;
const POLL_MS = 25;

interface Target {
  id: string;
  stateDir: string;
  pid: number;
  start: string;
}

const leaderLives = (target: Target): boolean => processStartTime(target.pid) === target.start;

function treeOf(target: Target): FoundProcess[] {
  return findProcesses({
    leader: target.pid,
    marker: jobMarker(target.id),
    heldFile: jobFiles(target.stateDir, target.id).runLock,
  });
}

/**
 * Ends a run with everything that belongs to it: SIGTERM to its group, time to leave (10 s), SIGKILL to the group and to
 * every process found of it, looked for again until none is left. Parents are walked before the first signal, because
 * afterwards children of dead parents are found by less. Resolves when the tree is gone, as far as can be seen.
 * @returns forced: SIGKILL was needed for the agent itself.
 */
export async function stopTree(target: Target, graceMs: number = GRACE_MS): Promise<{ forced: boolean }> {
  const before = treeOf(target);
  signalGroup(target.pid, 'SIGTERM');
  const deadline = performance.now() + graceMs;
  while (leaderLives(target) && performance.now() < deadline) await sleep(POLL_MS);
  const forced = leaderLives(target);
  await killAll(target, before);
  return { forced };
}

async function killAll(target: Target, known: FoundProcess[]): Promise<void> {
  let victims = known;
  for (let round = 0; round < SWEEP_ROUNDS; round++) {
    signalGroup(target.pid, 'SIGKILL');
    const hit = victims.filter((victim) => signalProcess(victim, 'SIGKILL'));
    await sleep(POLL_MS);
    victims = treeOf(target);
    if (hit.length === 0 && victims.length === 0) return;
  }
}

/**
 * After an agent has ended by itself: ends what it left running, in its group, holding its lock, or carrying its marker
 * in a session of its own.
 */
export async function sweepOrphans(target: Target): Promise<void> {
  signalGroup(target.pid, 'SIGTERM');
  const left = treeOf(target);
  if (left.length === 0) return;
  for (const orphan of left) signalProcess(orphan, 'SIGTERM');
  for (let waited = 0; waited < 1000 && treeOf(target).length > 0; waited += 200) await sleep(200);
  await killAll(target, left);
}
