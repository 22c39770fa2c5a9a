import { createCommandStatus } from './command-status.ts';
import { Commands } from './commands.ts';
import { createMultiReplaceFileContent, createReplaceFileContent } from './edit-file.ts';
import { createFindByName } from './find-by-name.ts';
import { createGrepSearch } from './grep-search.ts';
import { createListDir } from './list-dir.ts';
import { createReadUrl } from './read-url.ts';
import { createRunCommand } from './run-command.ts';
import type { ToolOptions, ToolSet } from './types.ts';
import { createViewFile } from './view-file.ts';
import { createWriteToFile } from './write-to-file.ts';

/** The tools of one run. `close()` must be called at its end. */
export function createTools(options: ToolOptions): ToolSet {
  const commands = new Commands(options);
  return {
    tools: [
      createViewFile(options),
      createListDir(options),
      createFindByName(options),
      createGrepSearch(options),
      createWriteToFile(options),
      createReplaceFileContent(options),
      createMultiReplaceFileContent(options),
      createRunCommand(options, commands),
      createCommandStatus(commands),
      createReadUrl(options),
    ],
    running: () => commands.running(),
    waitForBackground: (signal) => commands.waitForAll(signal),
    close: () => commands.close(),
  };
}
