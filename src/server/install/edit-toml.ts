import { isDeepStrictEqual } from 'node:util';
import { parse, patch, stringify, TomlFormat } from '@decimalturn/toml-patch';
import { type Fields, isFields } from '../../contract/fields.ts';
import { errorMessage } from '../../platform/errors.ts';
import { type ConfigNotation, ConfigTextError, lineEnd, splitMark } from './config-text.ts';

function fault(error: unknown): ConfigTextError {
  const line = isFields(error) && typeof error.line === 'number' ? error.line : undefined;
  const column = isFields(error) && typeof error.column === 'number' ? error.column + 1 : undefined;
  const words = errorMessage(error).trim().split('\n').at(-1) ?? '';
  return new ConfigTextError(line === undefined ? words : `line ${line}, column ${column ?? 1}: ${words}`);
}

/** Tables of the parser have no prototype, which makes them unequal to the same table written here. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isFields(value) || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}

function parseBody(text: string): Fields {
  let value: unknown;
  try {
    value = plain(parse(text));
  } catch (error) {
    throw fault(error);
  }
  if (!isFields(value)) throw new ConfigTextError('the file holds no table');
  return value;
}

/** The one table below a top-level table that `after` has and `before` has not, when that is all the difference. */
function addedTable(before: Fields, after: Fields): { parent: string; name: string } | undefined {
  const parents = Object.keys(after).filter((key) => !isDeepStrictEqual(before[key], after[key]));
  const [parent] = parents;
  if (parents.length !== 1 || parent === undefined || Object.keys(before).some((key) => !(key in after)))
    return undefined;
  const old = before[parent] ?? {};
  const fresh = after[parent];
  if (!isFields(old) || !isFields(fresh)) return undefined;
  const names = Object.keys(fresh).filter((key) => !isDeepStrictEqual(old[key], fresh[key]));
  const [name] = names;
  if (names.length !== 1 || name === undefined || name in old) return undefined;
  return Object.keys(old).every((key) => key in fresh) ? { parent, name } : undefined;
}

/** A table of its own at the end of the text, as a person would write it; undefined where TOML does not allow that. */
function withTableAtEnd(text: string, before: Fields, after: Fields): string | undefined {
  const added = addedTable(before, after);
  const parent = added && after[added.parent];
  if (!added || !isFields(parent)) return undefined;
  const format = TomlFormat.default();
  format.inlineTableStart = 3;
  format.bracketSpacing = false;
  const block = stringify({ [added.parent]: { [added.name]: parent[added.name] } }, format)
    // The header of the outer table, which may stand in the text already, is not needed.
    .replace(/^\s*\[[^\n]*\]\n\s*\n/, '')
    .trim()
    .replaceAll('\n', lineEnd(text));
  const eol = lineEnd(text);
  const head = text.trim() === '' ? '' : `${text}${text.endsWith('\n') ? '' : eol}${eol}`;
  const whole = `${head}${block}${eol}`;
  try {
    return isDeepStrictEqual(parseBody(whole), after) ? whole : undefined;
  } catch {
    return undefined;
  }
}

/** TOML, with comments, order and notation of all that is not changed kept. */
export const TOML_NOTATION: ConfigNotation = {
  parse: (text) => parseBody(splitMark(text).body),
  patch(text, before, after) {
    const { mark, body } = splitMark(text);
    return mark + (withTableAtEnd(body, before, after) ?? patch(body, after));
  },
};
