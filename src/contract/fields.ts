/** A decoded JSON object whose fields are not known yet. */
export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value when it is a string, else ''. */
export function textOr(value: unknown, fallback = ''): string {
  return typeof value === 'string' ? value : fallback;
}

/** `JSON.parse` that answers undefined instead of throwing. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
