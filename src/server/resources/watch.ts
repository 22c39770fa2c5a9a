import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { jobFiles, liveFolder } from '../../jobs/job-folder.ts';
import { parseUri } from './uri.ts';

/** Watches resources for those who subscribed to them. */
export interface ResourceWatch {
  add(uri: string): void;
  remove(uri: string): void;
  close(): void;
}

const EVERY_MS = 1000;
/** A client that subscribes to more than this is told nothing of the rest. */
const MOST = 200;

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? -1;
}

function namesIn(folder: string): string {
  try {
    return readdirSync(folder).join();
  } catch {
    return '';
  }
}

/** Something that changes whenever the resource does, and costs only a few looks at file sizes. */
function fingerprint(stateDir: string, uri: string): string {
  const resource = parseUri(uri);
  if (resource === undefined) return '';
  if (resource.kind === 'jobs') return `${namesIn(liveFolder(stateDir))}|${namesIn(join(stateDir, 'jobs'))}`;
  const files = jobFiles(stateDir, resource.jobId);
  if (resource.kind === 'stderr') return String(sizeOf(files.stderr));
  return [files.started, files.events, files.result].map(sizeOf).join();
}

/**
 * Looks at the watched resources once a second, as long as there are any. What is watched twice needs to be removed twice.
 * @param onChanged told the address of each that changed since the last look
 */
export function createResourceWatch(stateDir: string, onChanged: (uri: string) => void): ResourceWatch {
  const watched = new Map<string, { seen: string; count: number }>();
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    for (const [uri, entry] of watched) {
      const now = fingerprint(stateDir, uri);
      if (now === entry.seen) continue;
      entry.seen = now;
      onChanged(uri);
    }
  };
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
  };
  return {
    add(uri) {
      const known = watched.get(uri);
      if (known) known.count++;
      else if (watched.size < MOST && parseUri(uri))
        watched.set(uri, { seen: fingerprint(stateDir, uri), count: 1 });
      if (watched.size > 0 && !timer) timer = setInterval(look, EVERY_MS).unref();
    },
    remove(uri) {
      const known = watched.get(uri);
      if (known && --known.count === 0) watched.delete(uri);
      if (watched.size === 0) stop();
    },
    close() {
      watched.clear();
      stop();
    },
  };
}
