import type { InlinedFile } from '../inline/inlined-file.ts';
import type { Root } from '../jail/root.ts';
import type { Pace } from '../pace.ts';
import { printable } from '../printable.ts';
import { type Edit, type ParsedEdit, placeOf } from './edit.ts';
import { linesOfOccurrences, nearMiss, occurrences } from './find-text.ts';
import { readSource, type Source } from './source-text.ts';

export interface Checked {
  /** Those that can be applied, one after another. */
  good: Edit[];
  /** One sentence for each that cannot, with its place and the reason. */
  failed: string[];
  /** Files that changed since they were sent with the prompt. */
  stale: string[];
}

/** An edit that passed, and where in its file it applies. */
interface Placed {
  edit: Edit;
  from: number;
  to: number;
}

interface FileState {
  source: Source;
  placed: Placed[];
  /** The text as it is after the edits so far. */
  working: string;
}

/**
 * Holds edits against the files as they are now: the old text must be there, once, inside the root, and not within
 * another edit. Of several readings of an edit the longest old text that fits is taken: a file that holds a line
 * `NEW:` itself is the only way for two of them to fit.
 */
export async function checkEdits(
  edits: readonly ParsedEdit[],
  context: { root: Root; sent: readonly InlinedFile[]; pace: Pace },
): Promise<Checked> {
  const files = new Map<string, FileState>();
  const checked: Checked = { good: [], failed: [], stale: [] };
  for (const edit of edits) {
    await context.pace();
    const file = await stateOf(files, edit.path, context);
    const result = placeEdit(edit, file);
    if ('reason' in result) checked.failed.push(`${printable(placeOf(edit))}: ${result.reason}`);
    else {
      file.placed.push(result);
      checked.good.push(result.edit);
    }
  }
  for (const { source } of new Set(files.values()))
    if (source.kind === 'text' && source.stale) checked.stale.push(source.name);
  return checked;
}

/** Two names of one file share one state. */
async function stateOf(
  files: Map<string, FileState>,
  path: string,
  context: { root: Root; sent: readonly InlinedFile[] },
): Promise<FileState> {
  const known = files.get(path);
  if (known) return known;
  const source = await readSource(context.root, path, context.sent);
  const same = source.kind === 'unusable' ? undefined : files.get(`\0${source.name}`);
  const state = same ?? { source, placed: [], working: source.kind === 'text' ? source.text : '' };
  files.set(path, state);
  if (source.kind !== 'unusable') files.set(`\0${source.name}`, state);
  return state;
}

function placeEdit(edit: ParsedEdit, file: FileState): Placed | { reason: string } {
  const { source } = file;
  const first = edit.readings[0];
  if (!first || edit.readings.every((reading) => reading.old.trim() === '' && reading.new.trim() === ''))
    return { reason: `Empty edit for ${printable(edit.path)}` };
  if (source.kind === 'unusable') return { reason: source.reason };
  const text = source.kind === 'text' ? source.text : '';
  const made = { path: source.name, ...(edit.line !== undefined && { line: edit.line }) };
  if (text === '') return placeWhole(edit, first, made, file);
  const fitting = fittingReading(edit, text);
  if (!fitting) return { reason: whyNot(first.old, first.new, text) };
  if (fitting.old === fitting.new) return { reason: 'it changes nothing' };
  const from = text.indexOf(fitting.old);
  const placed: Placed = { edit: { ...made, ...fitting }, from, to: from + fitting.old.length };
  return fitWithOthers(placed, file);
}

/** An edit of a file that is new or empty. */
function placeWhole(
  edit: ParsedEdit,
  first: { old: string; new: string },
  made: { path: string; line?: number },
  file: FileState,
): Placed | { reason: string } {
  const empty = edit.readings.find((reading) => reading.old.trim() === '');
  if (!empty)
    return {
      reason: file.source.kind === 'absent' ? 'there is no such file' : whyNot(first.old, first.new, ''),
    };
  if (file.placed.length > 0) return { reason: 'an earlier edit makes this file already' };
  file.working = empty.new;
  return { edit: { ...made, old: '', new: empty.new }, from: 0, to: 0 };
}

/** The reading with the longest old text that occurs exactly once, else the same without blank lines around it. */
function fittingReading(edit: ParsedEdit, text: string): { old: string; new: string } | undefined {
  const readings = edit.readings.toReversed();
  const exact = readings.find((reading) => reading.old !== '' && occurrences(text, reading.old, 2) === 1);
  if (exact) return exact;
  // Models put blank lines behind OLD: and before NEW: for looks.
  return readings
    .map((reading) => ({ old: withoutBlankEnds(reading.old), new: withoutBlankEnds(reading.new) }))
    .find((reading) => reading.old !== '' && occurrences(text, reading.old, 2) === 1);
}

function withoutBlankEnds(text: string): string {
  return text.replace(/^(?:[ \t]*\n)+/, '').trimEnd();
}

function whyNot(old: string, replacement: string, text: string): string {
  if (old.trim() === '')
    return 'its OLD text is empty, but the file has content: it does not say where the new text goes';
  const count = occurrences(text, old, 20);
  if (count > 1)
    return `its OLD text occurs ${count === 20 ? 'at least 20' : count} times in the file (lines ${linesOfOccurrences(text, old, 5).join(', ')}${count > 5 ? ', …' : ''})`;
  if (replacement.trim() !== '' && occurrences(text, replacement, 1) === 1)
    return 'its OLD text is not in the file, but its NEW text is: it seems to be applied already';
  const hint = nearMiss(text, old);
  return `its OLD text is not in the file${hint ? ` (${hint})` : ''}`;
}

function fitWithOthers(placed: Placed, file: FileState): Placed | { reason: string } {
  const other = file.placed.find((earlier) => placed.from < earlier.to && earlier.from < placed.to);
  if (other) return { reason: `it overlaps the edit at ${printable(placeOf(other.edit))}` };
  const { old } = placed.edit;
  if (occurrences(file.working, old, 2) !== 1)
    return { reason: 'its OLD text would no longer occur exactly once after the edits before it' };
  const at = file.working.indexOf(old);
  file.working = file.working.slice(0, at) + placed.edit.new + file.working.slice(at + old.length);
  return placed;
}
