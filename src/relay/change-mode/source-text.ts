import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { posix } from 'node:path';
import type { InlinedFile } from '../inline/inlined-file.ts';
import { isRepositoryData } from '../inline/skipped.ts';
import { relativeName } from '../jail/inside.ts';
import { locate, type OpenFile, openInside } from '../jail/open-file.ts';
import type { Root } from '../jail/root.ts';

/** The file that an edit is made for, as it is now. */
export type Source =
  | {
      kind: 'text';
      /** From the root, links resolved: how the edit names it from here on. */
      name: string;
      /** Line ends as `\n`. */
      text: string;
      /** It is not what was sent with the prompt. */
      stale: boolean;
    }
  /** There is none yet, and it may be made. */
  | { kind: 'absent'; name: string }
  | { kind: 'unusable'; reason: string };

const mostBytes = 16_777_216;

/**
 * Reads the file of an edit, within the root only.
 * @param sent what was inlined into the prompt, to notice a change since.
 */
export async function readSource(root: Root, path: string, sent: readonly InlinedFile[]): Promise<Source> {
  const slashed = path.replaceAll('\\', '/');
  const known = sent.find((file) => file.path === posix.normalize(slashed));
  const full = known?.realPath ?? (slashed.startsWith('/') ? slashed : `${root.realPath}/${slashed}`);
  const located = await locate(root, full);
  if (located.kind === 'outside') return outside;
  if (located.kind === 'missing') return await absent(root, slashed, full);
  if (located.kind !== 'file')
    return { kind: 'unusable', reason: located.kind === 'folder' ? 'it is a folder' : 'it cannot be read' };
  if (isRepositoryData(relativeName(root.realPath, located.realPath))) return repository;
  const opened = await openInside(root, located.realPath);
  if (!('file' in opened))
    return opened.problem === 'outside' ? outside : { kind: 'unusable', reason: 'it cannot be read' };
  try {
    return await readText(root, opened.file, sent);
  } finally {
    await opened.file.handle.close();
  }
}

const outside: Source = { kind: 'unusable', reason: 'it lies outside the project folder' };
const repository: Source = { kind: 'unusable', reason: 'it is version control data' };

/** Where a new file may be made: the nearest folder that exists must lie inside. */
async function absent(root: Root, path: string, full: string): Promise<Source> {
  // Writing to it would make the file at the other end, wherever that is.
  if ((await lstat(full).catch(() => undefined))?.isSymbolicLink())
    return { kind: 'unusable', reason: 'it is a link to nothing' };
  const plain = posix.normalize(full);
  for (let folder = posix.dirname(full); ; folder = posix.dirname(folder)) {
    const located = await locate(root, folder);
    if (located.kind === 'outside') return outside;
    if (located.kind === 'folder') {
      const name = posix.join(relativeName(root.realPath, located.realPath), full.slice(folder.length + 1));
      if (name === '..' || name.startsWith('../')) return outside;
      return isRepositoryData(name) ? repository : { kind: 'absent', name };
    }
    if (located.kind !== 'missing' || folder === posix.dirname(folder))
      return {
        kind: 'unusable',
        reason: `"${path}" cannot be made: ${plain} has a file where a folder must be`,
      };
  }
}

async function readText(root: Root, file: OpenFile, sent: readonly InlinedFile[]): Promise<Source> {
  if (file.stat.size > mostBytes) return { kind: 'unusable', reason: `it is larger than ${mostBytes} bytes` };
  const bytes = await file.handle.readFile();
  const name = relativeName(root.realPath, file.realPath);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).replaceAll('\r\n', '\n');
    return { kind: 'text', name, text, stale: isStale(file.realPath, bytes, sent) };
  } catch {
    return { kind: 'unusable', reason: 'it is no UTF-8 text' };
  }
}

function isStale(realPath: string, bytes: Uint8Array, sent: readonly InlinedFile[]): boolean {
  const before = sent.find((file) => file.realPath === realPath);
  if (!before) return false;
  if (before.size !== bytes.length) return true;
  return createHash('sha256').update(bytes.subarray(0, before.readBytes)).digest('hex') !== before.sha256;
}
