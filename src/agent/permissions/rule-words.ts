/** Words of a rule's target: split at blanks, with quotes and backslashes as in a shell. Undefined when a quote is open. */
function splitWords(text: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const letter = text.charAt(at);
    if (quote !== '') {
      if (letter === quote) quote = '';
      else if (quote === '"' && letter === '\\' && /["\\$`]/.test(text.charAt(at + 1)))
        word += text.charAt(++at);
      else word += letter;
    } else if (letter === "'" || letter === '"') {
      quote = letter;
      word ??= '';
    } else if (letter === '\\' && at + 1 < text.length) {
      word = (word ?? '') + text.charAt(++at);
    } else if (/\s/.test(letter)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + letter;
  }
  if (quote !== '') return undefined;
  if (word !== undefined) words.push(word);
  return words;
}

/** Where the first group `(a|b)` outside quotes starts and ends, or undefined. */
function findGroup(text: string): { start: number; end: number } | undefined {
  let quote = '';
  let start = -1;
  for (let at = 0; at < text.length; at++) {
    const letter = text.charAt(at);
    if (quote !== '') {
      if (letter === quote) quote = '';
      else if (quote === '"' && letter === '\\') at++;
    } else if (letter === '\\') at++;
    else if (letter === "'" || letter === '"') quote = letter;
    else if (letter === '(') start = at;
    else if (letter === ')' && start !== -1) return { start, end: at };
  }
  return undefined;
}

const MAX_SEQUENCES = 1_000;

/** `npm run (build|test)` as `npm run build` and `npm run test`. */
function expandGroups(text: string): string[] {
  let texts = [text];
  for (let grown = true; grown && texts.length <= MAX_SEQUENCES; ) {
    grown = false;
    texts = texts.flatMap((current) => {
      const group = findGroup(current);
      const inside = group && current.slice(group.start + 1, group.end);
      if (!group || !inside?.includes('|')) return [current];
      grown = true;
      return inside
        .split('|')
        .map((choice) => current.slice(0, group.start) + choice.trim() + current.slice(group.end + 1));
    });
  }
  return texts;
}

/** The word sequences that the target of a command rule stands for; empty when it holds no word or cannot be read. */
export function readRuleWords(target: string): string[][] {
  return expandGroups(target)
    .map((text) => splitWords(text) ?? [])
    .filter((words) => words.length > 0);
}

/** A word as it is written in a rule. */
export function quoteRuleWord(word: string): string {
  if (/^[\w@%+=:,./^~!?*[\]{}#$&;<>-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A word as it is written in a command line. */
export function quoteShellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
