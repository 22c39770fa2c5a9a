import type { Effort } from './types.ts';

/** A model's name as a person gives it, taken apart. */
export interface GivenName {
  /** The name without a trailing effort. */
  base: string;
  effort: Effort | undefined;
}

function isEffort(value: string): value is Effort {
  return value === 'low' || value === 'medium' || value === 'high';
}

/** Splits off a trailing effort: `gemini-3.8-flash-high`, `Gemini 3.8 Flash (High)`. */
export function splitEffort(name: string): GivenName {
  const match = /^(.+?)(?:-(low|medium|high)|\s*\((low|medium|high)\))$/i.exec(name.trim());
  const effort = (match?.[2] ?? match?.[3])?.toLowerCase();
  if (match?.[1] === undefined || effort === undefined || !isEffort(effort)) {
    return { base: name.trim(), effort: undefined };
  }
  return { base: match[1].trim(), effort };
}

/** One spelling for comparing slugs and display names: `Gemini 3.8 Flash` and `gemini-3.8-flash` are the same. */
export function normalName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s._-]+/g, '-');
}
