import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { cleanEnvironment } from './environment.ts';
import type { Result } from './rows.ts';

/** What every measure gets. */
export interface Bench {
  /** The package's folder. */
  root: string;
  isQuick: boolean;
  /** Where peers are installed; undefined = they are not measured. */
  peers: string | undefined;
  /** How many rounds: all of them, or as many as show that the measure works. */
  rounds(all: number): number;
  /** A built file of the package. */
  dist(name: string): string;
  /** A stand-in program of the benchmark. */
  program(name: string): string;
  /** A new empty folder, removed at the end. */
  newFolder(name: string): string;
  /** The environment of everything that is started: nothing of the caller's but PATH. */
  environment(home: string, more?: Readonly<Record<string, string>>): Record<string, string>;
  /** A word about what is being done, on stderr. */
  say(text: string): void;
}

export interface Measure {
  name: string;
  title: string;
  run(bench: Bench): Promise<Result[]>;
}

export function createBench(options: {
  root: string;
  folder: string;
  isQuick: boolean;
  peers: string | undefined;
}): Bench {
  const { root, folder, isQuick, peers } = options;
  return {
    root,
    isQuick,
    peers,
    rounds: (all) => (isQuick ? Math.min(5, all) : all),
    dist: (name) => join(root, 'dist', name),
    program: (name) => join(root, 'bench', 'programs', name),
    newFolder(name) {
      const made = mkdtempSync(join(folder, `${name}-`));
      mkdirSync(made, { recursive: true });
      return made;
    },
    environment: cleanEnvironment,
    say: (text) => void process.stderr.write(`${text}\n`),
  };
}
