import { closeSync, type Stats } from 'node:fs';
import { isFields } from '../../contract/fields.ts';
import { openVerified, regularFile } from './anchored.ts';
import { type Arguments, readArguments } from './arguments.ts';
import { fileFailure, settle, succeeded } from './outcome.ts';
import { readChunk } from './read-text.ts';
import { writeWholeFile } from './replace-file.ts';
import { resolveArgument } from './resolve-path.ts';
import { applyEdits, type Edit, EditError } from './text-edits.ts';
import { decode, detectEncoding, type Encoding, encode } from './text-encoding.ts';
import { type PreparedCall, type Tool, ToolInputError, type ToolOptions } from './types.ts';

/** Editing is done in one go, which must not hold up everything else. */
const MAX_EDITED_BYTES = 16 * 1024 * 1024;

export interface TextFile {
  text: string;
  encoding: Encoding;
  stats: Stats;
}

/** Reads a whole text file that is about to be rewritten. @throws {EditError} when it is no text or too large. */
export function readTextFile(path: string, given: string): TextFile {
  const fd = openVerified(path);
  try {
    const stats = regularFile(fd, given);
    if (stats.size > MAX_EDITED_BYTES)
      throw new EditError(
        `${given} has ${stats.size} bytes; files up to ${MAX_EDITED_BYTES} bytes can be edited, larger ones by a command`,
      );
    const bytes = readChunk(fd, stats.size + 1);
    const encoding = detectEncoding(bytes, true);
    if (encoding === 'binary') throw new EditError(`${given} is a binary file`);
    return { text: decode(bytes, encoding), encoding, stats };
  } finally {
    closeSync(fd);
  }
}

function readEdit(args: Arguments): Edit {
  const startLine = args.optionalInteger('StartLine', 1);
  const endLine = args.optionalInteger('EndLine', 1);
  return {
    target: args.text('TargetContent'),
    replacement: args.text('ReplacementContent'),
    allowMultiple: args.flag('AllowMultiple') ?? false,
    ...(startLine === undefined ? {} : { startLine }),
    ...(endLine === undefined ? {} : { endLine }),
  };
}

function prepareEdits(options: ToolOptions, args: Arguments, edits: readonly Edit[]): PreparedCall {
  const { given, path } = resolveArgument(args.text('TargetFile'), options.workspace.base);
  return {
    requests: [{ action: 'write_file', path, given }],
    parameters: { TargetFile: given },
    run: ({ signal }) =>
      settle(
        signal,
        (error) =>
          error instanceof EditError ? `${given}: ${error.message}` : fileFailure('edit', given, error),
        async () => {
          const file = readTextFile(path, given);
          const edited = applyEdits(file.text, edits);
          const bytes = encode(edited.text, file.encoding);
          if (!bytes)
            throw new EditError(
              'the file is in an old one-byte encoding that lacks a character of the replacement; convert the file to UTF-8 first',
            );
          writeWholeFile(path, bytes, file.stats);
          const places = edited.replaced === 1 ? '1 place' : `${edited.replaced} places`;
          const lines = edited.lines.slice(0, 20).join(', ');
          return succeeded(`${given}: replaced in ${places} (line ${lines})`);
        },
      ),
  };
}

const EDIT_PROPERTIES = {
  TargetContent: {
    type: 'string',
    description: 'The exact text to replace, blanks included, without the line numbers of view_file',
  },
  ReplacementContent: { type: 'string', description: 'The text to put in its place' },
  AllowMultiple: {
    type: 'boolean',
    description: 'Replace every occurrence. Otherwise the text must be found exactly once',
  },
  StartLine: { type: 'integer', description: 'First line of the part to search' },
  EndLine: { type: 'integer', description: 'Last line of the part to search' },
};
const TARGET_FILE = { type: 'string', description: 'Absolute path of the file to change' };

export function createReplaceFileContent(options: ToolOptions): Tool {
  return {
    displayName: 'ReplaceFileContent',
    declaration: {
      name: 'replace_file_content',
      description: 'Replaces one piece of text in a file. Line ends, encoding and mode of the file stay.',
      parameters: {
        type: 'object',
        properties: { TargetFile: TARGET_FILE, ...EDIT_PROPERTIES },
        required: ['TargetFile', 'TargetContent', 'ReplacementContent'],
      },
    },
    prepare: async (raw) => {
      const args = readArguments(raw);
      return prepareEdits(options, args, [readEdit(args)]);
    },
  };
}

export function createMultiReplaceFileContent(options: ToolOptions): Tool {
  return {
    displayName: 'MultiReplaceFileContent',
    declaration: {
      name: 'multi_replace_file_content',
      description:
        'Replaces several pieces of text in one file, all or none. Every chunk refers to the file as it is before the call.',
      parameters: {
        type: 'object',
        properties: {
          TargetFile: TARGET_FILE,
          ReplacementChunks: {
            type: 'array',
            items: {
              type: 'object',
              properties: EDIT_PROPERTIES,
              required: ['TargetContent', 'ReplacementContent'],
            },
          },
        },
        required: ['TargetFile', 'ReplacementChunks'],
      },
    },
    prepare: async (raw) => {
      const args = readArguments(raw);
      const edits = args.list('ReplacementChunks').map((chunk) => {
        if (!isFields(chunk)) throw new ToolInputError('ReplacementChunks must be a list of objects');
        return readEdit(readArguments(chunk));
      });
      if (edits.length === 0) throw new ToolInputError('ReplacementChunks is empty');
      return prepareEdits(options, args, edits);
    },
  };
}
