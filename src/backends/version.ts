export type VersionTriple = readonly [major: number, minor: number, patch: number];

// A number this long does not fit; a "major" this big is the year of a date.
const MAX_DIGITS = 9;
const MAX_MAJOR = 1000;

// A line that is nothing but the version: `1.2.3`, `agy 1.2.3`, `agy version v1.2.3-rc.1+build (abc)`.
const WHOLE_LINE =
  /^(?:agy\s+)?(?:version:?\s+)?v?(\d+\.\d+\.\d+)(?:[-+][0-9A-Za-z.+-]+)?(?:\s+\([^)]*\))?\s*$/i;
const CHAIN = /\d+(?:\.\d+)+/g;
const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

function toTriple(text: string): VersionTriple | undefined {
  const parts = text.split('.').slice(0, 3);
  if (parts.length < 3 || parts.some((part) => part.length > MAX_DIGITS)) return undefined;
  const [major = 0, minor = 0, patch = 0] = parts.map(Number);
  return major < MAX_MAJOR ? [major, minor, patch] : undefined;
}

/** Whether a dotted chain found at `at` stands for itself, and is not a piece of a path, an address or a name. */
function standsAlone(line: string, at: number, chain: string): boolean {
  if (chain.split('.').length !== 3) return false;
  const before = line.slice(0, at).split(/\s/).at(-1) ?? '';
  if (/[\\/]/.test(before)) return false;
  return !/[\w.]$/.test(before) || /^\W*(?:agy[-_]?)?v?$/i.test(before);
}

/**
 * The version that a program printed for `--version`, in output that may hold anything else (update notices, warnings,
 * paths, addresses, dates). A line that is nothing but a version wins over a version that stands alone in a line, and
 * that over one inside a path or a longer chain of numbers; among equals the first wins.
 */
export function parseVersion(output: string): VersionTriple | undefined {
  let alone: VersionTriple | undefined;
  let embedded: VersionTriple | undefined;
  for (const line of output.replace(COLOUR, '').split(/\r\n|\n|\r/)) {
    const whole = WHOLE_LINE.exec(line)?.[1];
    const exact = whole === undefined ? undefined : toTriple(whole);
    if (exact) return exact;
    for (const match of line.matchAll(CHAIN)) {
      const triple = toTriple(match[0]);
      if (!triple) continue;
      if (standsAlone(line, match.index, match[0])) alone ??= triple;
      else embedded ??= triple;
    }
  }
  return alone ?? embedded;
}

export function formatVersion(version: VersionTriple): string {
  return version.join('.');
}

export function isAtLeast(version: VersionTriple, floor: VersionTriple): boolean {
  for (const [index, part] of version.entries()) {
    const other = floor[index] ?? 0;
    if (part !== other) return part > other;
  }
  return true;
}
