/** A closing bracket, with nothing but blanks and comments before it. */
const CLOSES = /^(\s|\/\/[^\n]*(\n|$)|\/\*[\s\S]*?\*\/)*[}\]]/;

/** The text without comments and without commas before a closing bracket; strings are left alone. */
function strip(text: string): string {
  let result = '';
  for (let at = 0; at < text.length; at++) {
    const letter = text.charAt(at);
    if (letter === '"') {
      const start = at;
      for (at++; at < text.length && text.charAt(at) !== '"'; at++) if (text.charAt(at) === '\\') at++;
      result += text.slice(start, at + 1);
    } else if (text.startsWith('//', at)) {
      const end = text.indexOf('\n', at);
      at = (end === -1 ? text.length : end) - 1;
    } else if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2);
      at = end === -1 ? text.length : end + 1;
    } else if (letter !== ',' || !CLOSES.test(text.slice(at + 1, at + 10_000))) result += letter;
  }
  return result;
}

/**
 * Reads a settings file that people edit by hand: a byte order mark, comments and commas at the end of a list are taken.
 * @throws {SyntaxError} with the message of `JSON.parse`
 */
export function parseRelaxedJson(text: string): unknown {
  const plain = text.replace(/^\uFEFF/, '');
  try {
    const value: unknown = JSON.parse(plain);
    return value;
  } catch {
    const value: unknown = JSON.parse(strip(plain));
    return value;
  }
}
