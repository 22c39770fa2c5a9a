import { statSync } from 'node:fs';
import { readArguments } from './arguments.ts';
import { createGlobTest, type PathTest } from './globs.ts';
import { createLineMatcher, type LineMatcher } from './line-matcher.ts';
import { fileFailure, settle, succeeded } from './outcome.ts';
import { createPacer } from './pacer.ts';
import { isInside, relativePath, resolveArgument } from './resolve-path.ts';
import { createFileSearch, type Hit } from './search-files.ts';
import type { CallContext, PreparedCall, Tool, ToolOptions, ToolOutcome } from './types.ts';
import { walk } from './walk.ts';
import { wellFormed } from './well-formed.ts';

const MAX_HITS = 200;
const MAX_FILES = 500;
/** Characters shown of a line with a hit. */
const MAX_SHOWN = 400;

interface Search {
  path: string;
  given: string;
  matcher: LineMatcher;
  included: PathTest | undefined;
  byLine: boolean;
}

/** Thrown to end a walk early. */
class Enough extends Error {}

class Findings {
  readonly #byLine: boolean;
  readonly #name: (path: string) => string;
  readonly hits: string[] = [];
  readonly files = new Map<string, number>();
  more = false;
  unreadable = 0;

  constructor(byLine: boolean, name: (path: string) => string) {
    this.#byLine = byLine;
    this.#name = name;
  }

  add(hit: Hit): void {
    if (this.#byLine && this.hits.length >= MAX_HITS) this.more = true;
    else if (!this.#byLine && this.files.size >= MAX_FILES && !this.files.has(hit.path)) this.more = true;
    if (this.more) throw new Enough();
    this.files.set(hit.path, (this.files.get(hit.path) ?? 0) + 1);
    if (!this.#byLine) return;
    const cut = hit.text.length > MAX_SHOWN ? `${hit.text.slice(0, MAX_SHOWN)} … [cut]` : hit.text;
    this.hits.push(`${this.#name(hit.path)}:${hit.line}: ${wellFormed(cut)}`);
  }

  outcome(where: string): ToolOutcome {
    const files = [...this.files].map(([path, count]) => `${this.#name(path)} (${count})`);
    const count = [...this.files.values()].reduce((sum, value) => sum + value, 0);
    const amount = `${count}${this.more ? ' or more' : ''} matching lines in ${this.files.size} files`;
    const lines = [`${amount} below ${where}`, ...(this.#byLine ? this.hits : files)];
    if (this.more) lines.push('… there are more; narrow the query, Includes or the folder');
    if (this.unreadable > 0) lines.push(`${this.unreadable} files or folders could not be read`);
    return succeeded(lines.join('\n'), { displayOutput: amount });
  }
}

async function searchAll(
  options: ToolOptions,
  search: Search,
  { signal }: CallContext,
): Promise<ToolOutcome> {
  const { path, matcher, included } = search;
  const base = options.workspace.base;
  const findings = new Findings(search.byLine, (file) =>
    wellFormed(isInside(file, base) && file !== base ? relativePath(base, file) : file),
  );
  const pacer = createPacer(signal);
  const files = createFileSearch(matcher, pacer, (hit) => findings.add(hit));
  const onUnreadable = (): void => {
    findings.unreadable++;
  };
  try {
    if (!statSync(path).isDirectory()) {
      await files.add(path);
    } else {
      for await (const entries of walk(options, { root: path, pacer, onUnreadable })) {
        for (const entry of entries) {
          if (entry.kind !== 'file') continue;
          if (included && !included(entry.name, relativePath(path, entry.path))) continue;
          await files.add(entry.path).catch((error: unknown) => {
            if (error instanceof Enough || signal.aborted || !isFileError(error)) throw error;
            findings.unreadable++;
          });
        }
      }
    }
    await files.finish();
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
  }
  return findings.outcome(search.given);
}

/** Failures of one file, which end no search; a pattern that is too slow does. */
function isFileError(error: unknown): boolean {
  return error instanceof Error && ('code' in error || error.name === 'MovedPathError');
}

async function prepare(options: ToolOptions, raw: Record<string, unknown>): Promise<PreparedCall> {
  const args = readArguments(raw);
  const { given, path } = resolveArgument(args.text('SearchPath'), options.workspace.base);
  const query = args.text('Query');
  const matcher = createLineMatcher(
    query,
    args.flag('IsRegex') ?? false,
    args.flag('CaseInsensitive') ?? false,
  );
  const includes = args.texts('Includes');
  const included = includes.length > 0 ? await createGlobTest(includes) : undefined;
  const search: Search = { path, given, matcher, included, byLine: args.flag('MatchPerLine') ?? true };
  return {
    requests: [{ action: 'read_file', path, given }],
    parameters: { SearchPath: given, Query: query },
    run: (context) =>
      settle(
        context.signal,
        (error) => fileFailure('search', given, error),
        () => searchAll(options, search, context),
      ),
  };
}

export function createGrepSearch(options: ToolOptions): Tool {
  return {
    displayName: 'GrepSearch',
    declaration: {
      name: 'grep_search',
      description:
        'Searches the text of files below a folder (or of one file), line by line. What .gitignore leaves out and binary files are skipped.',
      parameters: {
        type: 'object',
        properties: {
          SearchPath: { type: 'string', description: 'Absolute path of the folder or file to search' },
          Query: { type: 'string', description: 'Text to find; a regular expression with IsRegex' },
          IsRegex: { type: 'boolean', description: 'Query is a JavaScript regular expression' },
          CaseInsensitive: { type: 'boolean' },
          Includes: {
            type: 'array',
            items: { type: 'string' },
            description: 'Globs of the files to search, such as *.ts or src/**',
          },
          MatchPerLine: {
            type: 'boolean',
            description: 'true (default): each matching line with its number; false: only the names of files',
          },
        },
        required: ['SearchPath', 'Query'],
      },
    },
    prepare: (args) => prepare(options, args),
  };
}
