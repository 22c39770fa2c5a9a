import { createContext, Script } from 'node:vm';
import { isFields } from '../../contract/fields.ts';
import type { Pacer } from './pacer.ts';
import { ToolInputError } from './types.ts';

/** Characters between two looks at the clock; a line counts as some at least. */
const BLOCK = 32_768;
const LEAST = 256;
const SLICE_MS = 10;
/** A single line may hold everything else up for this long, then the pattern is interrupted. */
const LINE_LIMIT_MS = 40;
/** A busy machine can make an innocent line late, so one late look does not condemn a pattern. */
const TRIES = 3;

export interface LineMatcher {
  /** Indexes of the lines that match. */
  match(lines: readonly string[], pacer: Pacer): Promise<number[]>;
  /** Bytes that a UTF-8 file must hold to match at all, where that is known. */
  needle?: Buffer;
}

/** A regular expression that needs exponential time on some line. */
export class SlowPatternError extends Error {
  override name = 'SlowPatternError';
  readonly line: number;

  constructor(line: number) {
    super('the regular expression takes too long (nested repetitions such as (a+)+ do that); simplify it');
    this.line = line;
  }
}

function compile(query: string, caseInsensitive: boolean): RegExp {
  // Patterns written for ripgrep or Go put their flags in front.
  const inline = /^\(\?i\)/.exec(query);
  const source = inline ? query.slice(inline[0].length) : query;
  const flags = caseInsensitive || inline ? 'i' : '';
  try {
    return new RegExp(source, `${flags}u`);
  } catch {
    // Without `u`, needless escapes such as `\-` are accepted.
  }
  try {
    return new RegExp(source, flags);
  } catch (error) {
    throw new ToolInputError(error instanceof Error ? error.message : String(error));
  }
}

/** The error comes from the other context, so it is no instance of this one's Error. */
function isTimeout(error: unknown): boolean {
  return isFields(error) && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

/**
 * Matching by a regular expression from a model, which may need exponential time. It runs under the time limit of
 * node:vm, the one way to interrupt a regular expression in the same thread.
 */
function createRegexMatcher(regex: RegExp): LineMatcher {
  const work = { lines: [] as readonly string[], at: 0, hits: [] as number[] };
  const step = (): void => {
    const end = performance.now() + SLICE_MS;
    while (work.at < work.lines.length) {
      for (let size = 0; size < BLOCK && work.at < work.lines.length; work.at++) {
        const line = work.lines[work.at] ?? '';
        if (regex.test(line)) work.hits.push(work.at);
        size += LEAST + line.length;
      }
      if (performance.now() > end) return;
    }
  };
  let script: Script | undefined;
  let context: object | undefined;
  return {
    async match(lines, pacer) {
      script ??= new Script('step()');
      context ??= createContext({ step });
      work.lines = lines;
      work.at = 0;
      work.hits = [];
      let late = 0;
      let lateAt = -1;
      while (work.at < lines.length) {
        try {
          script.runInContext(context, { timeout: LINE_LIMIT_MS });
        } catch (error) {
          if (!isTimeout(error)) throw error;
          late = lateAt === work.at ? late + 1 : 1;
          lateAt = work.at;
          if (late >= TRIES) throw new SlowPatternError(work.at);
        }
        if (work.at < lines.length || pacer.due()) await pacer.pause();
      }
      return work.hits;
    },
  };
}

function createTextMatcher(query: string, caseInsensitive: boolean): LineMatcher {
  const wanted = caseInsensitive ? query.toLowerCase() : query;
  return {
    ...(caseInsensitive ? {} : { needle: Buffer.from(query) }),
    async match(lines, pacer) {
      const hits: number[] = [];
      let size = 0;
      for (const [at, line] of lines.entries()) {
        if ((caseInsensitive ? line.toLowerCase() : line).includes(wanted)) hits.push(at);
        size += LEAST + line.length;
        if (size < BLOCK) continue;
        size = 0;
        if (pacer.due()) await pacer.pause();
      }
      return hits;
    },
  };
}

/** @throws {ToolInputError} for a query that is no regular expression. */
export function createLineMatcher(query: string, isRegex: boolean, caseInsensitive: boolean): LineMatcher {
  if (query === '') throw new ToolInputError('the Query is empty');
  return isRegex
    ? createRegexMatcher(compile(query, caseInsensitive))
    : createTextMatcher(query, caseInsensitive);
}
