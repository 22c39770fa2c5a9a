import { readFileSync } from 'node:fs';
import { Script } from 'node:vm';
import type { CodeCache } from './code-cache.ts';

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
  /** Parts whose functions are in the code that was used. */
  known: readonly string[];
  /** Parts that this run has used. */
  used: Set<string>;
}

/** Smaller files compile faster than their compiled code is read. */
const WORTH_CACHING = 8 * 1024;
/** A first run may have ended early: the code is made again with what the next two have compiled besides. */
const RUNS_TO_LEARN_FROM = 3;

function isModuleFunction(value: unknown): value is ModuleFunction {
  return typeof value === 'function';
}

function isPack(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function hasLearned({ runs, known, used }: Compiled): boolean {
  if (used.size === 0) return runs >= RUNS_TO_LEARN_FROM;
  return [...used].every((part) => known.includes(part));
}

export interface Chunks {
  require: ChunkRequire;
  /** Keeps the compiled code of what was loaded so far, where that is worth it. Never throws. */
  save(): void;
}

/**
 * Loads the files that the build wrote (scripts/build.mjs). Each is one function expression with the parameters of a
 * CommonJS module; one, the pack, is an object of such functions by name: the small ones. Node's own loader would do, but
 * it resolves and looks up each file by a dozen system calls and cannot be given compiled code on Node 20.
 * @param options.cache undefined = everything is compiled
 */
export function createChunks(options: {
  folder: string;
  pack: string;
  nodeRequire: NodeRequire;
  cache: CodeCache | undefined;
}): Chunks {
  const { folder, nodeRequire, cache } = options;
  const modules = new Map<string, Module>();
  const compiled: Compiled[] = [];

  const compile = (name: string): { value: unknown; used: Set<string> } => {
    const filename = `${folder}/${name}`;
    const used = new Set<string>();
    // The build writes plain ASCII: a text of one byte a character, which V8 reads without a copy.
    const text = readFileSync(filename, 'latin1');
    if (!cache || text.length < WORTH_CACHING)
      return { value: new Script(text, { filename }).runInThisContext(), used };
    const cached = cache.read(name);
    const script = new Script(text, { filename, ...(cached && { cachedData: cached.data }) });
    // Code of another version or other flags of V8 is refused, and the text compiled instead.
    const isUsed = cached && script.cachedDataRejected === false;
    compiled.push({
      name,
      script,
      runs: isUsed ? cached.runs : 0,
      known: isUsed ? cached.parts : [],
      used,
    });
    return { value: script.runInThisContext(), used };
  };

  const { value: packed, used: usedParts } = compile(options.pack);
  const pack = isPack(packed) ? packed : {};

  const find = (name: string): unknown => {
    if (!Object.hasOwn(pack, name)) return compile(name).value;
    usedParts.add(name);
    return pack[name];
  };

  const require: ChunkRequire = Object.assign(
    (id: string): unknown => {
      if (!id.startsWith('.')) return nodeRequire(id);
      const name = id.slice(id.lastIndexOf('/') + 1);
      const known = modules.get(name);
      if (known) return known.exports;
      const module: Module = { exports: {} };
      modules.set(name, module);
      const run = find(name);
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
      for (const entry of compiled) {
        if (hasLearned(entry)) continue;
        try {
          const parts = [...new Set([...entry.known, ...entry.used])];
          cache?.write(entry.name, {
            data: entry.script.createCachedData(),
            runs: entry.runs + 1,
            parts,
          });
        } catch {
          // Nothing is lost but speed.
        }
      }
    },
  };
}
