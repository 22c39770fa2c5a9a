import { BackendError, type Environment, type RunMode, type RunRequest } from '../types.ts';

export const RIGHTS = ['plan', 'workspace', 'full'] as const;
/** What a run may do: read and plan; also edit in its folders; anything without asking. */
export type Rights = (typeof RIGHTS)[number];

function isRights(value: string): value is Rights {
  return RIGHTS.some((known) => known === value);
}

/**
 * The operator's ceiling from `BATON_RIGHTS`, default full. Runs hand their own rights on in the same variable, so a
 * job that is started from inside a job never has more than its parent.
 * @throws {BackendError} for a value that is none: taking it for "full" would be the wrong way to be wrong.
 */
export function rightsCeiling(environment: Environment): Rights {
  const value = environment.BATON_RIGHTS?.trim().toLowerCase() || 'full';
  if (isRights(value)) return value;
  throw new BackendError(
    `BATON_RIGHTS="${environment.BATON_RIGHTS ?? ''}" is not one of ${RIGHTS.join(', ')}; nothing was started`,
  );
}

export interface GrantedRights {
  mode?: RunMode;
  skipPermissions: boolean;
  /** The ceiling for whatever this run starts itself. */
  rights: Rights;
  notices: string[];
}

/** What a request gets under the operator's ceiling; a notice for each wish that was cut. */
export function grantRights(request: RunRequest, ceiling: Rights, skipByDefault: boolean): GrantedRights {
  const notices: string[] = [];
  let mode = request.mode;
  let skipPermissions = mode !== 'plan' && (request.skipPermissions ?? skipByDefault);
  if (ceiling === 'plan') {
    if (mode === 'accept-edits' || request.skipPermissions === true) {
      notices.push('BATON_RIGHTS=plan: the run was limited to read-only planning.');
    }
    mode = 'plan';
    skipPermissions = false;
  } else if (ceiling === 'workspace' && skipPermissions) {
    if (request.skipPermissions === true) {
      notices.push(
        'BATON_RIGHTS=workspace: skipPermissions was not applied; the run may edit its folders only.',
      );
    }
    mode ??= 'accept-edits';
    skipPermissions = false;
  }
  const rights = mode === 'plan' ? 'plan' : skipPermissions ? 'full' : 'workspace';
  return { mode, skipPermissions, rights, notices };
}
