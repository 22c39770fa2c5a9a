import { closes, type FenceLine, fenceOf, isNewMarker, isOldMarker } from './lines.ts';

/**
 * The index of the line that closes the block of an edit, or undefined when none does.
 *
 * A block opened with more than three marks ends at the first line that can close it, as Markdown says. Three marks are
 * what models write by habit, also around code that has such lines itself; there the first closing line is often not
 * the last one. What decides then, in this order: a block with a language opened inside takes its own closing line;
 * `NEW` has as many fence lines as `OLD`; the closing line has nothing, or a blank line, behind it.
 */
export function endOfBlock(lines: readonly string[], open: number, regionEnd: number): number | undefined {
  const fence = fenceOf(lines[open] ?? '');
  if (!fence) return undefined;
  const oldAt = find(lines, open + 1, regionEnd, isOldMarker);
  const newAt = oldAt === undefined ? undefined : find(lines, oldAt + 1, regionEnd, isNewMarker);
  if (oldAt === undefined || newAt === undefined) return undefined;
  if (fence.length > 3) return find(lines, newAt + 1, regionEnd, (line) => closes(line, fence));
  const inOld = lines.slice(oldAt + 1, newAt).filter((line) => isRelated(line, fence)).length;
  return choose(lines, candidatesBehind(lines, newAt, regionEnd, fence), inOld, regionEnd);
}

interface End {
  at: number;
  /** Fence lines between `NEW:` and this one. */
  fencesBefore: number;
}

function candidatesBehind(
  lines: readonly string[],
  newAt: number,
  regionEnd: number,
  open: FenceLine,
): End[] {
  const ends: End[] = [];
  let depth = 0;
  let fences = 0;
  for (let at = newAt + 1; at < regionEnd; at += 1) {
    const line = lines[at] ?? '';
    if (!isRelated(line, open)) continue;
    if (!closes(line, open)) depth += 1;
    else if (depth > 0) depth -= 1;
    else ends.push({ at, fencesBefore: fences });
    fences += 1;
  }
  return ends;
}

function choose(
  lines: readonly string[],
  ends: readonly End[],
  inOld: number,
  regionEnd: number,
): number | undefined {
  const alike = inOld > 0 ? ends.find((end) => end.fencesBefore === inOld) : undefined;
  const clean = ends.find((end) => end.at + 1 >= regionEnd || (lines[end.at + 1] ?? '').trim() === '');
  return (alike ?? clean ?? ends.at(-1))?.at;
}

function isRelated(line: string, open: FenceLine): boolean {
  return fenceOf(line)?.char === open.char;
}

function find(
  lines: readonly string[],
  from: number,
  end: number,
  test: (line: string) => boolean,
): number | undefined {
  for (let at = from; at < end; at += 1) if (test(lines[at] ?? '')) return at;
  return undefined;
}
