/** The image formats that agents make and that clients can show. */
export interface ImageFormat {
  mimeType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  /** The usual ending first. */
  extensions: readonly [string, ...string[]];
}

const formats = {
  png: { mimeType: 'image/png', extensions: ['.png'] },
  jpeg: { mimeType: 'image/jpeg', extensions: ['.jpg', '.jpeg'] },
  gif: { mimeType: 'image/gif', extensions: ['.gif'] },
  webp: { mimeType: 'image/webp', extensions: ['.webp'] },
} as const satisfies Record<string, ImageFormat>;

/** The endings that a file name for an image may have. */
export const IMAGE_EXTENSIONS: readonly string[] = Object.values(formats).flatMap((format) => [
  ...format.extensions,
]);

/** Enough of a file for {@link sniffImage}. */
export const SNIFF_BYTES = 16;

/** The format that the first bytes of a file show, whatever its name says. */
export function sniffImage(head: Uint8Array): ImageFormat | undefined {
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, SNIFF_BYTES)).toString(
    'latin1',
  );
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return formats.png;
  if (text.startsWith('\xff\xd8\xff')) return formats.jpeg;
  if (text.startsWith('GIF87a') || text.startsWith('GIF89a')) return formats.gif;
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return formats.webp;
  return undefined;
}
