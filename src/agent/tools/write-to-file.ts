import { errorCode } from '../../platform/errors.ts';
import { readArguments } from './arguments.ts';
import { readTextFile, type TextFile } from './edit-file.ts';
import { failed, fileFailure, settle, succeeded } from './outcome.ts';
import { writeWholeFile } from './replace-file.ts';
import { resolveArgument } from './resolve-path.ts';
import { dominantLineEnd, encode } from './text-encoding.ts';
import { type PreparedCall, type Tool, ToolInputError, type ToolOptions } from './types.ts';

function existing(path: string, given: string): TextFile | undefined {
  try {
    return readTextFile(path, given);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The new content in the form of the old one: its encoding where that has all the characters, its line ends where the
 * old text used `\r\n` only and the new one does not use it at all. */
function inOldForm(content: string, old: TextFile): { bytes: Buffer; note: string } {
  const onlyCarriageReturns = old.text.includes('\r\n') && !/(^|[^\r])\n/.test(old.text);
  const convert = onlyCarriageReturns && dominantLineEnd(content) === '\n' && content.includes('\n');
  const text = convert ? content.replaceAll('\n', '\r\n') : content;
  const bytes = encode(text, old.encoding) ?? Buffer.from(text);
  return { bytes, note: convert ? '; its CRLF line ends were kept' : '' };
}

function prepare(options: ToolOptions, raw: Record<string, unknown>): PreparedCall {
  const args = readArguments(raw);
  const { given, path } = resolveArgument(args.text('TargetFile'), options.workspace.base);
  const overwrite = args.flag('Overwrite') ?? false;
  const content = args.optionalText('CodeContent') ?? (args.flag('EmptyFile') ? '' : undefined);
  if (content === undefined)
    throw new ToolInputError('the argument CodeContent is missing (EmptyFile: true makes an empty file)');
  return {
    requests: [{ action: 'write_file', path, given }],
    parameters: { TargetFile: given },
    run: ({ signal }) =>
      settle(
        signal,
        (error) => fileFailure('write', given, error),
        async () => {
          const old = existing(path, given);
          if (!old) {
            const bytes = Buffer.from(content);
            writeWholeFile(path, bytes);
            return succeeded(`${given} was created (${bytes.length} bytes)`);
          }
          if (!overwrite)
            return failed(`${given} exists already; set Overwrite to replace all of it, or edit it in part`);
          const { bytes, note } = inOldForm(content, old);
          writeWholeFile(path, bytes, old.stats);
          return succeeded(`${given} was overwritten (${bytes.length} bytes${note})`);
        },
      ),
  };
}

export function createWriteToFile(options: ToolOptions): Tool {
  return {
    displayName: 'WriteToFile',
    declaration: {
      name: 'write_to_file',
      description:
        'Creates a file with the given content, missing folders included. An existing file is replaced only with Overwrite.',
      parameters: {
        type: 'object',
        properties: {
          TargetFile: { type: 'string', description: 'Absolute path of the file to write' },
          CodeContent: { type: 'string', description: 'The whole content of the file' },
          Overwrite: { type: 'boolean', description: 'Replace a file that exists' },
          EmptyFile: { type: 'boolean', description: 'Make an empty file; CodeContent is not needed then' },
        },
        required: ['TargetFile', 'CodeContent'],
      },
    },
    prepare: async (args) => prepare(options, args),
  };
}
