/** Text without white space behind an `@`, its escapes taken out. */
export interface Run {
  text: string;
  /** For each character of the text, where in the prompt it stands. */
  origin: number[];
  /** Whether the character was escaped and so is never punctuation. */
  escaped: boolean[];
  /** Index in the prompt behind the run. */
  end: number;
}

/** A reference may end before any of these. */
const cutters = new Set(Array.from(',;:"\'`()[]{}<>|…—–!“”‘’«»「」『』（）【】、，；：。！？'));
/** And before these where nothing but punctuation follows. */
const trailers = new Set([...cutters, '.', '?', '*', '_', '~', '#', '\\']);
const mostEnds = 24;

/**
 * The lengths at which a run can end as a reference, longest first: the whole run, and each place where punctuation
 * begins. A part of an ellipsis is never one: `@...` must not become the folder above.
 */
export function endsOf(run: Run): number[] {
  const ends = new Set<number>();
  addWithTrailers(run, run.text.length, ends);
  for (let at = 1; at < run.text.length; at += 1) {
    if (canCut(run, at)) addWithTrailers(run, at, ends);
  }
  const sorted = [...ends].sort((a, b) => b - a);
  // The shortest readings are the likely ones where there are very many.
  return sorted.length <= mostEnds
    ? sorted
    : [...sorted.slice(0, mostEnds / 2), ...sorted.slice(-mostEnds / 2)];
}

/**
 * The length that a reader would take: up to the first punctuation that is not inside `{…}` or `[…]`, without what
 * trails. Used for globs and for names that do not exist, where nothing on disk can decide.
 * @param emphasized the reference stands behind a `*`, so stars at its end close the emphasis.
 */
export function likelyEnd(run: Run, emphasized: boolean): number {
  let end = 0;
  while (end < run.text.length) {
    const lines = linesAt(run.text, end);
    const close = closeOf(run, end);
    if (lines === 0 && close === end && end > 0 && canCut(run, end)) break;
    end = Math.max(end + lines, close + 1);
  }
  const trimmed = trimEnd(run, end, emphasized);
  return trimmed > 0 ? trimmed : run.text.length;
}

function trimEnd(run: Run, from: number, emphasized: boolean): number {
  let end = from;
  while (end > 0 && !run.escaped[end - 1]) {
    const char = run.text[end - 1] ?? '';
    // The brackets of a glob are part of it.
    if (!trailers.has(char) || char === ']' || char === '}' || (char === '*' && !emphasized)) break;
    end -= 1;
  }
  return end;
}

/** Length of the line numbers that stand at an index (`:10-40`), 0 when none do. */
function linesAt(text: string, at: number): number {
  if (text[at] !== ':') return 0;
  return /^:L?\d+(?:(?:-|–|\.\.)L?\d+|:\d+)?/.exec(text.slice(at, at + 32))?.[0].length ?? 0;
}

/** The index of the bracket that closes the one at `at`; `at` itself when none opens there or none closes it. */
function closeOf(run: Run, at: number): number {
  const opener = run.text[at] ?? '';
  const closer = { '[': ']', '{': '}' }[opener];
  if (!closer || run.escaped[at]) return at;
  let depth = 0;
  for (let index = at; index < run.text.length; index += 1) {
    if (run.text[index] === opener) depth += 1;
    else if (run.text[index] === closer) depth -= 1;
    if (depth === 0) return index;
  }
  return at;
}

function canCut(run: Run, at: number): boolean {
  if (run.escaped[at]) return false;
  const char = run.text[at] ?? '';
  // Languages without blanks: `@src/a.tsを読んで`.
  return cutters.has(char) || (isAscii(run.text[at - 1] ?? '') && !isAscii(char));
}

function addWithTrailers(run: Run, end: number, ends: Set<number>): void {
  for (let at = end; at > 0; at -= 1) {
    if (!isPartOfDots(run.text, at)) ends.add(at);
    if (run.escaped[at - 1] || !trailers.has(run.text[at - 1] ?? '')) return;
  }
}

/** Whether a length would cut a name of several dots short. */
function isPartOfDots(text: string, end: number): boolean {
  if (end === text.length || !/^\.+$/.test(text.slice(0, end))) return false;
  return end > 1 || text[end] === '.';
}

function isAscii(char: string): boolean {
  return char < '\u0080';
}
