import { closeSync, type Stats } from 'node:fs';
import { sniffImage } from '../../platform/image-format.ts';
import { openVerified, regularFile } from './anchored.ts';
import { readArguments } from './arguments.ts';
import { failed, fileFailure, settle, succeeded } from './outcome.ts';
import { createPacer, type Pacer } from './pacer.ts';
import { createLineSplitter, type OpenText, openText, readChunk } from './read-text.ts';
import { resolveArgument } from './resolve-path.ts';
import type { PreparedCall, Tool, ToolOptions, ToolOutcome } from './types.ts';
import { ToolInputError } from './types.ts';
import { wellFormed } from './well-formed.ts';

const MAX_LINES = 800;
const MAX_CHARACTERS = 96_000;
const MAX_LINE = 2_000;
/** Behind the range that was asked for, lines are still counted up to here, so that the model learns the file's length. */
const COUNT_BYTES = 64 * 1024 * 1024;
const MAX_IMAGE_BYTES = 8 * 1024 * 1024;

interface Range {
  first: number;
  last: number | undefined;
}

interface Excerpt {
  lines: string[];
  /** Lines of the file, as far as they were counted. */
  counted: number;
  complete: boolean;
  longLines: number;
}

async function readRange(text: OpenText, range: Range, pacer: Pacer): Promise<Excerpt> {
  const splitter = createLineSplitter(MAX_LINE);
  const last = Math.min(range.last ?? Number.POSITIVE_INFINITY, range.first + MAX_LINES - 1);
  const excerpt: Excerpt = { lines: [], counted: 0, complete: false, longLines: 0 };
  let room = MAX_CHARACTERS;
  const take = (line: { text: string; length: number }): void => {
    excerpt.counted++;
    if (excerpt.counted < range.first || excerpt.counted > last || room <= 0) return;
    const cut = line.length > line.text.length;
    if (cut) excerpt.longLines++;
    const shown = `${excerpt.counted}: ${wellFormed(line.text)}${cut ? ` … [${line.length} characters]` : ''}`;
    room -= shown.length + 1;
    excerpt.lines.push(shown);
  };
  for await (const piece of text.pieces()) {
    for (const line of splitter.push(piece.text)) take(line);
    const enough = excerpt.counted >= last || room <= 0;
    if (enough && piece.position > COUNT_BYTES) return excerpt;
    if (pacer.due()) await pacer.pause();
  }
  const rest = splitter.rest();
  if (rest) take(rest);
  excerpt.complete = true;
  return excerpt;
}

function textOutcome(
  path: string,
  stats: Stats,
  text: OpenText,
  range: Range,
  excerpt: Excerpt,
): ToolOutcome {
  const { lines, counted, complete } = excerpt;
  const total = complete ? String(counted) : `more than ${counted}`;
  const encoding = text.encoding === 'utf-8' ? '' : `, ${text.encoding}`;
  const header = `${path} (${total} lines, ${stats.size} bytes${encoding})`;
  const displayOutput = `${total} lines, ${stats.size} bytes`;
  if (counted === 0) return succeeded(`${header}\nThe file is empty.`, { displayOutput });
  if (lines.length === 0)
    return failed(`${path} has ${total} lines; StartLine ${range.first} is behind its end`);
  const end = range.first + lines.length - 1;
  const notes: string[] = [];
  const wanted = Math.min(
    range.last ?? Number.POSITIVE_INFINITY,
    complete ? counted : Number.POSITIVE_INFINITY,
  );
  if (end < wanted) notes.push(`Not all was shown; go on with StartLine ${end + 1}.`);
  if (excerpt.longLines > 0)
    notes.push(`${excerpt.longLines} long lines were cut to ${MAX_LINE} characters.`);
  const output = [header, `Lines ${range.first} to ${end}:`, ...lines, ...notes].join('\n');
  return succeeded(output, { displayOutput });
}

function binaryOutcome(path: string, fd: number, stats: Stats, head: Buffer): ToolOutcome {
  const mediaType = sniffImage(head)?.mimeType;
  const displayOutput = `${stats.size} bytes`;
  if (!mediaType) {
    const start = head.subarray(0, 16).toString('hex').replace(/../g, '$& ').trim();
    return succeeded(
      `${path} is a binary file of ${stats.size} bytes (it starts with ${start}); it is not shown.`,
      {
        displayOutput,
      },
    );
  }
  if (stats.size > MAX_IMAGE_BYTES)
    return failed(`${path} is an image of ${stats.size} bytes; at most ${MAX_IMAGE_BYTES} can be shown`);
  const base64 = readChunk(fd, stats.size, 0).toString('base64');
  return succeeded(`${path} (${mediaType}, ${stats.size} bytes)`, {
    displayOutput,
    image: { mediaType, base64 },
  });
}

function prepare(options: ToolOptions, raw: Record<string, unknown>): PreparedCall {
  const args = readArguments(raw);
  const { given, path } = resolveArgument(args.text('AbsolutePath'), options.workspace.base);
  const range: Range = {
    first: args.optionalInteger('StartLine', 1) ?? 1,
    last: args.optionalInteger('EndLine', 1),
  };
  if (range.last !== undefined && range.last < range.first)
    throw new ToolInputError(`EndLine ${range.last} is before StartLine ${range.first}`);
  return {
    requests: [{ action: 'read_file', path, given }],
    parameters: { AbsolutePath: given },
    run: ({ signal }) =>
      settle(
        signal,
        (error) => fileFailure('read', given, error),
        async () => {
          const pacer = createPacer(signal);
          const fd = openVerified(path);
          try {
            const stats = regularFile(fd, given);
            const text = openText(fd, pacer);
            if (text.encoding === 'binary') return binaryOutcome(given, fd, stats, text.head);
            return textOutcome(given, stats, text, range, await readRange(text, range, pacer));
          } finally {
            closeSync(fd);
          }
        },
      ),
  };
}

export function createViewFile(options: ToolOptions): Tool {
  return {
    displayName: 'ViewFile',
    declaration: {
      name: 'view_file',
      description:
        `Shows a file with line numbers, at most ${MAX_LINES} lines a call; use StartLine and EndLine for the part you need. ` +
        'Images (PNG, JPEG, GIF, WebP) are shown as images.',
      parameters: {
        type: 'object',
        properties: {
          AbsolutePath: { type: 'string', description: 'Absolute path of the file' },
          StartLine: { type: 'integer', description: 'First line to show, counted from 1' },
          EndLine: { type: 'integer', description: 'Last line to show, included' },
        },
        required: ['AbsolutePath'],
      },
    },
    prepare: async (args) => prepare(options, args),
  };
}
