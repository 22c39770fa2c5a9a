import {
  advance,
  isMatch,
  type PathPattern,
  type Positions,
  parsePathPattern,
  startPositions,
} from './path-pattern.ts';

/** A glob of a prompt: alternatives from `{a,b}`, each a pattern over the path from the root. */
export interface Glob {
  alternatives: PathPattern[];
}

export type GlobState = readonly Positions[];

const alternativeLimit = 64;
const segmentLimit = 64;

/**
 * Reads a glob. Hidden names match like any other, `*` and `?` stay within a name, `**` crosses folders, matching is
 * case-sensitive, `\` makes the next character literal.
 * @returns undefined when it is no usable glob: more than 64 alternatives or folders, `..` behind a wildcard.
 */
export function parseGlob(text: string): Glob | undefined {
  const expanded = expandBraces(text);
  if (!expanded) return undefined;
  const alternatives: PathPattern[] = [];
  for (const path of expanded) {
    const names = path.split('/').filter((name) => name !== '' && name !== '.');
    if (names.length === 0 || names.length > segmentLimit || names.includes('..')) return undefined;
    alternatives.push(parsePathPattern(names.join('/')));
  }
  return { alternatives };
}

export function startGlob(glob: Glob): GlobState {
  return glob.alternatives.map(startPositions);
}

export function advanceGlob(glob: Glob, state: GlobState, name: string): GlobState {
  return glob.alternatives.map((pattern, index) => advance(pattern, state[index] ?? [], name));
}

export function isGlobMatch(glob: Glob, state: GlobState): boolean {
  return glob.alternatives.some((pattern, index) => isMatch(pattern, state[index] ?? []));
}

/** Whether anything beneath the names read so far can still match. */
export function canGoOn(state: GlobState): boolean {
  return state.some((positions) => positions.length > 0);
}

/** Whether a text has a character that makes it a glob rather than a name. */
export function hasWildcard(text: string): boolean {
  return /(?:^|[^\\])(?:[*?]|\[[^\]]+\]|\{[^{}]*,[^{}]*\})/.test(text);
}

/** `a{b,c}d` becomes `abd` and `acd`; braces without a comma, or without an end, are ordinary characters. */
function expandBraces(text: string): string[] | undefined {
  const done: string[] = [];
  const waiting = [text];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const found = firstBraces(next);
    if (!found) done.push(next);
    else
      for (const choice of found.choices.toReversed())
        waiting.push(next.slice(0, found.start) + choice + next.slice(found.end));
    if (done.length + waiting.length > alternativeLimit) return undefined;
  }
  return done;
}

function firstBraces(text: string): { start: number; end: number; choices: string[] } | undefined {
  for (let start = 0; start < text.length; start += 1) {
    if (text[start] === '\\') start += 1;
    else if (text[start] === '{') {
      const found = bracesAt(text, start);
      if (found) return found;
    }
  }
  return undefined;
}

function bracesAt(
  text: string,
  start: number,
): { start: number; end: number; choices: string[] } | undefined {
  const choices: string[] = [];
  let from = start + 1;
  let depth = 0;
  for (let at = start + 1; at < text.length; at += 1) {
    const char = text[at];
    if (char === '\\') at += 1;
    else if (char === '{') depth += 1;
    else if (char === ',' && depth === 0) {
      choices.push(text.slice(from, at));
      from = at + 1;
    } else if (char === '}') {
      if (depth > 0) depth -= 1;
      else if (choices.length === 0) return undefined;
      else return { start, end: at + 1, choices: [...choices, text.slice(from, at)] };
    }
  }
  return undefined;
}
