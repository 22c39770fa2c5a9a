import type { Parsed, ParsedEdit } from './edit.ts';
import { endOfBlock } from './end-of-block.ts';
import { closes, type FileHeader, fenceOf, headerOf, isNewMarker, isOldMarker } from './lines.ts';

/**
 * Reads the edits out of a model's reply. Whatever stands around them is skipped. What begins like an edit and cannot
 * be read is told as a problem, never guessed at.
 */
export function parseEdits(reply: string): Parsed {
  const lines = reply.replaceAll('\r\n', '\n').split('\n');
  const starts = findStarts(lines);
  const parsed: Parsed = { edits: [], problems: [] };
  let behind = 0;
  for (const [index, start] of starts.slice(0, mostEdits).entries()) {
    // A header within the block of the edit before it is part of that edit's text.
    if (start.at < behind) continue;
    const certain = certainEnd(lines, start.body) ?? 0;
    const regionEnd = starts.slice(index + 1).find((next) => next.at >= certain)?.at ?? lines.length;
    const read = readEdit(lines, start, regionEnd);
    if ('problem' in read) parsed.problems.push(read.problem);
    else {
      parsed.edits.push(read.edit);
      behind = read.end;
    }
  }
  if (starts.length > mostEdits)
    parsed.problems.push(`only the first ${mostEdits} edits of the reply were read`);
  return parsed;
}

const mostEdits = 2000;

interface Start {
  at: number;
  header: FileHeader;
  /** Index of the opening fence, or of the `OLD:` line where there is none. */
  body: number;
}

/** The lines that begin an edit: a header with a block or an `OLD:` line behind it. */
function findStarts(lines: readonly string[]): Start[] {
  const starts: Start[] = [];
  for (const [at, line] of lines.entries()) {
    const header = headerOf(line);
    if (!header) continue;
    const body = skipBlank(lines, at + 1);
    const next = lines[body] ?? '';
    if (isOldMarker(next) || (fenceOf(next) && isOldMarker(lines[skipBlank(lines, body + 1)] ?? '')))
      starts.push({ at, header, body });
  }
  return starts;
}

function skipBlank(lines: readonly string[], from: number): number {
  let at = from;
  while (at < lines.length && (lines[at] ?? '').trim() === '') at += 1;
  return at;
}

/** A fence of more than three marks says where its block ends, so a header before that is text. */
function certainEnd(lines: readonly string[], body: number): number | undefined {
  const fence = fenceOf(lines[body] ?? '');
  return fence && fence.length > 3 ? endOfBlock(lines, body, lines.length) : undefined;
}

function readEdit(
  lines: readonly string[],
  start: Start,
  regionEnd: number,
): { edit: ParsedEdit; end: number } | { problem: string } {
  const { header, body } = start;
  const place = header.path || `line ${start.at + 1} of the reply`;
  if (header.path === '') return { problem: 'Edit missing filename' };
  const fence = fenceOf(lines[body] ?? '');
  const oldAt = fence ? skipBlank(lines, body + 1) : body;
  if (!lines.slice(oldAt + 1, regionEnd).some(isNewMarker))
    return { problem: `${place}: the edit has no NEW: part` };
  let end = fence ? endOfBlock(lines, body, regionEnd) : trimmedEnd(lines, oldAt, regionEnd);
  if (end === undefined) {
    // A block that is still open where the reply ends was cut off; before the next edit it was only not closed.
    if (regionEnd === lines.length) return { problem: `${place}: the reply ends within this edit` };
    end = trimmedEnd(lines, oldAt, regionEnd);
  }
  const readings = [];
  for (let at = oldAt + 1; at < end; at += 1) {
    if (!isNewMarker(lines[at] ?? '')) continue;
    const take = fence ? textOf : textOfBlock;
    readings.push({ old: take(lines, oldAt + 1, at), new: take(lines, at + 1, end) });
  }
  return {
    edit: { path: header.path, ...(header.line !== undefined && { line: header.line }), readings },
    end,
  };
}

function trimmedEnd(lines: readonly string[], from: number, regionEnd: number): number {
  let end = regionEnd;
  while (end > from && (lines[end - 1] ?? '').trim() === '') end -= 1;
  return end;
}

function textOf(lines: readonly string[], from: number, end: number): string {
  return lines.slice(from, end).join('\n');
}

/** The same where `OLD:` and `NEW:` stand outside of blocks and each has one of its own. */
function textOfBlock(lines: readonly string[], from: number, end: number): string {
  const first = skipBlank(lines, from);
  const fence = first < end ? fenceOf(lines[first] ?? '') : undefined;
  if (!fence) return textOf(lines, from, end);
  let last = end - 1;
  while (last > first && !closes(lines[last] ?? '', fence)) last -= 1;
  return last > first ? textOf(lines, first + 1, last) : textOf(lines, from, end);
}
