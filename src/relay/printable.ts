// Control characters, line separators, invisible and reordering marks, half characters: a file's name may hold them all.
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Cf}\p{Cs}]/gu;

/** A foreign name on one line of plain text: what could fake a line or turn the reading order is shown as `\u….`. */
export function printable(name: string): string {
  return name.replace(unprintable, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** `1 file`, `2 files`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
