import type { Pacer } from './pacer.ts';

/** Elements whose content is no text for a reader. */
const SKIPPED = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'object', 'canvas']);
/** Elements that stand on lines of their own. */
const BLOCKS = new Set(
  (
    'address article aside blockquote body caption dd details div dl dt fieldset figcaption figure footer form header hr html ' +
    'li main nav ol p pre section summary table tbody td tfoot th thead title tr ul'
  ).split(' '),
);
/** The letters from U+00C0 to U+00FF, in order. */
const LATIN =
  'Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve ' +
  'Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring ' +
  'aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ' +
  'ugrave uacute ucirc uuml yacute thorn yuml';
const SIGNS =
  'amp & lt < gt > quot " apos \' copy © reg ® hellip … mdash — ndash – lsquo ‘ rsquo ’ ldquo “ rdquo ” bull • middot · ' +
  'rarr → larr ← euro € deg ° sect § laquo « raquo » trade ™';

let named: Map<string, string> | undefined;

function namedEntity(name: string): string | undefined {
  if (!named) {
    named = new Map(LATIN.split(' ').map((latin, index) => [latin, String.fromCharCode(0xc0 + index)]));
    const signs = SIGNS.split(' ');
    for (let at = 0; at < signs.length; at += 2) named.set(signs[at] ?? '', signs[at + 1] ?? '');
    named.set('nbsp', ' ');
  }
  return named.get(name);
}

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(/&(#x[\da-f]{1,6}|#\d{1,7}|[a-z]{2,8});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return namedEntity(name) ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
      ? String.fromCodePoint(code)
      : '\uFFFD';
  });
}

interface Tag {
  name: string;
  isEnd: boolean;
  source: string;
  /** Offset behind it. */
  end: number;
}

/** The tag at an offset, or undefined when the `<` there is text. */
function readTag(html: string, at: number): Tag | undefined {
  const [, slash, name] = /^<(\/?)([a-z][a-z0-9-]{0,30})/i.exec(html.slice(at, at + 40)) ?? [];
  if (name === undefined) return undefined;
  let quote = '';
  for (let end = at + 1; end < html.length; end++) {
    const letter = html.charAt(end);
    if (quote !== '') {
      if (letter === quote) quote = '';
    } else if (letter === '"' || letter === "'") quote = letter;
    else if (letter === '>')
      return { name: name.toLowerCase(), isEnd: slash === '/', source: html.slice(at, end), end: end + 1 };
  }
  return undefined;
}

function attribute(source: string, name: string): string | undefined {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(source);
  const value = found?.[1] ?? found?.[2] ?? found?.[3];
  return value === undefined ? undefined : decodeEntities(value);
}

/** Builds the text: blanks joined, one empty line at most between blocks. */
class TextBuilder {
  #text = '';
  #preformatted = 0;

  enterPreformatted(): void {
    this.#preformatted++;
  }

  leavePreformatted(): void {
    this.#preformatted = Math.max(0, this.#preformatted - 1);
  }

  add(text: string): void {
    if (this.#preformatted > 0) {
      this.#text += text;
      return;
    }
    let plain = text.replaceAll(/\s+/g, ' ');
    if (this.#text === '' || this.#text.endsWith('\n') || this.#text.endsWith(' ')) plain = plain.trimStart();
    this.#text += plain;
  }

  breakLine(): void {
    if (this.#text !== '' && !this.#text.endsWith('\n')) this.#text = `${this.#text.replace(/ $/, '')}\n`;
  }

  breakParagraph(): void {
    this.breakLine();
    if (this.#text !== '' && !this.#text.endsWith('\n\n')) this.#text += '\n';
  }

  finish(): string {
    return this.#text.trim();
  }
}

/** Text of an HTML page for a model: headings, lists, links and preformatted text in Markdown, the rest plain. */
export async function htmlToText(html: string, base: URL, pacer: Pacer): Promise<string> {
  const builder = new TextBuilder();
  const links: (string | undefined)[] = [];
  for (let at = 0; at < html.length; ) {
    if (pacer.due()) await pacer.pause();
    const open = html.indexOf('<', at);
    if (open === -1) {
      builder.add(decodeEntities(html.slice(at)));
      break;
    }
    if (open > at) builder.add(decodeEntities(html.slice(at, open)));
    if (html.startsWith('<!--', open)) {
      const end = html.indexOf('-->', open + 4);
      at = end === -1 ? html.length : end + 3;
      continue;
    }
    if (html.startsWith('<!', open) || html.startsWith('<?', open)) {
      const end = html.indexOf('>', open);
      at = end === -1 ? html.length : end + 1;
      continue;
    }
    const tag = readTag(html, open);
    if (!tag) {
      builder.add('<');
      at = open + 1;
      continue;
    }
    at = tag.end;
    if (SKIPPED.has(tag.name) && !tag.isEnd && !tag.source.endsWith('/')) at = endOf(html, tag.name, at);
    else applyTag(tag, builder, links, base);
  }
  return builder.finish();
}

/** Offset behind the end tag of an element whose content is skipped. */
function endOf(html: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}[\\s>/]`, 'gi');
  closing.lastIndex = from;
  const found = closing.exec(html);
  const end = found ? html.indexOf('>', found.index) : -1;
  return end === -1 ? html.length : end + 1;
}

function applyTag(tag: Tag, builder: TextBuilder, links: (string | undefined)[], base: URL): void {
  const { name, isEnd } = tag;
  if (name === 'br') builder.breakLine();
  else if (name === 'a' && !isEnd) {
    const href = attribute(tag.source, 'href');
    const target = href !== undefined && URL.canParse(href, base.href) ? new URL(href, base.href) : undefined;
    const isUseful = target && /^https?:$/.test(target.protocol) && !href?.startsWith('#');
    links.push(isUseful ? target.href : undefined);
    if (isUseful) builder.add('[');
  } else if (name === 'a') {
    const target = links.pop();
    if (target !== undefined) builder.add(`](${target})`);
  } else if (name === 'img' && !isEnd) {
    const alt = attribute(tag.source, 'alt');
    if (alt) builder.add(`[image: ${alt}]`);
  } else if (/^h[1-6]$/.test(name)) {
    builder.breakParagraph();
    if (!isEnd) builder.add(`${'#'.repeat(Number(name.charAt(1)))} `);
  } else if (name === 'pre' && !isEnd) {
    builder.breakParagraph();
    builder.add('```');
    builder.breakLine();
    builder.enterPreformatted();
  } else if (name === 'pre') {
    builder.leavePreformatted();
    builder.breakLine();
    builder.add('```');
    builder.breakParagraph();
  } else if (name === 'li') {
    builder.breakLine();
    if (!isEnd) builder.add('- ');
  } else if (name === 'p' || name === 'table' || name === 'ul' || name === 'ol') builder.breakParagraph();
  else if (name === 'td' || name === 'th') builder.add(isEnd ? ' | ' : '');
  else if (BLOCKS.has(name)) builder.breakLine();
}
