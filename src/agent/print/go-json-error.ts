/**
 * Says what is wrong with a text that is no JSON value, in the words of Go's `encoding/json`, which callers written for
 * agy compare against. Only called after `JSON.parse` has refused the text.
 */

const ENDED = 'unexpected end of JSON input';

class Scan {
  at = 0;
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  skipBlanks(): void {
    while (this.at < this.text.length && ' \t\r\n'.includes(this.text.charAt(this.at))) this.at++;
  }

  /** The next character, or '' at the end. */
  peek(): string {
    const code = this.text.codePointAt(this.at);
    return code === undefined ? '' : String.fromCodePoint(code);
  }

  fail(context: string): string {
    const next = this.peek();
    return next === '' ? ENDED : `invalid character ${quote(next)} ${context}`;
  }
}

function quote(character: string): string {
  if (character === "'") return String.raw`'\''`;
  if (character === '"') return `'"'`;
  const code = character.codePointAt(0) ?? 0;
  const short: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\b': '\\b', '\f': '\\f' };
  if (short[character] !== undefined) return `'${short[character]}'`;
  if (code < 0x20 || code === 0x7f) return `'\\x${code.toString(16).padStart(2, '0')}'`;
  // Go looks at bytes: a character beyond ASCII is shown as its first byte.
  const [byte = code] = Buffer.from(character);
  return `'${String.fromCharCode(byte)}'`;
}

const isDigit = (c: string): boolean => c >= '0' && c <= '9' && c.length === 1;

function scanString(scan: Scan): string | undefined {
  scan.at++;
  for (;;) {
    const c = scan.peek();
    if (c === '' || c < ' ') return scan.fail('in string literal');
    scan.at += c.length;
    if (c === '"') return undefined;
    if (c !== '\\') continue;
    const escape = scan.peek();
    if (escape === '' || !'"\\/bfnrtu'.includes(escape)) return scan.fail('in string escape code');
    scan.at++;
    if (escape !== 'u') continue;
    for (let digit = 0; digit < 4; digit++) {
      if (!/^[0-9a-fA-F]$/.test(scan.peek())) return scan.fail('in \\u hexadecimal character escape');
      scan.at++;
    }
  }
}

function scanDigits(scan: Scan, context: string): string | undefined {
  if (!isDigit(scan.peek())) return scan.fail(context);
  while (isDigit(scan.peek())) scan.at++;
  return undefined;
}

function scanNumber(scan: Scan): string | undefined {
  if (scan.peek() === '-') scan.at++;
  if (scan.peek() === '0') scan.at++;
  else {
    const wrong = scanDigits(scan, 'in numeric literal');
    if (wrong !== undefined) return wrong;
  }
  if (scan.peek() === '.') {
    scan.at++;
    const wrong = scanDigits(scan, 'after decimal point in numeric literal');
    if (wrong !== undefined) return wrong;
  }
  if (scan.peek().toLowerCase() === 'e') {
    scan.at++;
    if (scan.peek() === '+' || scan.peek() === '-') scan.at++;
    return scanDigits(scan, 'in exponent of numeric literal');
  }
  return undefined;
}

function scanWord(scan: Scan, word: string): string | undefined {
  for (const c of word) {
    if (scan.peek() !== c) return scan.fail(`in literal ${word} (expecting ${quote(c)})`);
    scan.at++;
  }
  return undefined;
}

function scanObject(scan: Scan): string | undefined {
  scan.at++;
  scan.skipBlanks();
  if (scan.peek() === '}') {
    scan.at++;
    return undefined;
  }
  for (;;) {
    scan.skipBlanks();
    if (scan.peek() !== '"') return scan.fail('looking for beginning of object key string');
    const wrongKey = scanString(scan);
    if (wrongKey !== undefined) return wrongKey;
    scan.skipBlanks();
    if (scan.peek() !== ':') return scan.fail('after object key');
    scan.at++;
    const wrongValue = scanValue(scan);
    if (wrongValue !== undefined) return wrongValue;
    scan.skipBlanks();
    const c = scan.peek();
    if (c !== ',' && c !== '}') return scan.fail('after object key:value pair');
    scan.at++;
    if (c === '}') return undefined;
  }
}

function scanArray(scan: Scan): string | undefined {
  scan.at++;
  scan.skipBlanks();
  if (scan.peek() === ']') {
    scan.at++;
    return undefined;
  }
  for (;;) {
    const wrong = scanValue(scan);
    if (wrong !== undefined) return wrong;
    scan.skipBlanks();
    const c = scan.peek();
    if (c !== ',' && c !== ']') return scan.fail('after array element');
    scan.at++;
    if (c === ']') return undefined;
  }
}

function scanValue(scan: Scan): string | undefined {
  scan.skipBlanks();
  const c = scan.peek();
  if (c === '{') return scanObject(scan);
  if (c === '[') return scanArray(scan);
  if (c === '"') return scanString(scan);
  if (c === '-' || isDigit(c)) return scanNumber(scan);
  if (c === 't') return scanWord(scan, 'true');
  if (c === 'f') return scanWord(scan, 'false');
  if (c === 'n') return scanWord(scan, 'null');
  return scan.fail('looking for beginning of value');
}

/** The fault of a text, or a general word should it have none that this grammar knows. */
export function goJsonError(text: string): string {
  const scan = new Scan(text);
  try {
    const wrong = scanValue(scan);
    if (wrong !== undefined) return wrong;
  } catch (error) {
    if (error instanceof RangeError) return 'exceeded max depth';
    throw error;
  }
  scan.skipBlanks();
  return scan.peek() === '' ? 'invalid JSON' : scan.fail('after top-level value');
}

/** Go's name for the kind of a decoded value. */
export function goKind(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value;
}
