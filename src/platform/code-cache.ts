import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import Module from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { cacheDir } from './paths.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const OWNER_ONLY = 0o700;

/**
 * Code cache is run as it is found, so its folder must be a real one that belongs to this user and is closed to others.
 * @returns the folder, made if need be; undefined when it cannot be had or trusted.
 */
function trustedFolder(environment: Environment, version: string): string | undefined {
  const folder = join(cacheDir(environment), 'code', `${version}-${process.version}-${process.arch}`);
  try {
    mkdirSync(folder, { recursive: true, mode: OWNER_ONLY });
    const found = lstatSync(folder);
    const isOwn = process.getuid === undefined || found.uid === process.getuid();
    const isClosed = process.platform === 'win32' || (found.mode & 0o077) === 0;
    return found.isDirectory() && isOwn && isClosed ? folder : undefined;
  } catch {
    return undefined;
  }
}

function read(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** Whoever reads sees a whole file or none, after a crash of the machine too: V8 does not look for torn ones. */
function keep(path: string, data: Buffer): void {
  const temporary = `${path}.${process.pid}`;
  try {
    const fd = openSync(temporary, 'wx', 0o600);
    try {
      writeFileSync(fd, data);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, path);
  } catch {
    try {
      unlinkSync(temporary);
    } catch {
      // It was never made.
    }
  }
}

function isFunction(value: unknown): value is (...values: unknown[]) => unknown {
  return typeof value === 'function';
}

interface Chunk {
  exports: unknown;
}

/**
 * Node's own loader, made to compile the files of `folder` through V8's code cache, and to leave out the search for
 * files where they ask for each other. `_compile` is no documented method, but all tools of this kind build on it; where
 * it is missing nothing is changed.
 */
function hookLoader(folder: string, cache: string): void {
  const compile: unknown = Reflect.get(Module.prototype, '_compile');
  if (!isFunction(compile)) return;
  const made = new Map<string, Script>();
  const chunks = new Map<string, Chunk>();
  const nodeRequire = Module.createRequire(join(folder, 'chunk.js'));

  const run = (chunk: Chunk, source: string, filename: string): void => {
    // The name of a chunk holds a hash of its content; V8 compares no more than the length.
    const path = join(cache, `${basename(filename)}.${source.length}`);
    const cachedData = read(path);
    const script = new Script(Module.wrap(source), { filename, ...(cachedData ? { cachedData } : {}) });
    if (!cachedData || script.cachedDataRejected) made.set(path, script);
    const body: unknown = script.runInThisContext();
    if (isFunction(body))
      Reflect.apply(body, chunk.exports, [chunk.exports, require, chunk, filename, folder]);
  };
  const require = (id: string): unknown => {
    if (!id.startsWith('./')) return nodeRequire(id);
    const name = id.slice(2);
    const filename = join(folder, name);
    const known = chunks.get(name) ?? nodeRequire.cache[filename];
    if (known) return known.exports;
    const chunk: Chunk = { exports: {} };
    chunks.set(name, chunk);
    run(chunk, readFileSync(filename, 'utf8'), filename);
    return chunk.exports;
  };
  const compileWithCache = function (this: NodeModule, content: string, filename: string): unknown {
    if (dirname(filename) !== folder) return Reflect.apply(compile, this, [content, filename]);
    chunks.set(basename(filename), this);
    run(this, content, filename);
    return undefined;
  };
  Reflect.set(Module.prototype, '_compile', compileWithCache);
  // Made at the end, so that what was compiled on the way is in it.
  process.once('exit', () => {
    for (const [path, script] of made) keep(path, script.createCachedData());
  });
}

/**
 * Keeps what V8 compiled of the chunks of `dist` for later starts, in the cache folder: parsing and compiling them is a
 * great part of a start. V8 refuses a cache of another version or of other flags, which is then made anew; where none can
 * be kept, only the gain is lost. `BATON_NO_CODE_CACHE` turns it off. Node 22 has the same built in, which is used there.
 * @param chunks the folder of the chunks: their names change with their content.
 */
export function keepCompiledCode(chunks: string, version: string, environment: Environment): void {
  if (environment.BATON_NO_CODE_CACHE || environment.NODE_V8_COVERAGE) return;
  const cache = trustedFolder(environment, version);
  if (cache === undefined) return;
  const enable: unknown = Reflect.get(Module, 'enableCompileCache');
  if (isFunction(enable)) Reflect.apply(enable, Module, [cache]);
  else hookLoader(chunks, cache);
}
