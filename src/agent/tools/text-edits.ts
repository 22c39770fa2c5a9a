import { dominantLineEnd } from './text-encoding.ts';

export interface Edit {
  /** Text to be replaced. Line ends may be written either way. */
  target: string;
  replacement: string;
  /** Replace every occurrence; otherwise there must be exactly one. */
  allowMultiple: boolean;
  /** Lines, counted from 1 and both included, that the target must lie in. */
  startLine?: number;
  endLine?: number;
}

/** An edit that does not fit the text. The message is for the model. */
export class EditError extends Error {
  override name = 'EditError';
}

interface Span {
  start: number;
  end: number;
  replacement: string;
}

const unify = (text: string): string => text.replaceAll('\r\n', '\n');

function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** Offset of the start of a line; the text's length behind the last one. */
function offsetOfLine(text: string, line: number): number {
  let at = 0;
  for (let current = 1; current < line; current++) {
    const next = text.indexOf('\n', at);
    if (next === -1) return text.length;
    at = next + 1;
  }
  return at;
}

function occurrences(text: string, target: string, from: number, to: number, overlapping: boolean): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(target, from); at !== -1 && at + target.length <= to; ) {
    found.push(at);
    at = text.indexOf(target, at + (overlapping ? 1 : target.length));
  }
  return found;
}

/** Where the target would be found if blanks at the ends of its lines did not count. */
function looseLine(text: string, target: string): number | undefined {
  const wanted = target.split('\n').map((line) => line.trim());
  while (wanted.length > 1 && wanted.at(-1) === '') wanted.pop();
  const lines = text.split('\n').map((line) => line.trim());
  for (let at = 0; at + wanted.length <= lines.length; at++) {
    if (wanted.every((line, index) => line === lines[at + index])) return at + 1;
  }
  return undefined;
}

function explainMissing(text: string, edit: Edit, target: string): string {
  const range = edit.startLine === undefined && edit.endLine === undefined ? '' : ' in the given lines';
  const start = `TargetContent was not found${range}`;
  const elsewhere = text.indexOf(target);
  if (elsewhere !== -1) return `${start}; it is at line ${lineOf(text, elsewhere)}`;
  if (target.split('\n').every((line) => line === '' || /^\s*\d+: /.test(line)))
    return `${start}; leave out the line numbers that view_file shows`;
  const loose = target.trim() === '' ? undefined : looseLine(text, target);
  return loose === undefined
    ? `${start}; view the file again and copy the text exactly`
    : `${start}; line ${loose} differs from it only in blanks or tabs`;
}

function locate(text: string, edit: Edit, replacement: string): Span[] {
  const target = unify(edit.target);
  if (target === '') {
    if (text !== '') throw new EditError('TargetContent is empty; name the text to be replaced');
    return [{ start: 0, end: 0, replacement }];
  }
  if (target === replacement) throw new EditError('TargetContent and ReplacementContent are the same');
  const from = edit.startLine === undefined ? 0 : offsetOfLine(text, edit.startLine);
  const to = edit.endLine === undefined ? text.length : offsetOfLine(text, edit.endLine + 1);
  const found = occurrences(text, target, from, to, !edit.allowMultiple);
  if (found.length === 0) throw new EditError(explainMissing(text, edit, target));
  if (found.length > 1 && !edit.allowMultiple) {
    const lines = found.slice(0, 10).map((at) => lineOf(text, at));
    throw new EditError(
      `TargetContent was found ${found.length} times (lines ${lines.join(', ')}${found.length > 10 ? ', …' : ''}); ` +
        'it must be found exactly once: add text around it, give StartLine and EndLine, or set AllowMultiple',
    );
  }
  return found.map((start) => ({ start, end: start + target.length, replacement }));
}

/** Maps an offset in the text with `\n` ends to one in the text as it is. */
function createOffsetMap(original: string): (offset: number) => number {
  const ends: number[] = [];
  for (let at = original.indexOf('\r\n'); at !== -1; at = original.indexOf('\r\n', at + 2))
    ends.push(at - ends.length);
  return (offset) => {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return offset + low;
  };
}

export interface EditedText {
  text: string;
  /** How many places were changed. */
  replaced: number;
  /** Line of each change in the old text, in order. */
  lines: number[];
}

/**
 * Applies edits that all refer to the same text, all or none. Line ends outside the replaced places stay as they are;
 * replacements get the one that the text uses most.
 * @throws {EditError}
 */
export function applyEdits(original: string, edits: readonly Edit[]): EditedText {
  const text = unify(original);
  const lineEnd = dominantLineEnd(original);
  const spans = edits
    .flatMap((edit) => locate(text, edit, unify(edit.replacement)))
    .sort((a, b) => a.start - b.start);
  for (const [index, span] of spans.entries()) {
    const before = spans[index - 1];
    if (before && span.start < before.end)
      throw new EditError(`two replacements overlap at line ${lineOf(text, span.start)}; join them into one`);
  }
  const toOriginal = createOffsetMap(original);
  let result = '';
  let at = 0;
  for (const span of spans) {
    const replacement = lineEnd === '\n' ? span.replacement : span.replacement.replaceAll('\n', lineEnd);
    result += original.slice(at, toOriginal(span.start)) + replacement;
    at = toOriginal(span.end);
  }
  result += original.slice(at);
  return { text: result, replaced: spans.length, lines: spans.map((span) => lineOf(text, span.start)) };
}
