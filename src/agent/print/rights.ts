import type { Mode, PermissionMode } from '../permissions/types.ts';
import type { Sandbox } from '../sandbox/open-sandbox.ts';
import { SandboxUnavailableError } from '../sandbox/types.ts';
import { openToolbox, type Toolbox } from '../toolbox.ts';
import { RunError } from './failures.ts';
import type { PrintOptions } from './options.ts';

type Asked = Pick<
  PrintOptions,
  'cwd' | 'addDirs' | 'mode' | 'skipPermissions' | 'allow' | 'deny' | 'sandbox'
>;
type Environment = Readonly<Record<string, string | undefined>>;
type Ceiling = 'plan' | 'workspace' | 'full';

/** `BATON_RIGHTS`: the operator's ceiling, which an agent that an agent started inherits. @throws {RunError} */
function readCeiling(environment: Environment): Ceiling {
  const given = environment.BATON_RIGHTS ?? '';
  if (given === '' || given === 'full') return 'full';
  if (given === 'plan' || given === 'workspace') return given;
  throw new RunError(`BATON_RIGHTS=${JSON.stringify(given)} is none of plan, workspace, full`);
}

function lostRights(asked: Asked, ceiling: Ceiling): string[] {
  const lost = [
    ...(asked.skipPermissions ? ['--dangerously-skip-permissions'] : []),
    ...(asked.allow.length > 0 ? ['--allow'] : []),
  ];
  if (ceiling === 'full' || lost.length === 0) return [];
  return [`${lost.join(' and ')} not applied: BATON_RIGHTS is ${ceiling}`];
}

/** Loaded only where it is asked for. @throws {RunError} when there is none: nothing runs unprotected instead */
async function openSandboxFor(
  environment: Environment,
  folders: readonly string[],
  mode: Mode,
): Promise<Sandbox> {
  const { openSandbox } = await import('../sandbox/open-sandbox.ts');
  try {
    return await openSandbox({ environment, folders, mode });
  } catch (error) {
    if (!(error instanceof SandboxUnavailableError)) throw error;
    throw new RunError(`sandbox unavailable: ${error.message}`, { cause: error });
  }
}

/**
 * The tools of a run and the policy over them, with what the operator's ceiling leaves of what was asked for. The ceiling
 * binds the settings of the user too.
 * @throws {RunError} and what {@link openToolbox} throws
 */
export async function openRights(
  asked: Asked,
  environment: Environment,
  conversation: { id: string; artifacts: string },
): Promise<Toolbox> {
  const ceiling = readCeiling(environment);
  const isCapped = ceiling !== 'full';
  const mode: Mode = ceiling === 'plan' ? 'plan' : asked.mode;
  const folders = [asked.cwd, ...asked.addDirs];
  const sandbox = asked.sandbox ? await openSandboxFor(environment, folders, mode) : undefined;
  const toolbox = openToolbox({
    environment,
    folders,
    mode,
    sandbox,
    skipPermissions: asked.skipPermissions && !isCapped,
    allow: isCapped ? [] : asked.allow,
    deny: asked.deny,
    conversationId: conversation.id,
    conversationFolder: conversation.artifacts,
  });
  const { policy } = toolbox;
  const permissionMode: PermissionMode =
    isCapped && policy.permissionMode === 'always-proceed' ? 'request-review' : policy.permissionMode;
  return {
    ...toolbox,
    policy: { ...policy, permissionMode },
    permissionMode,
    warnings: [...toolbox.warnings, ...lostRights(asked, ceiling)],
  };
}
