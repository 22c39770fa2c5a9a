import { existsSync, lstatSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { isInside } from '../tools/resolve-path.ts';
import type { SandboxLimits } from './types.ts';

/** Temporary folders of the machine: each is replaced by the run's own. They hold other programs' sockets. */
const TEMPORARY = ['/tmp', '/var/tmp'];

/** Parts of /run, which is emptied for its sockets, that programs cannot do without. */
const KEPT_OF_RUN = ['/run/systemd/resolve', '/run/current-system', '/run/wrappers'];

/** A mount: its place, and the options that make it. */
interface Mount {
  at: string;
  options: string[];
}

function hide(path: string): Mount {
  const isFolder = lstatSync(path).isDirectory();
  // A device cannot be opened in the sandbox, so the file can be seen but neither read nor written.
  return { at: path, options: isFolder ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path] };
}

function workspaceMounts(folder: string, readOnly: boolean): Mount[] {
  const mounts: Mount[] = [{ at: folder, options: [readOnly ? '--ro-bind' : '--bind', folder, folder] }];
  const git = join(folder, '.git');
  // What is written there, git runs later, outside of the sandbox.
  if (!readOnly && existsSync(git)) mounts.push({ at: git, options: ['--ro-bind', git, git] });
  return mounts;
}

/**
 * The arguments of bubblewrap, up to and with `--`: the whole file system read-only, the workspace writable, a private
 * temporary folder, no sockets of /run, own processes, and no network unless allowed. Mounts of deeper places come
 * later, so that a hidden folder in the workspace is hidden and a workspace in a hidden folder is there.
 * Reads the file system to see what exists.
 */
export function bubblewrapArguments(limits: SandboxLimits): string[] {
  // What lies in a folder that is replaced is gone already, and has no place to be mounted on.
  const isGone = (path: string): boolean =>
    [...TEMPORARY, '/run'].some((folder) => isInside(path, folder)) &&
    !limits.workspace.some((folder) => isInside(path, folder));
  const mounts: Mount[] = [
    { at: '/', options: ['--ro-bind', '/', '/'] },
    { at: '/dev', options: ['--dev', '/dev'] },
    { at: '/proc', options: ['--proc', '/proc'] },
    ...TEMPORARY.filter((folder) => existsSync(folder)).map((folder) => ({
      at: folder,
      options: ['--bind', limits.temporary, folder],
    })),
    ...(existsSync('/run') ? [{ at: '/run', options: ['--tmpfs', '/run'] }] : []),
    ...KEPT_OF_RUN.map((path) => ({ at: path, options: ['--ro-bind-try', path, path] })),
    ...limits.hidden.filter((path) => existsSync(path) && !isGone(path)).map(hide),
    ...limits.workspace.flatMap((folder) => workspaceMounts(folder, limits.readOnly)),
  ];
  const depth = (path: string): number => (path === '/' ? 0 : path.split('/').length);
  mounts.sort((a, b) => depth(a.at) - depth(b.at));
  return [
    '--die-with-parent',
    '--new-session',
    '--unshare-user',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    ...(limits.network ? [] : ['--unshare-net']),
    '--cap-drop',
    'ALL',
    ...mounts.flatMap(({ options }) => options),
    '--',
  ];
}

const PLACES = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap', '/run/current-system/sw/bin/bwrap'];

/** Finds bubblewrap at its known places and on PATH, never inside the workspace. */
export function findBubblewrap(path: string | undefined, workspace: readonly string[]): string | undefined {
  const onPath = (path ?? '')
    .split(':')
    .filter((folder) => isAbsolute(folder) && !workspace.some((inside) => isInside(folder, inside)))
    .map((folder) => join(folder, 'bwrap'));
  return [...PLACES, ...onPath].find((candidate) => existsSync(candidate));
}

/** What to do about a bubblewrap that does not start, by what it said. */
export function explainBubblewrap(stderr: string): string {
  const said = stderr.trim().replace(/^bwrap: /, '') || 'it said nothing';
  if (/namespace|uid map|gid map|setting up user/i.test(said)) {
    return (
      `the system does not let it make namespaces (${said}). On Ubuntu 23.10 and later, give /usr/bin/bwrap an AppArmor profile ` +
      'with "userns," or set kernel.apparmor_restrict_unprivileged_userns=0; elsewhere set kernel.unprivileged_userns_clone=1; ' +
      'in a container, start it with --security-opt seccomp=unconfined'
    );
  }
  if (/proc/i.test(said))
    return `it may not mount /proc (${said}); in a container, start that with --security-opt systempaths=unconfined`;
  return said;
}
