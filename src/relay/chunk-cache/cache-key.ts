import { createHash } from 'node:crypto';

/** Keys as callers see them: eight lowercase hex digits. */
export function isCacheKey(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{8}$/.test(value);
}

/** SHA-256, in hex, of everything that an answer depends on; the order of names within objects does not matter. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('hex');
}

/** The candidates for the key of a digest: a second one is only taken where the first belongs to something else. */
export function keyFor(digest: string, attempt: number): string {
  return attempt === 0
    ? digest.slice(0, 8)
    : createHash('sha256').update(`${digest} ${attempt}`).digest('hex').slice(0, 8);
}

function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_name, inner: unknown) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? 'undefined'
  );
}
