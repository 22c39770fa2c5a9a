import type { Fields } from '../contract/fields.ts';
import { isFields } from '../contract/fields.ts';
import type { JsonType, ObjectSchema, PropertySchema } from './tool.ts';

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

function hasType(value: unknown, wanted: JsonType): boolean {
  const kind = kindOf(value);
  return kind === wanted || (kind === 'integer' && wanted === 'number');
}

function wantedTypes(schema: PropertySchema): readonly JsonType[] {
  if (schema.type !== undefined) return [schema.type];
  return (schema.anyOf ?? []).map((choice) => choice.type);
}

function checkValue(path: string, value: unknown, schema: PropertySchema): string | undefined {
  const wanted = wantedTypes(schema);
  if (wanted.length > 0 && !wanted.some((type) => hasType(value, type))) {
    // Some clients write an empty list as null.
    if (value === null && schema.type === 'array') return undefined;
    return `${path}: want ${wanted.join(' or ')}, got ${kindOf(value)} ${show(value)}`;
  }
  if (typeof value === 'string' && schema.enum && !schema.enum.includes(value)) {
    return `${path}: want one of ${schema.enum.join(', ')}, got ${show(value)}`;
  }
  if (typeof value === 'number') {
    if (schema.minimum !== undefined && value < schema.minimum)
      return `${path}: want at least ${schema.minimum}, got ${value}`;
    if (schema.maximum !== undefined && value > schema.maximum)
      return `${path}: want at most ${schema.maximum}, got ${value}`;
  }
  if (Array.isArray(value) && schema.items?.type === 'string') {
    const wrong = value.findIndex((item) => typeof item !== 'string');
    if (wrong !== -1)
      return `${path}[${wrong}]: want string, got ${kindOf(value[wrong])} ${show(value[wrong])}`;
  }
  return undefined;
}

function nearest(name: string, known: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '');
  return known.find((other) => plain(other) === plain(name));
}

/** The first thing that is wrong with the arguments of a call, in words for the caller, or undefined. */
function findFault(value: unknown, schema: ObjectSchema): string | undefined {
  if (!isFields(value)) return `want object, got ${kindOf(value)}`;
  const missing = (schema.required ?? []).filter((name) => value[name] === undefined);
  if (missing.length > 0) return `missing: ${missing.join(', ')}`;
  const known = Object.keys(schema.properties);
  for (const [name, given] of Object.entries(value)) {
    if (given === undefined) continue;
    const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    if (!property) {
      if (schema.additionalProperties) continue;
      const meant = nearest(name, known);
      const hint = meant ? `did you mean ${meant}?` : `known: ${known.join(', ') || 'none'}`;
      return `unknown argument ${JSON.stringify(name)} (${hint})`;
    }
    const fault = checkValue(name, given, property);
    if (fault) return fault;
  }
  return undefined;
}

/** The arguments that the schema knows. */
function known(given: Fields, schema: ObjectSchema): Fields {
  return Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(schema.properties, name)));
}

/**
 * Checks the arguments of a tool call against its input schema: required, unknown (unless the schema lets them be
 * dropped), types, enums, bounds. Names match case-sensitively.
 * @returns the arguments that the schema knows, or what is wrong with them.
 */
export function checkArguments(
  value: unknown,
  schema: ObjectSchema,
): { ok: true; arguments: Fields } | { ok: false; fault: string } {
  const given = value ?? {};
  const fault = findFault(given, schema);
  if (fault !== undefined || !isFields(given)) {
    return { ok: false, fault: fault ?? 'want object' };
  }
  return { ok: true, arguments: known(given, schema) };
}
