import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Environment } from '../../backends/types.ts';
import { packageRoot } from '../../platform/paths.ts';
import type { ServerCommand } from './clients.ts';

function real(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/**
 * The Node that clients start. Package managers put each version into a folder of its own and a link on PATH: the link
 * outlives an upgrade, the folder does not. Links that live only as long as a shell are passed over.
 */
function lastingNode(environment: Environment, node: string = process.execPath): string {
  const target = real(node) ?? node;
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  const passing = [tmpdir(), '/run/', '/tmp/', 'fnm_multishells'];
  const found = (environment.PATH ?? '')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !passing.some((part) => `${folder}/`.includes(part)))
    .map((folder) => join(folder, file))
    .find((path) => real(path) === target);
  return found ?? target;
}

/** What clients start: this Node and this package, absolute, for clients know neither this folder nor this PATH. */
export function serverCommand(environment: Environment): ServerCommand {
  return { command: lastingNode(environment), args: [join(packageRoot(), 'dist', 'baton.js'), 'serve'] };
}
