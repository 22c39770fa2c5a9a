import { join } from 'node:path';
import { writeFileAtomic } from '../../platform/atomic-file.ts';
import { errorMessage } from '../../platform/errors.ts';
import { tryAcquireLock } from '../../platform/kernel-lock.ts';
import { bootId, namespaceId, processStartTime } from '../../platform/process-identity.ts';
import { supervisorSocketPath } from '../../platform/socket-path.ts';
import { VERSION } from '../../platform/version.ts';
import { supervisorLock } from '../job-folder.ts';
import { type Door, openDoor } from './door.ts';
import { log } from './log.ts';
import { removeOldJobs, retentionMs, SWEEP_EVERY_MS } from './retention.ts';
import { createSupervisor } from './supervisor.ts';

/** A supervisor that has nothing to do and hears nothing leaves. */
const IDLE_MS = 30_000;
/** Old jobs are looked for a little after the start, when the first clients have been served. */
const FIRST_SWEEP_MS = 3000;

async function main(stateDir: string): Promise<void> {
  // The folder is made by the client. One that is gone by now was removed on purpose, and is not made again.
  // Held until this process ends, however it ends. Who does not get it is not needed.
  const lock = tryAcquireLock(supervisorLock(stateDir));
  if (!lock) return;
  const socket = supervisorSocketPath(stateDir);
  writeFileAtomic(
    join(stateDir, 'supervisor.json'),
    `${JSON.stringify({
      pid: process.pid,
      start_time: processStartTime(process.pid) ?? '',
      boot_id: bootId(),
      namespace: namespaceId(),
      version: VERSION,
      socket,
    })}\n`,
    { durable: false },
  );
  let door: Door | undefined;
  const supervisor = createSupervisor(stateDir, (status) => door?.announce(status));
  const leave = (why: string): void => {
    log('leaving', { why });
    supervisor.close();
    door?.close();
    process.exit(0);
  };
  process.on('SIGTERM', () => leave('SIGTERM'));
  process.on('SIGINT', () => leave('SIGINT'));
  supervisor.restart();
  door = await openDoor(socket, supervisor, () => leave('asked to'));
  const sweep = (): void => {
    removeOldJobs(stateDir, retentionMs(process.env.BATON_RETENTION), (id) =>
      supervisor.usesConversation(id),
    ).then(
      (count) => {
        if (count > 0) log('old jobs removed', { count });
      },
      (error: unknown) => log('old jobs could not be removed', { error: errorMessage(error) }),
    );
  };
  setTimeout(sweep, FIRST_SWEEP_MS);
  setInterval(sweep, SWEEP_EVERY_MS);
  const opened = door;
  const checkIdle = (): void => {
    if (supervisor.idle && opened.quietMs >= IDLE_MS) leave('idle');
    else setTimeout(checkIdle, supervisor.idle ? Math.max(1000, IDLE_MS - opened.quietMs) : IDLE_MS);
  };
  setTimeout(checkIdle, IDLE_MS);
}

const [stateDirArgument] = process.argv.slice(2);
if (stateDirArgument === undefined) {
  process.stderr.write(
    'usage: supervisor.js STATE_DIR (started by baton itself; there is nothing to run by hand)\n',
  );
  process.exitCode = 2;
} else {
  main(stateDirArgument).catch((error: unknown) => {
    log('cannot serve', { error: errorMessage(error) });
    process.exitCode = 1;
  });
}
