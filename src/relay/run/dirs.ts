/** The further folders of a call, as they were given; entries that name nothing are left out. */
export function dirsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((dir) => typeof dir === 'string' && dir.trim() !== '') : [];
}
