import { basename, join } from 'node:path';
import type { InvocationFile } from '../../backends/types.ts';
import { writeFileSynced } from '../../platform/atomic-file.ts';

/**
 * Writes the files that a command line refers to into the job's folder, durably, as `with-<name>`: no name can be one
 * of the job's own files.
 * @returns the arguments with the files' absolute paths in their places.
 * @throws when a file's name is no plain name, or its argument is none of the line.
 */
export function placeFiles(
  folder: string,
  args: readonly string[],
  files: readonly InvocationFile[],
): string[] {
  const placed = [...args];
  for (const { name, content, argument } of files) {
    if (name === '' || name.startsWith('.') || basename(name) !== name || !(argument in placed)) {
      throw new Error(`a file ${JSON.stringify(name)} for argument ${argument} cannot be placed`);
    }
    const path = join(folder, `with-${name}`);
    writeFileSynced(path, Buffer.from(content));
    placed[argument] = path;
  }
  return placed;
}
