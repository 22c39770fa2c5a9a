import { resolve } from 'node:path';
import { resolveArgument } from '../tools/resolve-path.ts';
import { readScript } from './shell/read-script.ts';
import type { CommandPart, Dialect, ScriptAnalysis } from './shell/types.ts';
import type { FileRequest, PermissionRequest } from './types.ts';

export interface CommandLineOptions {
  /** The folder it is run in: absolute, links followed. */
  cwd: string;
  home: string;
  /** The shell that will run it; undefined for one whose grammar is not read here. */
  dialect: Dialect | undefined;
}

function wordsOf(part: CommandPart): string[] {
  const own = part.words.flatMap((word) => (word.value === undefined ? [] : [word.value]));
  return [...own, ...(part.inner?.parts.flatMap(wordsOf) ?? [])];
}

/** Paths that words may name: the word itself, and what stands behind `=` or `@` in it (`--file=x`, `-d @x`). */
function mentionedPaths(parts: readonly CommandPart[], { cwd, home }: CommandLineOptions): string[] {
  const found = new Set<string>();
  for (const word of parts.flatMap(wordsOf)) {
    for (const text of [word, word.replace(/^[^=]*=/, ''), word.replace(/^.*@/, '')]) {
      if (text === '' || text.startsWith('-') || text.includes('\0')) continue;
      const path = text.startsWith('~/') ? resolve(home, text.slice(2)) : resolve(cwd, text);
      found.add(path);
      try {
        found.add(resolveArgument(path, cwd).path);
      } catch {
        // No path of a file.
      }
    }
  }
  return [...found];
}

function fileRequest(action: FileRequest['action'], path: string, cwd: string): FileRequest {
  return { action, ...resolveArgument(path, cwd) };
}

/** All that a command line asks for: to run it, and to open the files of its redirections. */
export async function commandRequests(
  commandLine: string,
  options: CommandLineOptions,
): Promise<PermissionRequest[]> {
  const { dialect } = options;
  const script: ScriptAnalysis = dialect
    ? readScript(await import('unbash'), commandLine, { ...options, dialect })
    : { parts: [], reads: [], writes: [], problem: 'the grammar of this shell is not read' };
  const mentions = mentionedPaths(script.parts, options);
  return [
    { action: 'command', commandLine, script, mentions },
    ...script.writes.map((path) => fileRequest('write_file', path, options.cwd)),
    ...script.reads.map((path) => fileRequest('read_file', path, options.cwd)),
  ];
}
