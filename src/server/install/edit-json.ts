import { isDeepStrictEqual } from 'node:util';
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser/lib/esm/main.js';
import { type Fields, isFields } from '../../contract/fields.ts';
import { type ConfigNotation, ConfigTextError, type Dialect, positionAt, splitMark } from './config-text.ts';
import { append, type JsonPath, remove, replaceValue } from './json-tree.ts';

/** The words of the parser's codes that a person meets. */
const FAULTS: Readonly<Record<string, string>> = {
  CommaExpected: 'a comma is missing before this',
  ColonExpected: 'a colon is missing before this',
  ValueExpected: 'a value is missing here, or a comma is too much',
  PropertyNameExpected: 'a name in double quotes is missing here, or a comma is too much',
  CloseBraceExpected: 'a } is missing',
  CloseBracketExpected: 'a ] is missing',
  EndOfFileExpected: 'there is something behind the end',
  InvalidCommentToken: 'this file may have no comments',
  UnexpectedEndOfComment: 'a comment is not closed',
  UnexpectedEndOfString: 'a string is not closed',
  InvalidSymbol: 'this is no value of JSON (texts stand in double quotes)',
};

function fault(text: string, { error, offset }: ParseError): ConfigTextError {
  const { line, column } = positionAt(text, offset);
  const code = printParseErrorCode(error);
  return new ConfigTextError(`line ${line}, column ${column}: ${FAULTS[code] ?? code}`);
}

function parseBody(text: string, dialect: Dialect): Fields {
  if (text.trim() === '') return {};
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, {
    disallowComments: dialect === 'json',
    allowTrailingComma: dialect === 'jsonc',
  });
  const [first] = errors;
  if (first) throw fault(text, first);
  if (!isFields(value)) throw new ConfigTextError('line 1: the file does not hold an object { … }');
  return value;
}

/** The places of `before` that are not in `after`, when `after` is else the same list. */
function leftOut(before: readonly unknown[], after: readonly unknown[]): number[] | undefined {
  const out: number[] = [];
  let at = 0;
  for (const [index, item] of before.entries()) {
    if (at < after.length && isDeepStrictEqual(item, after[at])) at++;
    else out.push(index);
  }
  return at === after.length ? out : undefined;
}

function patchList(
  text: string,
  path: JsonPath,
  before: readonly unknown[],
  after: readonly unknown[],
): string {
  const out = leftOut(before, after);
  if (out) return out.reverse().reduce((changed, index) => remove(changed, [...path, index]), text);
  let changed = text;
  if (after.length < before.length) return replaceValue(text, path, after);
  for (const [index, item] of after.entries()) {
    changed =
      index < before.length
        ? patchValue(changed, [...path, index], before[index], item)
        : append(changed, path, undefined, item);
  }
  return changed;
}

function patchObject(text: string, path: JsonPath, before: Fields, after: Fields): string {
  let changed = text;
  for (const key of Object.keys(before)) {
    if (!Object.hasOwn(after, key)) changed = remove(changed, [...path, key]);
  }
  for (const [key, value] of Object.entries(after)) {
    changed = Object.hasOwn(before, key)
      ? patchValue(changed, [...path, key], before[key], value)
      : append(changed, path, key, value);
  }
  return changed;
}

function patchValue(text: string, path: JsonPath, before: unknown, after: unknown): string {
  if (isDeepStrictEqual(before, after)) return text;
  if (isFields(before) && isFields(after)) return patchObject(text, path, before, after);
  if (Array.isArray(before) && Array.isArray(after)) return patchList(text, path, before, after);
  return replaceValue(text, path, after);
}

/** JSON, as strict or as lenient as the client that reads the file. */
export function jsonNotation(dialect: Exclude<Dialect, 'toml'>): ConfigNotation {
  return {
    parse: (text) => parseBody(splitMark(text).body, dialect),
    patch(text, before, after) {
      const { mark, body } = splitMark(text);
      const isBlank = body.trim() === '';
      return mark + patchValue(isBlank ? '{}\n' : body, [], before, after);
    },
  };
}
