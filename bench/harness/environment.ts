import { join } from 'node:path';

/**
 * The environment of everything that is measured: a home of its own and PATH. Variables such as NODE_EXTRA_CA_CERTS,
 * NODE_OPTIONS or proxies change what a start costs.
 */
export function cleanEnvironment(
  home: string,
  more: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: home,
    TMPDIR: process.env.TMPDIR ?? '/tmp',
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    BATON_STATE_DIR: join(home, 'state'),
    ...more,
  };
}
