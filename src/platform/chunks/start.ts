import { join } from 'node:path';
import { openCodeCache } from './code-cache.ts';
import { createChunks } from './load-chunks.ts';

/** Written in at build time: the hash of all files of the build, the file of the program to start, and that of its small parts. */
declare const __BUILD_ID__: string;
declare const __ENTRY__: string;
declare const __PACK__: string;
declare const require: Parameters<typeof createChunks>[0]['nodeRequire'];
declare const __dirname: string;

/** Code is kept this long after the start: a client may kill its server soon. */
const START_IS_OVER_MS = 500;
/** What lives longer keeps nothing at its end: V8 has thrown away by then what only the start used. */
const LONG_LIVED_SECONDS = 60;

function hashOf(text: string): string {
  let hash = 0x811c_9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193);
  return (hash >>> 0).toString(36);
}

/** Where compiled code is kept; undefined = nowhere, because of `BATON_NO_CODE_CACHE` or for want of a home. */
function cacheFolder(environment: NodeJS.ProcessEnv): string | undefined {
  // Code taken from a cache is not counted by V8's coverage.
  if (environment.BATON_NO_CODE_CACHE || environment.NODE_V8_COVERAGE) return undefined;
  const { XDG_CACHE_HOME, HOME, LOCALAPPDATA } = environment;
  const caches = XDG_CACHE_HOME?.startsWith('/')
    ? XDG_CACHE_HOME
    : HOME
      ? join(HOME, '.cache')
      : process.platform === 'win32'
        ? LOCALAPPDATA
        : undefined;
  // V8 refuses code that was made under other flags: runs with flags must not take turns in overwriting that of the others.
  const flags = [...process.execArgv, environment.NODE_OPTIONS ?? ''].join(' ').trim();
  const suffix = flags && `-${hashOf(flags)}`;
  const key = `${__BUILD_ID__}-node-${process.versions.node}-${process.arch}${suffix}`;
  return caches && join(caches, 'baton', 'code', key);
}

const folder = cacheFolder(process.env);
const chunks = createChunks({
  folder: join(__dirname, 'chunks'),
  pack: __PACK__,
  nodeRequire: require,
  cache: folder ? openCodeCache(folder) : undefined,
});
if (folder) {
  process.once('exit', () => {
    if (process.uptime() < LONG_LIVED_SECONDS) chunks.save();
  });
  setTimeout(() => chunks.save(), START_IS_OVER_MS).unref();
}
chunks.require(__ENTRY__);
