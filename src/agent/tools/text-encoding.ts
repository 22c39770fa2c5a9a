/** How the bytes of a text file are read and written back so that what is not edited stays as it was. */
export type Encoding = 'utf-8' | 'utf-8-bom' | 'utf-16le' | 'utf-16be' | 'latin1';

/** The encoding of a file by its first bytes, or `binary`. Text that is no UTF-8 is read as Latin-1, which maps every
 * byte to one character and back. */
export function detectEncoding(head: Uint8Array, isWholeFile: boolean): Encoding | 'binary' {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return 'utf-8-bom';
  if (head[0] === 0xff && head[1] === 0xfe && head.length % 2 === 0) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff && head.length % 2 === 0) return 'utf-16be';
  if (head.includes(0)) return 'binary';
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: !isWholeFile });
    return 'utf-8';
  } catch {
    // Control characters that no text holds mean data rather than an old encoding.
    let strange = 0;
    for (const byte of head) if (byte < 0x20 && (byte < 0x07 || (byte > 0x0d && byte !== 0x1b))) strange++;
    return strange > head.length / 100 ? 'binary' : 'latin1';
  }
}

/** A decoder that takes a file in pieces. The mark at the start of a file is left out. */
export function createDecoder(encoding: Encoding): (chunk: Uint8Array, last: boolean) => string {
  if (encoding === 'latin1') return (chunk) => Buffer.from(chunk).toString('latin1');
  const decoder = new TextDecoder(encoding === 'utf-8-bom' ? 'utf-8' : encoding);
  return (chunk, last) => decoder.decode(chunk, { stream: !last });
}

export function decode(bytes: Uint8Array, encoding: Encoding): string {
  return createDecoder(encoding)(bytes, true);
}

/** The bytes of a text, or undefined when the encoding lacks one of its characters. */
export function encode(text: string, encoding: Encoding): Buffer | undefined {
  switch (encoding) {
    case 'utf-8':
      return Buffer.from(text);
    case 'utf-8-bom':
      return Buffer.from(`\uFEFF${text}`);
    case 'utf-16le':
      return Buffer.from(`\uFEFF${text}`, 'utf16le');
    case 'utf-16be':
      return Buffer.from(`\uFEFF${text}`, 'utf16le').swap16();
    case 'latin1':
      return /[\u0100-\uffff]/.test(text) ? undefined : Buffer.from(text, 'latin1');
    default:
      return encoding satisfies never;
  }
}

/** The end of line that a text uses most, `\n` when it has none. */
export function dominantLineEnd(text: string): '\n' | '\r\n' {
  let crlf = 0;
  let lf = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    if (text.charCodeAt(at - 1) === 13) crlf++;
    else lf++;
  }
  return crlf > lf ? '\r\n' : '\n';
}
