import { lstat } from 'node:fs/promises';
import { extname, posix } from 'node:path';
import { IMAGE_EXTENSIONS, type ImageFormat, SNIFF_BYTES, sniffImage } from '../../platform/image-format.ts';
import { isRepositoryData } from '../inline/skipped.ts';
import { relativeName } from '../jail/inside.ts';
import { locate, openInside } from '../jail/open-file.ts';
import type { Root } from '../jail/root.ts';
import { printable } from '../printable.ts';

/** Where an image is to be put, from the project root, with `/`. */
export interface ImageTarget {
  name: string;
}

/** A target that cannot be used; the message is for the caller. */
export class ImageTargetError extends Error {
  override name = 'ImageTargetError';
}

/**
 * Checks where the caller wants the image, before anything is paid for.
 * @returns undefined when it is blank: no copy is wanted.
 * @throws {ImageTargetError} when it leads outside the root (links resolved), is no name for an image, or would replace
 *   something that is no image.
 */
export async function resolveImageTarget(
  root: Root,
  outputPath: string | undefined,
): Promise<ImageTarget | undefined> {
  if (!outputPath?.trim()) return undefined;
  const name = nameInRoot(root, outputPath);
  const ending = extname(name).toLowerCase();
  if (name === '' || name.endsWith('/') || (ending !== '' && !IMAGE_EXTENSIONS.includes(ending)))
    throw invalid(outputPath, `must name an image file (${IMAGE_EXTENSIONS.join(', ')})`);
  if (isRepositoryData(name)) throw invalid(outputPath, 'lies in version control data');
  await assertWayInside(root, name, outputPath);
  await assertReplaceable(root, name, outputPath);
  return { name };
}

/** The name with the ending that its content has: a picture that is called otherwise opens nowhere. */
export function nameForFormat(name: string, format: ImageFormat): string {
  const ending = extname(name);
  if (format.extensions.includes(ending.toLowerCase())) return name;
  const known = IMAGE_EXTENSIONS.includes(ending.toLowerCase());
  return `${known ? name.slice(0, -ending.length) : name}${format.extensions[0]}`;
}

function nameInRoot(root: Root, outputPath: string): string {
  const slashed = process.platform === 'win32' ? outputPath.replaceAll('\\', '/') : outputPath;
  const absolute = posix.isAbsolute(slashed);
  const plain = posix.normalize(slashed);
  for (const path of absolute ? [root.path, root.realPath] : []) {
    const prefix = path.endsWith('/') ? path : `${path}/`;
    if (plain.startsWith(prefix)) return plain.slice(prefix.length);
  }
  if (absolute || plain === '..' || plain.startsWith('../') || /^~[^/]*\//.test(plain))
    throw invalid(outputPath, 'escapes the project workspace directory');
  return plain === '.' ? '' : plain;
}

/** Every folder on the way that exists must be one, and lie inside. */
async function assertWayInside(root: Root, name: string, outputPath: string): Promise<void> {
  for (let folder = posix.dirname(name); ; folder = posix.dirname(folder)) {
    const located = await locate(root, `${root.realPath}/${folder}`);
    if (located.kind === 'outside') throw invalid(outputPath, 'escapes the project workspace directory');
    if (located.kind === 'folder') {
      if (isRepositoryData(relativeName(root.realPath, located.realPath)))
        throw invalid(outputPath, 'lies in version control data');
      return;
    }
    if (located.kind !== 'missing' || (await lstat(`${root.realPath}/${folder}`).catch(() => undefined)))
      throw invalid(outputPath, `cannot be made: "${printable(folder)}" is no folder`);
  }
}

/** @throws {ImageTargetError} when something stands there that is no image. */
export async function assertReplaceable(root: Root, name: string, outputPath: string): Promise<void> {
  const located = await locate(root, `${root.realPath}/${name}`);
  if (located.kind === 'missing') return;
  if (located.kind === 'outside') throw invalid(outputPath, 'escapes the project workspace directory');
  if (located.kind === 'folder') throw invalid(outputPath, 'is a folder; name the file');
  const opened = located.kind === 'file' ? await openInside(root, located.realPath) : undefined;
  if (!opened || !('file' in opened)) throw invalid(outputPath, 'names something that cannot be replaced');
  const { handle, stat } = opened.file;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(SNIFF_BYTES), 0, SNIFF_BYTES, 0);
    if (stat.size > 0 && !sniffImage(buffer.subarray(0, bytesRead)))
      throw invalid(outputPath, 'names a file that is no image; it is not replaced');
  } finally {
    await handle.close();
  }
}

function invalid(outputPath: string, why: string): ImageTargetError {
  return new ImageTargetError(`Invalid outputPath: "${printable(outputPath)}" ${why}.`);
}
