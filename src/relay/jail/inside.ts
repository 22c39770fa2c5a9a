import { relative, sep } from 'node:path';

/** Whether a path is the root or lies beneath it. Both must be absolute and free of links and `..`. */
export function isInside(realRoot: string, realPath: string): boolean {
  if (realPath === realRoot) return true;
  // The roots `/` and `C:\` end in a separator already.
  return realPath.startsWith(realRoot.endsWith(sep) ? realRoot : realRoot + sep);
}

/** The path from the root, with `/` on every system; '' for the root itself. */
export function relativeName(realRoot: string, realPath: string): string {
  const name = relative(realRoot, realPath);
  return sep === '/' ? name : name.replaceAll(sep, '/');
}
