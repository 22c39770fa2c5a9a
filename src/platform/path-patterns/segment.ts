/**
 * Patterns for one name of a path: `*`, `?`, `[a-z]`, `[!x]`, `\` before a literal character.
 * Matching takes at most pattern length × name length steps. The regular expressions that glob packages build can take
 * hours on a hostile name or .gitignore (`*a*a*a*a*a*b`), and patterns here come from prompts and repositories.
 */
type Part = { kind: 'any' } | { kind: 'star' } | { kind: 'text'; char: string } | CharacterClass;

interface CharacterClass {
  kind: 'class';
  negated: boolean;
  ranges: [from: number, to: number][];
}

export interface Segment {
  parts: Part[];
  /** Set when the pattern is plain text. */
  literal?: string;
}

const namedClasses: Record<string, [number, number][]> = {
  alnum: [...spans('09AZaz')],
  alpha: [...spans('AZaz')],
  blank: [...spans('  \t\t')],
  digit: [...spans('09')],
  lower: [...spans('az')],
  punct: [...spans('!/:@[`{~')],
  space: [...spans('\t\r  ')],
  upper: [...spans('AZ')],
  xdigit: [...spans('09AFaf')],
};

function* spans(pairs: string): Generator<[number, number]> {
  for (let at = 0; at + 1 < pairs.length; at += 2) yield [pairs.charCodeAt(at), pairs.charCodeAt(at + 1)];
}

/** Reads the pattern of one name. A `[` that never closes is an ordinary character. */
export function parseSegment(pattern: string): Segment {
  const parts: Part[] = [];
  const chars = Array.from(pattern);
  for (let at = 0; at < chars.length; at += 1) {
    const char = chars[at] ?? '';
    if (char === '*') {
      if (parts.at(-1)?.kind !== 'star') parts.push({ kind: 'star' });
    } else if (char === '?') {
      parts.push({ kind: 'any' });
    } else if (char === '\\' && at + 1 < chars.length) {
      at += 1;
      parts.push({ kind: 'text', char: chars[at] ?? '' });
    } else {
      const found = char === '[' ? parseClass(chars, at) : undefined;
      parts.push(found ? found.part : { kind: 'text', char });
      if (found) at = found.end;
    }
  }
  const literal = parts.every((part) => part.kind === 'text');
  return literal
    ? { parts, literal: parts.map((part) => (part.kind === 'text' ? part.char : '')).join('') }
    : { parts };
}

function parseClass(chars: string[], start: number): { part: CharacterClass; end: number } | undefined {
  let at = start + 1;
  const negated = chars[at] === '!' || chars[at] === '^';
  if (negated) at += 1;
  const ranges: [number, number][] = [];
  for (let first = true; at < chars.length; first = false) {
    if (chars[at] === ']' && !first) return { part: { kind: 'class', negated, ranges }, end: at };
    const named = chars[at] === '[' && chars[at + 1] === ':' ? namedClassAt(chars, at) : undefined;
    if (named) {
      ranges.push(...named.ranges);
      at = named.end + 1;
      continue;
    }
    const from = codeAt(chars, at);
    at = from.next;
    if (chars[at] === '-' && at + 1 < chars.length && chars[at + 1] !== ']') {
      const to = codeAt(chars, at + 1);
      ranges.push([from.code, to.code]);
      at = to.next;
    } else {
      ranges.push([from.code, from.code]);
    }
  }
  return undefined;
}

function namedClassAt(
  chars: string[],
  start: number,
): { ranges: [number, number][]; end: number } | undefined {
  const text = chars.slice(start + 2, start + 12).join('');
  const close = text.indexOf(':]');
  const ranges = close === -1 ? undefined : namedClasses[text.slice(0, close)];
  return ranges && { ranges, end: start + 2 + close + 1 };
}

function codeAt(chars: string[], at: number): { code: number; next: number } {
  const escaped = chars[at] === '\\' && at + 1 < chars.length;
  const index = escaped ? at + 1 : at;
  return { code: chars[index]?.codePointAt(0) ?? 0, next: index + 1 };
}

/** Whether a name fits. Only the last star is ever tried again, which is enough and keeps the work bounded. */
export function matchSegment(segment: Segment, name: string): boolean {
  if (segment.literal !== undefined) return segment.literal === name;
  const chars = Array.from(name);
  const { parts } = segment;
  let at = 0;
  let part = 0;
  let star = -1;
  let starAt = 0;
  while (at < chars.length) {
    const current = parts[part];
    if (current?.kind === 'star') {
      star = part;
      starAt = at;
      part += 1;
    } else if (current && matchesChar(current, chars[at] ?? '')) {
      part += 1;
      at += 1;
    } else if (star >= 0) {
      starAt += 1;
      at = starAt;
      part = star + 1;
    } else {
      return false;
    }
  }
  while (parts[part]?.kind === 'star') part += 1;
  return part === parts.length;
}

function matchesChar(part: Part, char: string): boolean {
  if (part.kind === 'text') return part.char === char;
  if (part.kind !== 'class') return true;
  const code = char.codePointAt(0) ?? 0;
  return part.ranges.some(([from, to]) => code >= from && code <= to) !== part.negated;
}
