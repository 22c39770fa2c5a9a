import type { forEachChild as ForEachChild, parse as Parse } from 'unbash';
import { createScriptReading } from './reading.ts';
import type { Dialect, ScriptAnalysis } from './types.ts';

/** Beyond this a text is no command line that anybody would judge. */
const MAX_LENGTH = 100_000;

export interface Grammar {
  parse: typeof Parse;
  forEachChild: typeof ForEachChild;
}

export interface ReadScriptOptions {
  /** The folder it starts in, absolute. */
  cwd: string;
  home: string;
  dialect: Dialect;
}

/** Reads what a command line will do, without running anything. Pure: the grammar is handed in since it is loaded late. */
export function readScript(grammar: Grammar, text: string, options: ReadScriptOptions): ScriptAnalysis {
  if (text.length > MAX_LENGTH)
    return {
      parts: [],
      reads: [],
      writes: [],
      problem: `it is too long to judge (${text.length} characters)`,
    };
  if (text.includes('\0')) return { parts: [], reads: [], writes: [], problem: 'it holds a NUL character' };
  const reading = createScriptReading(grammar, options.home);
  const parts = reading.script(text, {
    dialect: options.dialect,
    stdin: { from: 'nothing' },
    place: { folders: new Set([options.cwd]) },
    repeated: false,
    depth: 0,
  });
  return reading.finish(parts);
}
