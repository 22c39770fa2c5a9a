import { matchSegment, parseSegment, type Segment } from './segment.ts';

/**
 * Patterns over whole paths, matched name by name from the root down: `**` stands for any number of folders. Because
 * the state after each folder is kept, a walk can tell which folders cannot hold a match and leave them unread.
 */
export interface PathPattern {
  segments: (Segment | '**')[];
}

/** Positions in a pattern that the names read so far lead to; empty = nothing beneath can match. */
export type Positions = readonly number[];

/** @param path the pattern with `/` between names, without a leading or a trailing one. */
export function parsePathPattern(path: string): PathPattern {
  const segments: (Segment | '**')[] = [];
  for (const name of path.split('/')) {
    if (name !== '**') segments.push(parseSegment(name));
    else if (segments.at(-1) !== '**') segments.push('**');
  }
  return { segments };
}

export function startPositions(pattern: PathPattern): Positions {
  const reached = new Set<number>();
  reach(pattern, 0, reached);
  return [...reached];
}

/** The positions after one more name. */
export function advance(pattern: PathPattern, positions: Positions, name: string): Positions {
  const reached = new Set<number>();
  for (const position of positions) {
    const segment = pattern.segments[position];
    if (segment === undefined) continue;
    if (segment === '**') {
      reach(pattern, position, reached);
      // A last `**` takes everything beneath, but not the folder itself.
      if (position === pattern.segments.length - 1) reached.add(position + 1);
    } else if (matchSegment(segment, name)) {
      reach(pattern, position + 1, reached);
    }
  }
  return [...reached];
}

/** Whether the names read so far are a whole match. */
export function isMatch(pattern: PathPattern, positions: Positions): boolean {
  return positions.includes(pattern.segments.length);
}

function reach(pattern: PathPattern, position: number, reached: Set<number>): void {
  reached.add(position);
  const last = pattern.segments.length - 1;
  if (pattern.segments[position] === '**' && position < last) reached.add(position + 1);
}
