import { join } from 'node:path';
import type { Backend, Environment, Invocation } from '../../backends/types.ts';
import { packageRoot } from '../../platform/paths.ts';
import type { RetryReason } from './attempt-log.ts';

/** Name of the file in a job's folder that names its attempts after the first. */
export const ATTEMPTS_FILE = 'attempts';

/** `AGY_MCP_PTY`: whether a build that printed nothing may be run once more under a terminal. */
export function wantsPty(environment: Environment): boolean {
  return ['1', 'true', 'yes'].includes(environment.AGY_MCP_PTY?.trim().toLowerCase() ?? '');
}

/** What a run may be tried once more for; undefined = it has one attempt. */
function retryReason(invocation: Invocation, environment: Environment): RetryReason | undefined {
  if (invocation.backend === 'gemini') return 'quota';
  const isPromptOnLine = invocation.stdin === '' && invocation.args.includes('-p');
  if (invocation.backend !== 'agy' || !isPromptOnLine || process.platform === 'win32') return undefined;
  return wantsPty(environment) ? 'pty' : undefined;
}

/**
 * The same backend, its runs begun by the attempts program (`run-attempts.ts`) where a second attempt can be needed: one
 * job, whatever number of attempts. The command line of the agent stands whole behind `--`.
 */
export function withAttempts(backend: Backend): Backend {
  return {
    ...backend,
    invoke(request, resolved, environment) {
      const invocation = backend.invoke(request, resolved, environment);
      const reason = retryReason(invocation, environment);
      return reason === undefined ? invocation : wrap(invocation, reason);
    },
  };
}

function wrap(invocation: Invocation, reason: RetryReason): Invocation {
  const own = [
    join(packageRoot(), 'dist', 'relay-attempts.js'),
    reason,
    ATTEMPTS_FILE,
    invocation.program,
    '--',
  ];
  const files = (invocation.files ?? []).map((file) => ({ ...file, argument: file.argument + own.length }));
  return {
    ...invocation,
    program: process.execPath,
    args: [...own, ...invocation.args],
    files: [...files, { name: ATTEMPTS_FILE, content: '', argument: own.indexOf(ATTEMPTS_FILE) }],
  };
}
