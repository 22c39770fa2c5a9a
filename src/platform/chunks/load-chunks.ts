import { readFileSync } from 'node:fs';
import { Script } from 'node:vm';
import type { CachedCode, CodeCache } from './code-cache.ts';

interface Module {
  exports: unknown;
}

type ModuleFunction = (
  this: unknown,
  exports: unknown,
  require: ChunkRequire,
  module: Module,
  filename: string,
  dirname: string,
) => void;

type ChunkRequire = ((id: string) => unknown) & { resolve: (id: string) => string };

/** Node's own `require` of the entry file: for its built-in modules and for packages. */
type NodeRequire = ((id: string) => unknown) & { resolve: (id: string) => string };

interface Compiled {
  name: string;
  script: Script;
  /** Runs that went into the code that was used; 0 = there was none, or it was refused. */
  runs: number;
}

/** Smaller files compile faster than their compiled code is read. */
const WORTH_CACHING = 8 * 1024;
/** A first run may have ended early: the code is made again with what the next two have compiled besides. */
const RUNS_TO_LEARN_FROM = 3;

function isModuleFunction(value: unknown): value is ModuleFunction {
  return typeof value === 'function';
}

export interface Chunks {
  require: ChunkRequire;
  /** Keeps the compiled code of what was loaded so far, where that is worth it. Never throws. */
  save(): void;
}

/**
 * Loads the files that the build wrote (scripts/build.mjs): each is one function expression with the parameters of a
 * CommonJS module. Node's own loader would do, but it resolves and looks up each file by a dozen system calls and cannot
 * be given compiled code on Node 20.
 */
export function createChunks(folder: string, nodeRequire: NodeRequire, cache: CodeCache | undefined): Chunks {
  const modules = new Map<string, Module>();
  const compiled: Compiled[] = [];

  const compile = (name: string): unknown => {
    const filename = `${folder}/${name}`;
    // The build writes plain ASCII: a text of one byte a character, which V8 reads without a copy.
    const text = readFileSync(filename, 'latin1');
    if (!cache || text.length < WORTH_CACHING) return new Script(text, { filename }).runInThisContext();
    const cached: CachedCode | undefined = cache.read(name);
    const script = new Script(text, { filename, ...(cached && { cachedData: cached.data }) });
    // Code of another version or other flags of V8 is refused, and the text compiled instead.
    const runs = cached && script.cachedDataRejected === false ? cached.runs : 0;
    if (runs < RUNS_TO_LEARN_FROM) compiled.push({ name, script, runs });
    return script.runInThisContext();
  };

  const require: ChunkRequire = Object.assign(
    (id: string): unknown => {
      if (!id.startsWith('.')) return nodeRequire(id);
      const name = id.slice(id.lastIndexOf('/') + 1);
      const known = modules.get(name);
      if (known) return known.exports;
      const module: Module = { exports: {} };
      modules.set(name, module);
      const run = compile(name);
      if (!isModuleFunction(run))
        throw new Error(`${folder}/${name} is no part of this build; install Baton again`);
      run.call(module.exports, module.exports, require, module, `${folder}/${name}`, folder);
      return module.exports;
    },
    { resolve: (id: string) => nodeRequire.resolve(id) },
  );

  return {
    require,
    save() {
      for (const { name, script, runs } of compiled.splice(0)) {
        try {
          cache?.write(name, { data: script.createCachedData(), runs: runs + 1 });
        } catch {
          // Nothing is lost but speed.
        }
      }
    },
  };
}
