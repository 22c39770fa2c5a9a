import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Fields, isFields, parseJson } from '../../contract/fields.ts';
import { errorCode, errorMessage } from '../../platform/errors.ts';

/** A `--json-schema` value that is no schema; the message shows it and the three forms. */
export class SchemaInputError extends Error {
  override name = 'SchemaInputError';
}

const PRIMITIVES = new Set(['string', 'number', 'integer', 'boolean']);

function refuse(given: string, why: string): SchemaInputError {
  const shown = given.length > 120 ? `${given.slice(0, 120)}…` : given;
  return new SchemaInputError(
    `invalid --json-schema ${JSON.stringify(shown)}: ${why} (give a JSON Schema, the path of a .json file, ` +
      'or string, number, integer, boolean)',
  );
}

function readSchemaFile(given: string, here: string): Fields {
  let text: string;
  try {
    text = readFileSync(resolve(here, given), 'utf8');
  } catch (error) {
    const why =
      errorCode(error) === 'ENOENT' ? 'it is neither JSON nor an existing file' : errorMessage(error);
    throw refuse(given, why);
  }
  const value = parseJson(text.replace(/^\uFEFF/, ''));
  if (!isFields(value)) throw refuse(given, 'the file holds no JSON object');
  return value;
}

/**
 * The schema behind the value of `--json-schema`: inline JSON, a file's path, or the name of a primitive type.
 * @throws {SchemaInputError}
 */
export function readSchema(given: string, here: string): Fields {
  const trimmed = given.trim();
  if (PRIMITIVES.has(trimmed)) return { type: trimmed };
  if (trimmed === '') throw refuse(given, 'it is empty');
  const value = parseJson(trimmed);
  if (isFields(value)) return value;
  if (value !== undefined) throw refuse(given, 'a schema must be a JSON object');
  if (trimmed.startsWith('{')) throw refuse(given, 'it is no valid JSON');
  return readSchemaFile(trimmed, here);
}
