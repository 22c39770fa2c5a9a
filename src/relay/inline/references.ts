import { endsOf, likelyEnd, type Run } from './reference-ends.ts';

/** Lines from and to, from 1, both included. */
export interface LineRange {
  from: number;
  to: number;
}

/** One way to read the text behind an `@`. Which one holds is decided by what exists. */
export interface Candidate {
  /** Index in the prompt behind the last character that belongs to the reference. */
  end: number;
  /** The name, escapes taken out. */
  path: string;
  /** The same as typed, for globs. */
  pattern: string;
  range?: LineRange;
}

/** An `@` in a place where a reference can stand. */
export interface Reference {
  /** Index of the `@`. */
  start: number;
  /** The character before it, '' at the start of the prompt. */
  before: string;
  /** Longest first; never empty. */
  candidates: Candidate[];
  /** The one a reader would take, where nothing on disk decides. */
  likely: Candidate;
  /** The name is between quotation marks of its own, so it was meant as one. */
  quoted: boolean;
}

const longestName = 4096;
const closers: Record<string, string> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '“': '”',
  '‘': '’',
  '«': '»',
  '「': '」',
};
const openers = new Set('"\'`“‘«「『（【([{<>,;:=|!*~…—–、，；：。'.split(''));

/**
 * The references of a prompt, in order. An `@` counts at the start, behind white space, and behind an opening bracket,
 * a quotation mark or other punctuation; inside a word (`name@host`, `pkg@1.2`) it never does. Pure: whether a
 * reference names anything is not looked up here. Where a long prompt has none, undefined comes now and then, so that
 * the caller can pause.
 *
 * Forms: `@a/b.ts`, `@"my file.ts"`, `"@my file.ts"`, `@my\ file.ts`, `@src/`, `@.`, `@src/**\/*.ts`, each with
 * `:10`, `:10-40`, `#L10-L40` behind it. Punctuation that follows is not part of the name, unless such a name exists.
 */
export function* findReferences(prompt: string): Generator<Reference | undefined> {
  let skipped = 0;
  for (let start = prompt.indexOf('@'); start !== -1; start = prompt.indexOf('@', start + 1)) {
    const reference = canStandBehind(prompt, start) ? referenceAt(prompt, start) : undefined;
    skipped = reference ? 0 : skipped + 1;
    if (reference || skipped % skippedBetweenPauses === 0) yield reference;
  }
}

const skippedBetweenPauses = 1000;

function canStandBehind(prompt: string, start: number): boolean {
  let at = start - 1;
  // Markdown emphasis: `_@a.ts_` but not `snake_@x`.
  while (prompt[at] === '_' && start - at <= 3) at -= 1;
  const before = prompt[at];
  return before === undefined || openers.has(before) || /\s/.test(before);
}

function referenceAt(prompt: string, start: number): Reference | undefined {
  const before = prompt[start - 1] ?? '';
  const first = prompt[start + 1] ?? '';
  if (first === '"' || first === "'" || first === '`') {
    const candidates = quotedAt(prompt, start + 1, first);
    const likely = candidates.at(-1);
    return likely && { start, before, candidates, likely, quoted: true };
  }
  const run = readRun(prompt, start + 1);
  if (run.text === '') return undefined;
  const candidates = endsOf(run).flatMap((end) => withRange(bareAt(prompt, start + 1, run, end)));
  const likely = withRange(bareAt(prompt, start + 1, run, likelyEnd(run, before === '*'))).at(-1);
  const closer = closers[before];
  const inner = closer && textUntil(prompt, start + 1, closer);
  // Without a blank inside, the bare reading finds the same.
  if (inner && /\s/.test(inner.pattern)) candidates.unshift(...withRange({ ...inner, end: inner.end - 1 }));
  return likely && { start, before, candidates, likely, quoted: false };
}

function bareAt(prompt: string, from: number, run: Run, length: number): Candidate {
  const end = run.origin[length] ?? run.end;
  return { end, path: run.text.slice(0, length), pattern: prompt.slice(from, end) };
}

/** `"my file.ts"` and what may follow it: `:10-40`. */
function quotedAt(prompt: string, at: number, quote: string): Candidate[] {
  const inner = textUntil(prompt, at + 1, quote);
  if (!inner) return [];
  const suffix = /^[:#]L?(\d{1,9})(?:(?:-|–|\.\.)L?(\d{1,9}))?/.exec(prompt.slice(inner.end, inner.end + 32));
  if (!suffix) return withRange(inner);
  const range = rangeOf(suffix[1], suffix[2]);
  return [{ ...inner, end: inner.end + suffix[0].length, ...(range && { range }) }];
}

/** The text up to a closing mark on the same line; `end` is the index behind that mark. */
function textUntil(prompt: string, from: number, closer: string): Candidate | undefined {
  let path = '';
  for (let at = from; at < prompt.length && at - from <= longestName; at += 1) {
    const char = prompt[at] ?? '';
    if (char === '\n' || char === '\r') return undefined;
    if (char === closer)
      return path === '' ? undefined : { end: at + 1, path, pattern: prompt.slice(from, at) };
    const next = prompt[at + 1] ?? '';
    if (char === '\\' && (next === closer || next === '\\')) at += 1;
    path += prompt[at] ?? '';
  }
  return undefined;
}

const escapable = /[ \t"'`()[\]{}<>,;:&|*?$!#@\\]/;

function readRun(prompt: string, from: number): Run {
  const run: Run = { text: '', origin: [], escaped: [], end: from };
  let at = from;
  for (; at < prompt.length && run.text.length < longestName; at += 1) {
    let char = prompt[at] ?? '';
    const next = prompt[at + 1] ?? '';
    // Before any other character a backslash is a folder separator of Windows.
    const escapes = char === '\\' && escapable.test(next);
    if (!escapes && /\s/.test(char)) break;
    run.origin.push(at);
    run.escaped.push(escapes);
    if (escapes) {
      at += 1;
      char = next;
    }
    run.text += char;
  }
  run.end = at;
  return run;
}

const rangeSuffix = /^(.+?)[:#]L?(\d{1,9})(?:(?:-|–|\.\.)L?(\d{1,9})|:\d{1,9})?$/s;

/** The reading as a plain name and, where it ends like one, as a name with lines. */
function withRange(candidate: Candidate): Candidate[] {
  const parts = rangeSuffix.exec(candidate.path);
  const range = parts && rangeOf(parts[2], parts[3]);
  if (!parts?.[1] || !range) return [candidate];
  const suffixLength = candidate.path.length - parts[1].length;
  return [
    candidate,
    { ...candidate, path: parts[1], pattern: candidate.pattern.slice(0, -suffixLength), range },
  ];
}

function rangeOf(first: string | undefined, second: string | undefined): LineRange | undefined {
  const from = Number(first);
  const to = second === undefined ? from : Number(second);
  return from >= 1 && to >= from ? { from, to } : undefined;
}
