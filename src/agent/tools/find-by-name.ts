import { readArguments } from './arguments.ts';
import { createGlobTest } from './globs.ts';
import { fileFailure, settle, succeeded } from './outcome.ts';
import { createPacer } from './pacer.ts';
import { relativePath, resolveArgument } from './resolve-path.ts';
import { type PreparedCall, type Tool, ToolInputError, type ToolOptions } from './types.ts';
import { type Entry, walk } from './walk.ts';
import { wellFormed } from './well-formed.ts';

const MAX_FOUND = 500;

function readKind(value: string | undefined): 'file' | 'folder' | undefined {
  switch (value) {
    case undefined:
    case '':
    case 'any':
      return undefined;
    case 'file':
      return 'file';
    case 'directory':
    case 'folder':
      return 'folder';
    default:
      throw new ToolInputError(`Type must be file, directory or any, not ${JSON.stringify(value)}`);
  }
}

async function prepare(options: ToolOptions, raw: Record<string, unknown>): Promise<PreparedCall> {
  const args = readArguments(raw);
  const { given, path } = resolveArgument(args.text('SearchDirectory'), options.workspace.base);
  const pattern = args.optionalText('Pattern') || '*';
  const kind = readKind(args.optionalText('Type'));
  const maxDepth = args.optionalInteger('MaxDepth', 1);
  const extensions = args.texts('Extensions').map((extension) => `.${extension.replace(/^\.+/, '')}`);
  const excludes = args.texts('Excludes');
  const wholePath = args.flag('FullPath') ?? false;
  const matches = await createGlobTest([wholePath && !pattern.includes('/') ? `**/${pattern}` : pattern]);
  const excluded = await createGlobTest(excludes);

  const wanted = (entry: Entry): boolean => {
    const relative = relativePath(path, entry.path);
    if (kind === 'file' && entry.kind === 'folder') return false;
    if (kind === 'folder' && entry.kind !== 'folder') return false;
    if (extensions.length > 0 && !extensions.some((extension) => entry.name.endsWith(extension)))
      return false;
    return matches(entry.name, relative) && !excluded(entry.name, relative);
  };
  return {
    requests: [{ action: 'read_file', path, given }],
    parameters: { SearchDirectory: given, Pattern: pattern },
    run: ({ signal }) =>
      settle(
        signal,
        (error) => fileFailure('search', given, error),
        async () => {
          const found: string[] = [];
          let unreadable = 0;
          let more = false;
          const onUnreadable = (): void => {
            unreadable++;
          };
          const pacer = createPacer(signal);
          const search = { root: path, pacer, onUnreadable, ...(maxDepth === undefined ? {} : { maxDepth }) };
          for await (const entries of walk(options, search)) {
            for (const entry of entries) {
              if (pacer.due()) await pacer.pause();
              if (!wanted(entry)) continue;
              if (found.length < MAX_FOUND) {
                const relative = relativePath(path, entry.path);
                found.push(wellFormed(entry.kind === 'folder' ? `${relative}/` : relative));
              } else more = true;
            }
            if (more) break;
          }
          const lines = [`${found.length}${more ? ' or more' : ''} found in ${given}`, ...found];
          if (more) lines.push('… there are more; narrow the pattern or the folder');
          if (unreadable > 0) lines.push(`${unreadable} folders could not be read`);
          return succeeded(lines.join('\n'), { displayOutput: lines[0] ?? '' });
        },
      ),
  };
}

export function createFindByName(options: ToolOptions): Tool {
  return {
    displayName: 'FindByName',
    declaration: {
      name: 'find_by_name',
      description:
        'Finds files and folders below a folder by a glob pattern. What .gitignore leaves out is skipped, unless the folder itself is ignored.',
      parameters: {
        type: 'object',
        properties: {
          SearchDirectory: { type: 'string', description: 'Absolute path of the folder to search' },
          Pattern: {
            type: 'string',
            description:
              'Glob: *.ts for names, src/**/*.ts for paths below the folder. Everything when missing',
          },
          Type: { type: 'string', enum: ['file', 'directory', 'any'] },
          Extensions: { type: 'array', items: { type: 'string' }, description: 'Only these extensions' },
          Excludes: { type: 'array', items: { type: 'string' }, description: 'Globs to leave out' },
          MaxDepth: { type: 'integer', description: 'How many folders deep; 1 is the folder itself' },
          FullPath: {
            type: 'boolean',
            description: 'Compare the pattern with the whole path below the folder',
          },
        },
        required: ['SearchDirectory'],
      },
    },
    prepare: (args) => prepare(options, args),
  };
}
