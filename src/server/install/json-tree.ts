import { createScanner, findNodeAtLocation, type Node, parseTree } from 'jsonc-parser/lib/esm/main.js';
import { lineEnd } from './config-text.ts';

export type JsonPath = readonly (string | number)[];

function nodeAt(text: string, path: JsonPath): Node | undefined {
  const root = parseTree(text, [], { allowTrailingComma: true });
  return root && findNodeAtLocation(root, [...path]);
}

/** The whitespace at the beginning of the line that an offset is in. */
function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start))?.[0] ?? '';
}

/** What one level of indentation is in this text. */
function indentUnit(text: string): string {
  const first = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  return first.startsWith('\t') ? '\t' : first;
}

function startsItsLine(text: string, offset: number): boolean {
  return text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset).trim() === '';
}

interface After {
  /** Where a comma stands that follows. */
  comma?: number;
  /** Where the line ends, when nothing but that comma and a comment stands on it. */
  endOfLine?: number;
}

/** What follows a value: its comma, wherever it is, and whether the rest of its line is only a comment. */
function whatFollows(text: string, offset: number): After {
  const scanner = createScanner(text);
  scanner.setPosition(offset);
  const found: After = {};
  let isSameLine = true;
  for (;;) {
    scanner.scan();
    // The kinds of tokens are a const enum of the package, which an isolated build cannot read: the text says as much.
    const start = scanner.getTokenOffset();
    const token = text.slice(start, start + scanner.getTokenLength());
    const isComment = token.startsWith('//') || token.startsWith('/*');
    if (token === ',' && found.comma === undefined) {
      found.comma = start;
      if (!isSameLine) return found;
    } else if (!isComment && token !== '' && token.trim() === '') {
      if (!/[\r\n]/.test(token)) continue;
      if (isSameLine) found.endOfLine = start;
      isSameLine = false;
      if (found.comma !== undefined) return found;
    } else if (!isComment) {
      return found;
    }
  }
}

function written(text: string, value: unknown, indent: string): string {
  const eol = lineEnd(text);
  return JSON.stringify(value, null, indentUnit(text)).replaceAll('\n', `${eol}${indent}`);
}

function cut(text: string, from: number, to: number, put = ''): string {
  return text.slice(0, from) + put + text.slice(to);
}

/** Replaces the value that stands at a path. */
export function replaceValue(text: string, path: JsonPath, value: unknown): string {
  const node = nodeAt(text, path);
  if (!node) throw new TypeError(`no value at ${path.join('.')}`);
  return cut(text, node.offset, node.offset + node.length, written(text, value, indentAt(text, node.offset)));
}

/**
 * Adds a property to an object, or an item to an array (`key` undefined), behind the last one. The comment that stands
 * behind that one stays with it.
 */
export function append(text: string, path: JsonPath, key: string | undefined, value: unknown): string {
  const parent = nodeAt(text, path);
  if (!parent) throw new TypeError(`nothing at ${path.join('.')}`);
  const name = key === undefined ? '' : `${JSON.stringify(key)}: `;
  const last = parent.children?.at(-1);
  const eol = lineEnd(text);
  if (!last) {
    const outer = indentAt(text, parent.offset);
    const inner = outer + indentUnit(text);
    const close = parent.offset + parent.length - 1;
    const kept = text.slice(parent.offset + 1, close).trimEnd();
    const start = parent.offset + 1 + kept.length;
    return cut(text, start, close, `${eol}${inner}${name}${written(text, value, inner)}${eol}${outer}`);
  }
  const end = last.offset + last.length;
  const { comma, endOfLine } = whatFollows(text, end);
  const withComma = comma === undefined ? cut(text, end, end, ',') : text;
  const shift = comma === undefined ? 1 : 0;
  if (!startsItsLine(text, last.offset)) {
    const at = comma === undefined ? end + 1 : comma + 1;
    return cut(withComma, at, at, ` ${name}${JSON.stringify(value)}`);
  }
  const indent = indentAt(text, last.offset);
  const at = endOfLine === undefined || (comma ?? 0) > endOfLine ? (comma ?? end) + 1 : endOfLine + shift;
  // A text that ends its last property with a comma goes on doing so.
  const tail = comma === undefined ? '' : ',';
  return cut(withComma, at, at, `${eol}${indent}${name}${written(text, value, indent)}${tail}`);
}

/** Removes a property or an array item with its comma; the comments around it stay. */
export function remove(text: string, path: JsonPath): string {
  const node = nodeAt(text, path);
  // A value of an object hangs in its property, one of an array in the array itself.
  const child = node?.parent?.type === 'property' ? node.parent : node;
  const siblings = child?.parent?.children;
  if (!child || !siblings) throw new TypeError(`nothing to remove at ${path.join('.')}`);
  const at = siblings.indexOf(child);
  let from = child.offset;
  let to = child.offset + child.length;
  const { comma } = whatFollows(text, to);
  if (comma !== undefined) to = comma + 1;
  const ownLine = startsItsLine(text, from);
  const restOfLine = /^[ \t]*(\r?\n|$)/.exec(text.slice(to));
  if (ownLine && restOfLine) {
    from = text.lastIndexOf('\n', from - 1) + 1;
    to += restOfLine[0].length;
  } else if (!ownLine && comma !== undefined) {
    to += /^[ \t]*/.exec(text.slice(to))?.[0].length ?? 0;
  }
  const previous = siblings[at - 1];
  if (at !== siblings.length - 1 || comma !== undefined || !previous) return cut(text, from, to);
  const lost = whatFollows(text, previous.offset + previous.length).comma;
  if (lost === undefined) return cut(text, from, to);
  // The comma before the last one goes with it, and on the same line the space between the two.
  if (text.slice(lost + 1, from).trim() === '' && !ownLine) from = lost + 1;
  return cut(cut(text, from, to), lost, lost + 1);
}
