import { closeSync, fstatSync, openSync, readdirSync, readSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, errorMessage } from '../../platform/errors.ts';
import { isInside } from '../tools/resolve-path.ts';
import { readFrontMatter } from './front-matter.ts';
import type { Places } from './places.ts';

/** A file of instructions longer than this many bytes is cut. */
export const FILE_LIMIT = 24 * 1024;
/** All files together, in bytes: about 20,000 tokens. */
export const TOTAL_LIMIT = 80 * 1024;

const NAMES = ['AGENTS.md', 'GEMINI.md', 'CLAUDE.md'];

export interface ContextFile {
  path: string;
  text: string;
}

export interface ContextFiles {
  files: ContextFile[];
  /** What was cut or left out, one sentence each. */
  notices: string[];
}

interface Candidate {
  path: string;
  /** The folder that the file must really be in; a link that leads out of it could hand the model anything. */
  within?: string;
  /** A rule counts only with `trigger: always_on`. */
  isRule?: boolean;
}

function rulesOf(folder: string): Candidate[] {
  const rules = join(folder, '.agents', 'rules');
  let names: string[];
  try {
    names = readdirSync(rules);
  } catch {
    return [];
  }
  const markdown = names.filter((name) => name.endsWith('.md')).sort();
  return markdown.map((name) => ({ path: join(rules, name), within: folder, isRule: true }));
}

/** The user's files come first: what stands in the workspace is nearer to the task and is read last. */
function candidates(places: Places): Candidate[] {
  const { config, gemini, home, workspace } = places;
  return [
    ...NAMES.map((name) => ({ path: join(config, name) })),
    ...[gemini, join(gemini, 'config')].flatMap((folder) => [
      { path: join(folder, 'GEMINI.md') },
      { path: join(folder, 'AGENTS.md') },
    ]),
    { path: join(home, '.claude', 'CLAUDE.md') },
    ...workspace.flatMap((folder) => [
      ...NAMES.map((name) => ({ path: join(folder, name), within: folder })),
      ...rulesOf(folder),
    ]),
  ];
}

/** Cuts at the last whole character. */
function decodeStart(bytes: Buffer, limit: number): string {
  const text = bytes.toString('utf8', 0, limit);
  return bytes.length > limit ? text.replace(/\uFFFD$/, '') : text;
}

function readStart(path: string, limit: number): { bytes: Buffer; size: number } {
  const fd = openSync(path, 'r');
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return { bytes: Buffer.alloc(0), size: 0 };
    const bytes = Buffer.alloc(Math.min(stat.size, limit + 1));
    const length = readSync(fd, bytes, 0, bytes.length, 0);
    return { bytes: bytes.subarray(0, length), size: stat.size };
  } finally {
    closeSync(fd);
  }
}

/**
 * Reads the instructions that a run is given: `AGENTS.md`, `GEMINI.md` and `CLAUDE.md` of the user and of the workspace
 * folders, and the workspace's `.agents/rules/*.md` that are always on. A file that several names lead to is read once.
 */
export async function readContextFiles(places: Places): Promise<ContextFiles> {
  const files: ContextFile[] = [];
  const notices: string[] = [];
  const seen = new Set<string>();
  let left = TOTAL_LIMIT;
  for (const candidate of candidates(places)) {
    const { path, within, isRule } = candidate;
    try {
      const real = realpathSync(path);
      if (seen.has(real)) continue;
      seen.add(real);
      if (within !== undefined && !isInside(real, within)) {
        notices.push(`${path} was left out: it is a link that leads out of the workspace`);
        continue;
      }
      const limit = Math.min(FILE_LIMIT, left);
      const { bytes, size } = readStart(real, limit);
      let text = decodeStart(bytes, limit);
      if (isRule) {
        const rule = await readFrontMatter(text);
        if (rule.fields.trigger !== 'always_on') continue;
        text = rule.body;
      }
      if (text.trim() === '' && size <= limit) continue;
      if (size > limit) {
        const why =
          limit === FILE_LIMIT ? `one file may have ${FILE_LIMIT}` : `all together may have ${TOTAL_LIMIT}`;
        notices.push(`${path} was cut to its first ${limit} of ${size} bytes (${why})`);
      }
      left -= Math.min(size, limit);
      if (text !== '') files.push({ path, text });
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) continue;
      notices.push(`${path} was left out: ${errorMessage(error)}`);
    }
  }
  return { files, notices };
}
