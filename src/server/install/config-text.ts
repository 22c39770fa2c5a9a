import type { Fields } from '../../contract/fields.ts';

/** A settings file that cannot be read or changed safely. Nothing was written; the message says what to do. */
export class ConfigTextError extends Error {
  override name = 'ConfigTextError';
}

/** How the settings of a client are written down. */
export type Dialect = 'json' | 'json-comments' | 'jsonc' | 'toml';

/** One notation of settings: how it is read, and how a change is made in the text with all the rest of it kept. */
export interface ConfigNotation {
  /** The settings; those of a blank text are empty. @throws {ConfigTextError} naming line, column and fault */
  parse(text: string): Fields;
  /** The text with what differs between `before` (what `parse` gave) and `after` changed in place. */
  patch(text: string, before: Fields, after: Fields): string;
}

/** Line and column of an offset, both from 1. */
export function positionAt(text: string, offset: number): { line: number; column: number } {
  const head = text.slice(0, offset);
  const lineStart = head.lastIndexOf('\n') + 1;
  return { line: head.split('\n').length, column: offset - lineStart + 1 };
}

/** The line end that a text uses. */
export function lineEnd(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** Editors of Windows put a mark at the beginning that is no part of the settings. */
export function splitMark(text: string): { mark: string; body: string } {
  return text.startsWith('\uFEFF') ? { mark: '\uFEFF', body: text.slice(1) } : { mark: '', body: text };
}
