import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { errorCode } from '../../platform/errors.ts';
import { descriptorPath, realPathOf } from '../jail/descriptor.ts';
import { isInside } from '../jail/inside.ts';
import { locate } from '../jail/open-file.ts';
import type { Root } from '../jail/root.ts';
import type { FoundImage } from './find-image.ts';
import { assertReplaceable, type ImageTarget, ImageTargetError, nameForFormat } from './image-target.ts';

export interface SavedImage {
  /** From the project root, with `/`. */
  name: string;
  /** The name that was asked for, when the content called for another ending. */
  askedFor?: string;
}

/**
 * Puts an image into the project, in one step: who looks sees the old file or the new one. The folder is held open
 * and checked by what was opened, so a link that appears meanwhile leads nowhere.
 * @throws {ImageTargetError} when the place turned out not to lie inside, or to hold something that is no image.
 */
export async function saveImage(root: Root, target: ImageTarget, image: FoundImage): Promise<SavedImage> {
  const name = nameForFormat(target.name, image.format);
  await assertReplaceable(root, name, name);
  const folder = await makeFolder(root, posix.dirname(name));
  const opened = await openFolder(root, folder, name);
  const base = opened && process.platform === 'linux' ? descriptorPath(opened) : folder;
  const waiting = join(base, `.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await writeFile(waiting, image.bytes, { flag: 'wx', mode: 0o644 });
    await rename(waiting, join(base, posix.basename(name)));
  } finally {
    await rm(waiting, { force: true });
    await opened?.close();
  }
  return { name, ...(name !== target.name && { askedFor: target.name }) };
}

/** Makes the folders of a name one by one, each inside; returns the last one's real path. */
async function makeFolder(root: Root, name: string): Promise<string> {
  let at = root.realPath;
  for (const part of name.split('/').filter((piece) => piece !== '' && piece !== '.')) {
    const next = join(at, part);
    await mkdir(next).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error;
    });
    const located = await locate(root, next);
    if (located.kind !== 'folder') throw outside(name);
    at = located.realPath;
  }
  return at;
}

async function openFolder(root: Root, folder: string, name: string): Promise<FileHandle | undefined> {
  // Windows cannot open a folder like a file.
  if (process.platform === 'win32') return undefined;
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const real = await realPathOf(handle, folder);
  if (real !== undefined && isInside(root.realPath, real)) return handle;
  await handle.close();
  throw outside(name);
}

function outside(name: string): ImageTargetError {
  return new ImageTargetError(`Invalid outputPath: "${name}" escapes the project workspace directory.`);
}
