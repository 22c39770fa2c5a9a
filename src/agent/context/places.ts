import { homedir } from 'node:os';
import { join } from 'node:path';
import { configDir } from '../../platform/paths.ts';

/** Where a run looks for instructions, agents and skills, besides its workspace. */
export interface Places {
  /** Workspace folders, absolute, links followed; the first is the one of the run. */
  workspace: readonly string[];
  /** `$XDG_CONFIG_HOME/baton`. */
  config: string;
  /** `~/.gemini`, or what `--gemini_dir` says. */
  gemini: string;
  home: string;
}

export function findPlaces(
  environment: Readonly<Record<string, string | undefined>>,
  workspace: readonly string[],
  geminiDir: string | undefined,
): Places {
  const home = environment.HOME || homedir();
  return { workspace, config: configDir(environment), gemini: geminiDir ?? join(home, '.gemini'), home };
}

/** The folders of a kind of customization, in the order in which the first of a name counts. */
export function customizationFolders(places: Places, kind: 'agents' | 'skills'): string[] {
  return [
    ...places.workspace.map((folder) => join(folder, '.agents', kind)),
    join(places.config, kind),
    join(places.gemini, 'config', kind),
  ];
}
