/** How often a text occurs, overlapping occurrences included, counted up to a limit. */
export function occurrences(text: string, part: string, limit: number): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1 && count < limit; at = text.indexOf(part, at + 1)) count += 1;
  return count;
}

/** The numbers of the lines at which the first occurrences begin, from 1. */
export function linesOfOccurrences(text: string, part: string, limit: number): number[] {
  const lines: number[] = [];
  let line = 1;
  let from = 0;
  for (let at = text.indexOf(part); at !== -1 && lines.length < limit; at = text.indexOf(part, at + 1)) {
    for (
      let newline = text.indexOf('\n', from);
      newline !== -1 && newline < at;
      newline = text.indexOf('\n', from)
    ) {
      line += 1;
      from = newline + 1;
    }
    lines.push(line);
  }
  return lines;
}

const mostCharacters = 1_000_000;

/** In which way a text nearly occurs, for the message of a failed edit; undefined = in none that is known. */
export function nearMiss(text: string, part: string): string | undefined {
  if (text.length > mostCharacters || part.length > mostCharacters) return undefined;
  if (text.normalize('NFC').includes(part.normalize('NFC')))
    return 'it is there in another Unicode form of the same characters';
  if (withoutSpace(text).includes(withoutSpace(part))) return 'it is there with other white space';
  if (text.toLowerCase().includes(part.toLowerCase())) return 'it is there in other case';
  return undefined;
}

function withoutSpace(text: string): string {
  return text.replaceAll(/\s+/g, '');
}
