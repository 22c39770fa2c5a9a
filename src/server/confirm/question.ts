import { relative } from 'node:path';
import { grantRights, rightsCeiling } from '../../backends/headless/rights.ts';
import { BackendError, type Environment, type RunRequest } from '../../backends/types.ts';
import { firstLine } from '../job-rows.ts';

/**
 * Whether the operator wants a person to confirm runs that may change what lies outside the workspace (`BATON_CONFIRM`).
 * @throws {BackendError} for a value that is neither yes nor no: taking it for no would be the wrong way to be wrong
 */
export function wantsConfirmation(environment: Environment): boolean {
  const value = environment.BATON_CONFIRM?.trim().toLowerCase() || '0';
  if (['1', 'true', 'yes'].includes(value)) return true;
  if (['0', 'false', 'no'].includes(value)) return false;
  throw new BackendError(`BATON_CONFIRM="${environment.BATON_CONFIRM ?? ''}" is neither 1 nor 0`);
}

function isOutside(folder: string, workspace: string): boolean {
  const way = relative(workspace, folder);
  return way === '..' || way.startsWith('../') || way.startsWith('..\\') || /^([/\\]|[A-Za-z]:)/.test(way);
}

/**
 * What a person is asked before a run: undefined when it only reads, or may edit nothing but its workspace.
 * @param workspace the folder that the server was started in
 */
export function runQuestion(
  request: RunRequest,
  environment: Environment,
  workspace: string,
): string | undefined {
  const { mode, skipPermissions } = grantRights(request, rightsCeiling(environment), true);
  if (mode === 'plan') return undefined;
  const outside = [request.cwd, ...(request.dirs ?? [])].filter((folder) => isOutside(folder, workspace));
  if (!skipPermissions && outside.length === 0) return undefined;
  const rights = skipPermissions
    ? 'with permission checks off: it may change any file, run any command and use the network'
    : `that may edit files outside of ${workspace}`;
  const further = outside.filter((folder) => folder !== request.cwd);
  return [
    `Start an agent in ${request.cwd} ${rights}?`,
    ...(further.length > 0 ? [`Further folders: ${further.join(', ')}`] : []),
    `Task: ${firstLine(request.prompt, 300)}`,
  ].join('\n');
}
