import { lstatSync, readlinkSync } from 'node:fs';
import { openFolder } from './anchored.ts';
import { readArguments } from './arguments.ts';
import { fileFailure, settle, succeeded } from './outcome.ts';
import { createPacer } from './pacer.ts';
import { resolveArgument } from './resolve-path.ts';
import type { PreparedCall, Tool, ToolOptions } from './types.ts';
import { type Entry, readFolder } from './walk.ts';
import { wellFormed } from './well-formed.ts';

const MAX_ENTRIES = 1_000;

/** One line for an entry. `at` is its path for system calls. */
function describeEntry(entry: Entry, at: string): string {
  const name = wellFormed(entry.name);
  try {
    if (entry.kind === 'folder') return `${name}/`;
    if (entry.kind === 'link') return `${name} -> ${wellFormed(readlinkSync(at))}`;
    if (entry.kind === 'file') return `${name}  ${lstatSync(at).size} bytes`;
  } catch {
    return `${name}  (gone or unreadable)`;
  }
  return `${name}  (a device, a pipe or a socket)`;
}

function prepare(options: ToolOptions, raw: Record<string, unknown>): PreparedCall {
  const { given, path } = resolveArgument(readArguments(raw).text('DirectoryPath'), options.workspace.base);
  return {
    requests: [{ action: 'read_file', path, given }],
    parameters: { DirectoryPath: given },
    run: ({ signal }) =>
      settle(
        signal,
        (error) => fileFailure('list', given, error),
        async () => {
          const entries = await readFolder(path, createPacer(signal));
          const folder = openFolder(path);
          try {
            const lines = entries
              .slice(0, MAX_ENTRIES)
              .map((entry) => describeEntry(entry, folder.at(entry.name)));
            if (entries.length > MAX_ENTRIES) lines.push(`… ${entries.length - MAX_ENTRIES} more entries`);
            const displayOutput = `${entries.length} entries`;
            return succeeded([`${given} (${displayOutput})`, ...lines].join('\n'), { displayOutput });
          } finally {
            folder.close();
          }
        },
      ),
  };
}

export function createListDir(options: ToolOptions): Tool {
  return {
    displayName: 'ListDir',
    declaration: {
      name: 'list_dir',
      description:
        'Lists a folder: sub-folders end with /, files are shown with their size, links with their target.',
      parameters: {
        type: 'object',
        properties: { DirectoryPath: { type: 'string', description: 'Absolute path of the folder' } },
        required: ['DirectoryPath'],
      },
    },
    prepare: async (args) => prepare(options, args),
  };
}
