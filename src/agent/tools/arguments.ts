import { ToolInputError } from './types.ts';

/**
 * Reads the arguments of one call. Models vary the spelling (`absolute_path`, `"10"`, `"true"`): names are compared
 * without case and underscores, numbers and booleans are taken from text; what is left unclear is an error that shows
 * the value. Unknown arguments are ignored, as agy's own models send extra ones (`toolSummary`).
 */
export interface Arguments {
  text(name: string): string;
  optionalText(name: string): string | undefined;
  /** A whole number of at least `least`. */
  optionalInteger(name: string, least: number): number | undefined;
  flag(name: string): boolean | undefined;
  /** A list of texts; a single text counts as a list of one. Empty when missing. */
  texts(name: string): string[];
  list(name: string): unknown[];
  value(name: string): unknown;
}

function canonical(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

export function readArguments(args: Record<string, unknown>): Arguments {
  const values = new Map<string, unknown>();
  for (const [name, value] of Object.entries(args)) {
    if (value !== null && value !== undefined) values.set(canonical(name), value);
  }
  const value = (name: string): unknown => values.get(canonical(name));

  function optionalText(name: string): string | undefined {
    const found = value(name);
    if (found === undefined || typeof found === 'string') return found;
    throw new ToolInputError(`${name} must be a text, not ${show(found)}`);
  }
  function list(name: string): unknown[] {
    const found = value(name);
    if (found === undefined) return [];
    if (Array.isArray(found)) return found;
    throw new ToolInputError(`${name} must be a list, not ${show(found)}`);
  }
  return {
    value,
    optionalText,
    list,
    text(name) {
      const found = optionalText(name);
      if (found === undefined) throw new ToolInputError(`the argument ${name} is missing`);
      return found;
    },
    optionalInteger(name, least) {
      const found = value(name);
      if (found === undefined) return undefined;
      const number = typeof found === 'string' && /^-?\d+$/.test(found.trim()) ? Number(found) : found;
      if (typeof number === 'number' && Number.isSafeInteger(number) && number >= least) return number;
      throw new ToolInputError(`${name} must be a whole number of at least ${least}, not ${show(found)}`);
    },
    flag(name) {
      const found = value(name);
      if (found === undefined || typeof found === 'boolean') return found;
      if (found === 'true') return true;
      if (found === 'false') return false;
      throw new ToolInputError(`${name} must be true or false, not ${show(found)}`);
    },
    texts(name) {
      const found = value(name);
      const items = typeof found === 'string' ? [found] : list(name);
      return items.map((item) => {
        if (typeof item === 'string') return item;
        throw new ToolInputError(`${name} must be a list of texts; it holds ${show(item)}`);
      });
    },
  };
}
