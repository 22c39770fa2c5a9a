const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a number or of a text such as `90s`, `15m`, `2h`. */
export function parseDuration(value) {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(String(value).trim());
  if (!match) throw new TypeError(`invalid duration ${JSON.stringify(value)}: want milliseconds, or 90s, 15m, 2h`);
  return Number(match[1]) * UNITS[match[2]];
}
