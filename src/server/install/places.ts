import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';
import type { Environment } from '../../backends/types.ts';

/** Where programs of one person keep their settings on one platform. */
export interface Places {
  platform: NodeJS.Platform;
  environment: Environment;
  home: string;
  /** `$XDG_CONFIG_HOME`, else `~/.config`: for the programs that use it on every platform. */
  xdgConfig: string;
  /** Where desktop programs keep theirs: `~/.config`, `~/Library/Application Support` or `%APPDATA%`. */
  appData: string;
  join: (...parts: string[]) => string;
}

/** @param platform and `environment` are given, so that the paths of every platform can be checked on any. */
export function placesOf(environment: Environment, platform: NodeJS.Platform = process.platform): Places {
  const paths = platform === 'win32' ? win32 : posix;
  const join = (...parts: string[]): string => paths.join(...parts);
  const home = (platform === 'win32' ? environment.USERPROFILE : environment.HOME) || homedir();
  const xdg = environment.XDG_CONFIG_HOME;
  const xdgConfig = xdg && paths.isAbsolute(xdg) ? xdg : join(home, '.config');
  const appData =
    platform === 'win32'
      ? environment.APPDATA || join(home, 'AppData', 'Roaming')
      : platform === 'darwin'
        ? join(home, 'Library', 'Application Support')
        : xdgConfig;
  return { platform, environment, home, xdgConfig, appData, join };
}
