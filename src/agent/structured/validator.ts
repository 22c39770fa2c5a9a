import { Ajv, type ErrorObject } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Fields } from '../../contract/fields.ts';
import { errorMessage } from '../../platform/errors.ts';
import { SchemaInputError } from './schema-input.ts';

/** What is wrong with a value, in one sentence; undefined when it fits. */
export type Validate = (value: unknown) => string | undefined;

const MAX_FAULTS = 8;

function describe(error: ErrorObject): string {
  const place = error.instancePath === '' ? 'the value' : error.instancePath;
  const params: Record<string, unknown> = error.params;
  const extra =
    typeof params.additionalProperty === 'string'
      ? ` (${JSON.stringify(params.additionalProperty)})`
      : Array.isArray(params.allowedValues)
        ? ` (${params.allowedValues.map((value) => JSON.stringify(value)).join(', ')})`
        : '';
  return `${place} ${error.message ?? error.keyword}${extra}`;
}

/** Which draft a schema says it is written in; without a word it is read as draft 2020-12, the newest. */
function createAjv(schema: Fields): Ajv {
  const dialect = typeof schema.$schema === 'string' ? schema.$schema : '2020-12';
  // Foreign schemas carry keywords and formats of their own, which mean nothing here and are no fault.
  const options = { strict: false, allErrors: true, validateFormats: false, logger: false } as const;
  if (dialect.includes('2020-12')) return new Ajv2020(options);
  return dialect.includes('2019-09') ? new Ajv2019(options) : new Ajv(options);
}

/**
 * A validator for a schema.
 * @throws {SchemaInputError} when the schema itself is wrong
 */
export function compileSchema(schema: Fields): Validate {
  let validate: ReturnType<Ajv['compile']>;
  try {
    validate = createAjv(schema).compile(schema);
  } catch (error) {
    throw new SchemaInputError(`invalid --json-schema: ${errorMessage(error)}`);
  }
  return (value) => {
    if (validate(value)) return undefined;
    const faults = (validate.errors ?? []).map(describe);
    const more = faults.length > MAX_FAULTS ? `, and ${faults.length - MAX_FAULTS} more` : '';
    return faults.slice(0, MAX_FAULTS).join('; ') + more;
  };
}
