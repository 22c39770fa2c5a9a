import { loadPolicy } from '../permissions/load-policy.ts';
import type { Mode, Policy } from '../permissions/types.ts';
import type { Workspace } from '../tools/types.ts';
import { createWorkspace } from '../tools/workspace.ts';
import { RunError } from './failures.ts';
import type { PrintOptions } from './options.ts';

export interface Rights {
  workspace: Workspace;
  policy: Policy;
  mode: Mode;
  /** For stderr. */
  warnings: string[];
}

type Asked = Pick<PrintOptions, 'cwd' | 'addDirs' | 'mode' | 'skipPermissions' | 'allow' | 'deny'>;

/**
 * What the operator's ceiling leaves of what was asked for: `BATON_RIGHTS` is `plan`, `workspace` or `full`, and an agent
 * that an agent started inherits it.
 */
function underCeiling(
  asked: Asked,
  ceiling: string,
): { mode: Mode; skipPermissions: boolean; allow: string[]; lost: string | undefined } {
  const { mode, skipPermissions, allow } = asked;
  if (ceiling === '' || ceiling === 'full') return { mode, skipPermissions, allow, lost: undefined };
  if (ceiling !== 'plan' && ceiling !== 'workspace') {
    throw new RunError(`BATON_RIGHTS=${JSON.stringify(ceiling)} is none of plan, workspace, full`);
  }
  const lost = [
    ...(skipPermissions ? ['--dangerously-skip-permissions'] : []),
    ...(allow.length > 0 ? ['--allow'] : []),
  ];
  return {
    mode: ceiling === 'plan' ? 'plan' : mode,
    skipPermissions: false,
    allow: [],
    lost: lost.length === 0 ? undefined : `${lost.join(' and ')} not applied: BATON_RIGHTS is ${ceiling}`,
  };
}

/**
 * The workspace of a run and what may be done in it.
 * @param readable folders of ours that the tools may read (the conversation's kept outputs)
 * @throws {RunError} for rules or settings of the user that cannot be used
 */
export function readRights(
  asked: Asked,
  environment: Readonly<Record<string, string | undefined>>,
  readable: readonly string[],
): Rights {
  const workspace = createWorkspace([asked.cwd, ...asked.addDirs]);
  const granted = underCeiling(asked, environment.BATON_RIGHTS ?? '');
  const { policy, warnings } = loadPolicy({
    environment,
    workspace,
    mode: granted.mode,
    skipPermissions: granted.skipPermissions,
    allow: granted.allow,
    deny: asked.deny,
    readable,
  });
  const capped = environment.BATON_RIGHTS === 'plan' || environment.BATON_RIGHTS === 'workspace';
  // Settings may say always-proceed too; the ceiling binds them as well.
  const ceiled: Policy =
    capped && policy.permissionMode === 'always-proceed'
      ? { ...policy, permissionMode: 'request-review' }
      : policy;
  const lost = granted.lost === undefined ? [] : [granted.lost];
  return { workspace, policy: ceiled, mode: granted.mode, warnings: [...warnings, ...lost] };
}
