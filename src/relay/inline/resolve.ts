import { posix } from 'node:path';
import { type Glob, hasWildcard, parseGlob } from '../../platform/path-patterns/glob.ts';
import { isInside, relativeName } from '../jail/inside.ts';
import { type Located, locate } from '../jail/open-file.ts';
import type { Root } from '../jail/root.ts';
import { printable } from '../printable.ts';
import type { Candidate, LineRange, Reference } from './references.ts';
import type { Report } from './report.ts';

/** What a reference turned out to be. */
export type Resolved =
  | { kind: 'file'; end: number; label: string; realPath: string; range?: LineRange }
  /** `base` is a path from the root, links resolved, '' for the root itself. */
  | { kind: 'folder'; end: number; label: string; base: string }
  | { kind: 'glob'; end: number; label: string; glob: Glob; base: string }
  | { kind: 'prose' }
  | { kind: 'refused'; message: string };

const prose: Resolved = { kind: 'prose' };

/**
 * Looks up what a reference names: the longest reading that exists wins, then a glob, else it is prose. A reading that
 * plainly leads outside the root refuses the call. Nothing is read.
 */
export async function resolveReference(root: Root, reference: Reference, report: Report): Promise<Resolved> {
  let refusal: Resolved | undefined;
  for (const candidate of reference.candidates) {
    if (leadsAbove(candidate.path)) {
      refusal = refused(root, candidate, false);
      continue;
    }
    const located = await locateCandidate(root, candidate.path);
    if (located?.kind === 'outside') {
      if (located.folder && isAlias(candidate.path)) report.add('outsideFolder', candidate.pattern);
      else refusal = refused(root, candidate, !isAbsoluteName(candidate.path));
    } else if (located?.kind === 'unreadable') {
      if (isAbsoluteName(candidate.path) && !isInside(root.realPath, posix.normalize(candidate.path))) {
        refusal = refused(root, candidate, false);
        continue;
      }
      report.add('unreadable', candidate.path);
      return prose;
    } else if (located?.kind === 'special') {
      report.add('special', candidate.path);
      return prose;
    } else if (located?.kind === 'file' || located?.kind === 'folder') {
      return found(root, candidate, located.kind, located.realPath);
    }
  }
  if (refusal) return refusal;
  return (await globOf(root, reference)) ?? reportMissing(reference, report);
}

/** Whether a name leads above the folder it is taken from, whatever exists: `../x`, `a/../../x`, `~/x`. */
function leadsAbove(path: string): boolean {
  const slashed = path.replaceAll('\\', '/');
  if (/^~[^/]*\//.test(slashed)) return true;
  const plain = posix.normalize(slashed);
  return plain === '..' || plain.startsWith('../');
}

function isAbsoluteName(path: string): boolean {
  return path.startsWith('/') || (process.platform === 'win32' && /^(?:[a-z]:[\\/]|\\\\)/i.test(path));
}

/** `@/lib`, `@/app`: the alias of a bundler far more often than a folder of the system. */
function isAlias(path: string): boolean {
  return /^\/[^/]*\/?$/.test(path);
}

async function locateCandidate(root: Root, path: string): Promise<Located | undefined> {
  // `@/` alone is how people write about an alias.
  if (/^\/*$/.test(path)) return undefined;
  const located = await locate(root, absolute(root, path));
  if (located.kind !== 'missing' || !path.includes('\\')) return located;
  return await locate(root, absolute(root, path.replaceAll('\\', '/')));
}

function absolute(root: Root, path: string): string {
  // Not joined: `link/..` must go through the link, as it does when the system opens it.
  return isAbsoluteName(path) ? path : `${root.realPath}/${path}`;
}

function found(root: Root, candidate: Candidate, kind: 'file' | 'folder', realPath: string): Resolved {
  const real = relativeName(root.realPath, realPath);
  const { end, range, path } = candidate;
  if (kind === 'folder') return { kind, end, label: real === '' ? './' : `${real}/`, base: real };
  // The name as typed, where it says where the file is: the answer will use it.
  const label = isAbsoluteName(path) || /(?:^|\/)\.\.(?:\/|$)/.test(path) ? real : posix.normalize(path);
  return { kind, end, label, realPath, ...(range && { range }) };
}

function refused(root: Root, candidate: Candidate, byLink: boolean): Resolved {
  const token = printable(candidate.pattern);
  const how = byLink ? 'resolving outside' : 'outside';
  return {
    kind: 'refused',
    message: `Refusing @file reference ${how} the project directory: "@${token}". Only files within ${root.realPath} may be referenced.`,
  };
}

async function globOf(root: Root, reference: Reference): Promise<Resolved | undefined> {
  const { pattern, end } = reference.likely;
  if (!isGlob(pattern)) return undefined;
  const { fixed, rest } = splitGlob(pattern);
  const glob = parseGlob(rest);
  if (!glob) return undefined;
  if (leadsAbove(fixed)) return refused(root, reference.likely, false);
  const located = await locate(root, absolute(root, fixed));
  if (located.kind === 'folder')
    return { kind: 'glob', end, label: pattern, glob, base: relativeName(root.realPath, located.realPath) };
  if (located.kind !== 'outside' || isAlias(fixed)) return undefined;
  return refused(root, reference.likely, !isAbsoluteName(fixed));
}

function isGlob(pattern: string): boolean {
  return pattern.length <= 1024 && hasWildcard(pattern);
}

/** Cuts a glob before its first wildcard: the folder that a walk begins at, and what must match beneath it. */
function splitGlob(pattern: string): { fixed: string; rest: string } {
  const names = pattern.split('/');
  const wild = names.findIndex((name) => hasWildcard(name) || name.includes('{'));
  const at = wild === -1 ? names.length - 1 : wild;
  const fixed = names.slice(0, at).join('/').replaceAll(/\\(.)/g, '$1');
  return { fixed: at > 0 && fixed === '' ? '/' : fixed, rest: names.slice(at).join('/') };
}

/** Tells of a name that was surely meant as a path; a decorator or a package name is none. */
function reportMissing(reference: Reference, report: Report): Resolved {
  const { path, pattern } = reference.likely;
  if (isGlob(pattern)) {
    if (pattern.includes('*')) report.add('noMatch', pattern);
  } else if (looksLikePath(path) || (reference.quoted && /[./]/.test(path))) report.add('missing', path);
  return prose;
}

const sourceName =
  /^[\w-]+\.(?:[cm]?[jt]sx?|md|json|py|rb|go|rs|ya?ml|toml|txt|log|csv|c|h|cc|cpp|java|kt|css|html|sh|sql)$/i;

function looksLikePath(path: string): boolean {
  return /^\.{1,2}\//.test(path) || /\/[^/]*\.\w{1,8}$/.test(path) || sourceName.test(path);
}

/**
 * What a reference is where there is no root to look in: refused when it is plainly a path, else prose.
 */
export function resolveWithoutRoot(reference: Reference, report: Report): Resolved {
  const { path, pattern } = reference.likely;
  const plain =
    path === '.' ||
    leadsAbove(path) ||
    /^\/[^/]+\/./.test(path) ||
    looksLikePath(path) ||
    (isGlob(pattern) && /[*/]/.test(pattern));
  if (plain)
    return {
      kind: 'refused',
      message: `Refusing @file reference "@${printable(pattern)}": this server is shared over HTTP and has no project directory. Set BATON_ROOT, let the client declare a root, or put the text itself into the prompt.`,
    };
  if (path.includes('/')) report.add('noRoot', pattern);
  return prose;
}
