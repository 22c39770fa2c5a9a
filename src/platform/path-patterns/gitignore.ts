import { advance, isMatch, type PathPattern, parsePathPattern, startPositions } from './path-pattern.ts';
import { matchSegment, parseSegment, type Segment } from './segment.ts';

/** One line of a .gitignore (gitignore(5)). */
interface Rule {
  /** The line began with `!`: what it matches is not ignored. */
  keeps: boolean;
  foldersOnly: boolean;
  /** A pattern without a slash matches the name alone, at any depth. */
  name?: Segment;
  /** Any other is anchored at the folder of the file it stands in. */
  path?: PathPattern;
}

export interface IgnoreFile {
  rules: Rule[];
  /** How many names lie between the root and the folder of the file. */
  depth: number;
}

/** @param depth number of folders between the root and the one that holds the file. */
export function parseIgnoreFile(text: string, depth: number): IgnoreFile {
  const rules: Rule[] = [];
  for (const line of text.replace(/^\uFEFF/, '').split('\n')) {
    const rule = parseRule(line);
    if (rule) rules.push(rule);
  }
  return { rules, depth };
}

function parseRule(line: string): Rule | undefined {
  let text = line.replace(/\r$/, '');
  // Spaces at the end count only where the last of them is escaped.
  while (text.endsWith(' ') && !isEscaped(text, text.length - 1)) text = text.slice(0, -1);
  if (text === '' || text.startsWith('#')) return undefined;
  const keeps = text.startsWith('!');
  if (keeps) text = text.slice(1);
  const foldersOnly = text.endsWith('/');
  if (foldersOnly) text = text.slice(0, -1);
  if (text === '') return undefined;
  // git: a pattern that ends in a lone backslash matches nothing.
  if (text.endsWith('\\') && !isEscaped(text, text.length - 1)) return undefined;
  if (!text.includes('/')) return { keeps, foldersOnly, name: parseSegment(text) };
  return { keeps, foldersOnly, path: parsePathPattern(text.replace(/^\//, '')) };
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}

/**
 * Whether a path is ignored by the files from the root down to its folder. A file that lies deeper decides over one
 * above it, within a file the last matching line. The folders above the path are the caller's concern: what lies in an
 * ignored folder is never asked for.
 * @param files from the root downward.
 * @param names the path from the root, one name each.
 */
export function isIgnored(
  files: readonly IgnoreFile[],
  names: readonly string[],
  isFolder: boolean,
): boolean {
  const name = names.at(-1) ?? '';
  for (let index = files.length - 1; index >= 0; index -= 1) {
    const file = files[index];
    if (!file) continue;
    for (let at = file.rules.length - 1; at >= 0; at -= 1) {
      const rule = file.rules[at];
      if (!rule || (rule.foldersOnly && !isFolder)) continue;
      const hit = rule.name
        ? matchSegment(rule.name, name)
        : rule.path && matchPath(rule.path, names, file.depth);
      if (hit) return !rule.keeps;
    }
  }
  return false;
}

function matchPath(pattern: PathPattern, names: readonly string[], from: number): boolean {
  let positions = startPositions(pattern);
  for (let at = from; at < names.length && positions.length > 0; at += 1)
    positions = advance(pattern, positions, names[at] ?? '');
  return isMatch(pattern, positions);
}
