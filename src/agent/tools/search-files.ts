import { closeSync } from 'node:fs';
import { openVerified, regularFile } from './anchored.ts';
import { type LineMatcher, SlowPatternError } from './line-matcher.ts';
import type { Pacer } from './pacer.ts';
import { createLineSplitter, openText } from './read-text.ts';

/** Longer lines are searched up to here (minified code, data). */
const MAX_LINE = 100_000;
/** Text that is collected before the matcher is called: calling it costs a tenth of a millisecond. */
const BATCH = 256 * 1024;

export interface Hit {
  path: string;
  /** Counted from 1. */
  line: number;
  text: string;
}

interface Unit {
  path: string;
  firstLine: number;
  lines: string[];
}

export interface FileSearch {
  /** Searches one file; its hits may be reported only by a later call. Throws when the file cannot be read. */
  add(path: string): Promise<void>;
  /** Reports what is left. */
  finish(): Promise<void>;
}

/** Searches files line by line, each held in memory only in part; binary files are passed over. */
export function createFileSearch(matcher: LineMatcher, pacer: Pacer, onHit: (hit: Hit) => void): FileSearch {
  let units: Unit[] = [];
  let size = 0;

  async function flush(): Promise<void> {
    const batch = units;
    units = [];
    size = 0;
    const lines = batch.flatMap((unit) => unit.lines);
    let hits: number[];
    try {
      hits = await matcher.match(lines, pacer);
    } catch (error) {
      if (!(error instanceof SlowPatternError)) throw error;
      const at = locate(batch, error.line);
      const place = at ? ` (seen in ${at.path}, line ${at.line})` : '';
      throw new Error(`${error.message}${place}`, { cause: error });
    }
    for (const index of hits) {
      const hit = locate(batch, index);
      if (hit) onHit(hit);
    }
  }

  async function search(path: string, fd: number): Promise<void> {
    regularFile(fd, path);
    const text = openText(fd, pacer);
    if (text.encoding === 'binary') return;
    const splitter = createLineSplitter(MAX_LINE);
    let counted = 0;
    const { needle } = matcher;
    const skippable = needle && text.isWhole && text.encoding === 'utf-8' && !text.head.includes(needle);
    if (skippable) return;
    const take = async (found: { text: string }[]): Promise<void> => {
      if (found.length === 0) return;
      units.push({ path, firstLine: counted + 1, lines: found.map((line) => line.text) });
      counted += found.length;
      for (const line of found) size += line.text.length + 1;
      if (size >= BATCH) await flush();
    };
    for await (const piece of text.pieces()) await take(splitter.push(piece.text));
    const rest = splitter.rest();
    if (rest) await take([rest]);
  }

  return {
    async add(path) {
      if (pacer.due()) await pacer.pause();
      const fd = openVerified(path);
      try {
        await search(path, fd);
      } finally {
        closeSync(fd);
      }
    },
    finish: flush,
  };
}

function locate(batch: readonly Unit[], index: number): Hit | undefined {
  let at = index;
  for (const unit of batch) {
    const text = unit.lines[at];
    if (text !== undefined && at >= 0) return { path: unit.path, line: unit.firstLine + at, text };
    at -= unit.lines.length;
  }
  return undefined;
}
