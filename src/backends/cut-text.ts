import { parseJson } from '../contract/fields.ts';

/**
 * A text field of one JSON line, or its beginning where the line was cut off in the middle of it; undefined when it is
 * not in what is there.
 */
export function readCutText(line: string, key: string): string | undefined {
  const raw = new RegExp(`"${key}":\\s*"([^"\\\\]*(?:\\\\.[^"\\\\]*)*)`).exec(line)?.[1];
  if (raw === undefined) return undefined;
  // The cut may fall into an escape.
  const text = parseJson(`"${raw.replace(/\\u[0-9a-fA-F]{0,3}$/, '')}"`);
  return typeof text === 'string' ? text : undefined;
}
