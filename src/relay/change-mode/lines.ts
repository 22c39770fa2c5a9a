/** A line that opens or closes a code block in Markdown. */
export interface FenceLine {
  char: '`' | '~';
  length: number;
  /** Nothing stands behind it, so it can close a block. */
  bare: boolean;
}

export function fenceOf(line: string): FenceLine | undefined {
  const parts = /^\s{0,3}(`{3,}|~{3,})([^\n]*)$/.exec(line);
  if (!parts) return undefined;
  const [, marks = '', info = ''] = parts;
  const char = marks.startsWith('~') ? '~' : '`';
  // A backtick behind a row of backticks makes it code within a line.
  if (char === '`' && info.includes('`')) return undefined;
  return { char, length: marks.length, bare: info.trim() === '' };
}

/** Whether a line can close a block that was opened like this. */
export function closes(line: string, open: FenceLine): boolean {
  const fence = fenceOf(line);
  return fence !== undefined && fence.bare && fence.char === open.char && fence.length >= open.length;
}

export function isOldMarker(line: string): boolean {
  return /^\s{0,3}(?:\*\*)?OLD(?::\*\*|\*\*:|:)\s*$/.test(line);
}

export function isNewMarker(line: string): boolean {
  return /^\s{0,3}(?:\*\*)?NEW(?::\*\*|\*\*:|:)\s*$/.test(line);
}

export interface FileHeader {
  path: string;
  line?: number;
}

/**
 * Reads `**FILE: src/a.ts:10**` and what models make of it: as a heading or a list entry, without the stars, with the
 * path in backticks, with a range (`:1-4`, `#L1-L4`), with no line at all.
 */
export function headerOf(line: string): FileHeader | undefined {
  // Longer than any path; the patterns below stay cheap.
  if (line.length > 1000) return undefined;
  const parts = /^\s{0,3}(?:#{1,6}\s+|[-+*]\s+|\d{1,4}[.)]\s+)?(?:\*\*|__)?\s*FILE:(.*)$/i.exec(line);
  if (!parts) return undefined;
  let text = (parts[1] ?? '').trim();
  text = text
    .replace(/^(?:\*\*|__)\s*/, '')
    .replace(/\s*(?:\*\*|__):?$/, '')
    .trim();
  text = text.replace(/^`([^`]+)`/, '$1').trim();
  const place = /^(.*?)(?::|#)L?(\d{1,9})(?:\s*(?:-|–|—|:|\.\.)\s*L?\d{1,9})?$/.exec(text);
  const path = (place ? (place[1] ?? '') : text).replace(/^`([^`]*)`?$/, '$1').trim();
  return { path, ...(place && { line: Number(place[2]) }) };
}
