import { counted, printable } from '../printable.ts';
import type { Edit } from './edit.ts';

export interface ChunkPlace {
  /** From 1. */
  index: number;
  count: number;
  /** Where the other chunks can be had; undefined when there is one only. */
  cacheKey?: string;
}

/** What the whole set of edits is, for the summary. */
export interface EditTotals {
  /** Edits of each file, in the order of files. */
  files: { path: string; edits: number }[];
  edits: number;
}

export function totalsOf(edits: readonly Edit[]): EditTotals {
  const files = new Map<string, number>();
  for (const edit of edits) files.set(edit.path, (files.get(edit.path) ?? 0) + 1);
  return { edits: edits.length, files: [...files].map(([path, count]) => ({ path, edits: count })) };
}

/** A set of more edits than this is summed up before its first chunk. */
const editsWithoutSummary = 5;

/**
 * A chunk of edits as the caller reads it: header, one section for each edit, footer with the way to the next chunk.
 * The summary comes before the first chunk of a set of more than five edits, fresh or replayed.
 */
export function renderChunk(edits: readonly Edit[], place: ChunkPlace, totals: EditTotals): string {
  const summary =
    place.index === 1 && totals.edits > editsWithoutSummary ? [renderSummary(totals, place.count > 1)] : [];
  const sections = edits.map((edit, index) => renderEdit(edit, index + 1));
  return [...summary, renderHeader(edits.length, place), ...sections, renderFooter(place)].join('\n\n');
}

function renderHeader(count: number, place: ChunkPlace): string {
  const important =
    'IMPORTANT: Every text to replace was looked up in its file and occurs there exactly once. Apply the edits as they are, without reading the files first.';
  if (place.count === 1)
    return `[CHANGEMODE OUTPUT - Gemini has analyzed the files and provided these edits]

I have prepared ${counted(count, 'modification')} for your codebase.

${important}`;
  return `[CHANGEMODE OUTPUT - Chunk ${place.index} of ${place.count}]

The edits come in ${place.count} chunks; this is number ${place.index}.
This chunk holds ${counted(count, 'complete edit')}.
No edit is cut between chunks, and the edits of a file are kept together where they fit.
A chunk can be applied before the next one is fetched.

${important}`;
}

function renderEdit(edit: Edit, number: number): string {
  const remark = edit.old === '' ? 'This file is new or empty: the text below is all of it.\n\n' : '';
  return `### Edit ${number}: ${printable(edit.path)}

${remark}Replace this exact text:
${fenced(edit.old)}

With this text:
${fenced(edit.new)}`;
}

/** A block whose fence is longer than any row of backticks in the text, so that no text can end it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((row) => row[0].length));
  const fence = '`'.repeat(longest + 1);
  return text === '' ? `${fence}\n${fence}` : `${fence}\n${text}\n${fence}`;
}

function renderFooter(place: ChunkPlace): string {
  const apply =
    '---\n\nApply these edits in order. Each one replaces its text once; where the second block is empty, the text is deleted. If a text is not found, the file has changed since: ask again.';
  const next = renderNextStep(place);
  return next === '' ? apply : `${apply}\n\n${next}`;
}

/** How to get the chunk after this one; '' behind the last. */
export function renderNextStep(place: ChunkPlace): string {
  const rest = place.count - place.index;
  if (rest <= 0 || !place.cacheKey) return '';
  const verb = rest === 1 ? 'is' : 'are';
  return `**Next Step**: After these edits, fetch the next chunk with this call:

\`\`\`
gemini-fetch-chunk cacheKey="${place.cacheKey}" chunkIndex=${place.index + 1}
\`\`\`

There ${verb} ${counted(rest, 'more chunk')} containing additional edits.

**CONTINUE**: The work is done when the last chunk is applied.`;
}

function renderSummary(totals: EditTotals, chunked: boolean): string {
  const title = chunked ? 'ChangeMode Summary (Complete analysis across all chunks):' : 'ChangeMode Summary:';
  const files = totals.files.map((file) => `- ${printable(file.path)}: ${counted(file.edits, 'edit')}`);
  return `${title}
Total edits: ${totals.edits}${chunked ? ' (across all chunks)' : ''}
Files affected: ${totals.files.length}

${files.join('\n')}`;
}
