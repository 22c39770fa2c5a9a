import { join } from 'node:path';
import type { SandboxLimits } from './types.ts';

const PROGRAM = '/usr/bin/sandbox-exec';

/** Services through which a program gets at keys or starts others outside of the sandbox. */
const CLOSED_SERVICES = [
  'com.apple.SecurityServer',
  'com.apple.securityd.xpc',
  'com.apple.secd',
  'com.apple.coreservices.appleevents',
  'com.apple.coreservices.launchservicesd',
  'com.apple.pasteboard.1',
];

/**
 * The command that runs something under macOS's sandbox-exec, up to the program itself. Paths are handed in as
 * parameters, so that none has to be quoted in the profile. Later rules win over earlier ones.
 */
export function seatbeltCommand(limits: SandboxLimits): string[] {
  const parameters: string[] = [];
  const name = (path: string): string => {
    const key = `PATH_${parameters.length}`;
    parameters.push(`${key}=${path}`);
    return `(param "${key}")`;
  };
  const subpaths = (paths: readonly string[]): string =>
    paths.map((path) => `(subpath ${name(path)})`).join(' ');
  const writable = limits.readOnly ? [limits.temporary] : [...limits.workspace, limits.temporary];
  const lines = [
    '(version 1)',
    '(allow default)',
    ...(limits.network
      ? []
      : ['(deny network*)', '(allow network* (local ip "localhost:*") (remote ip "localhost:*"))']),
    `(deny mach-lookup ${CLOSED_SERVICES.map((service) => `(global-name "${service}")`).join(' ')})`,
    '(deny file-write*)',
    `(allow file-write* ${subpaths(writable)})`,
    '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (regex #"^/dev/fd/"))',
    ...limits.workspace.map((folder) => `(deny file-write* (subpath ${name(join(folder, '.git'))}))`),
  ];
  if (limits.hidden.length > 0) {
    const hidden = subpaths(limits.hidden);
    lines.push(`(deny file-read* file-write* ${hidden})`, `(deny network-outbound ${hidden})`);
  }
  return [PROGRAM, ...parameters.flatMap((parameter) => ['-D', parameter]), '-p', lines.join('\n')];
}

export const SEATBELT = PROGRAM;
