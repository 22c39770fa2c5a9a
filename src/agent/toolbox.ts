import { decide } from './permissions/decide.ts';
import { createHiddenTest, loadPolicy } from './permissions/load-policy.ts';
import type { Decision, Mode, PermissionMode, PermissionRequest, Policy } from './permissions/types.ts';
import type { Sandbox } from './sandbox/open-sandbox.ts';
import { createTools } from './tools/create-tools.ts';
import { keptOutputFolder } from './tools/kept-output.ts';
import type { ToolSet } from './tools/types.ts';
import { createWorkspace } from './tools/workspace.ts';

export interface ToolboxOptions {
  environment: Readonly<Record<string, string | undefined>>;
  /** The workspace folders, the one that commands run in first. */
  folders: readonly string[];
  mode: Mode;
  /** `--dangerously-skip-permissions` */
  skipPermissions: boolean;
  /** Rules of `--allow` and `--deny`. */
  allow?: readonly string[];
  deny?: readonly string[];
  conversationId: string;
  conversationFolder: string;
  /** Where commands run (`--sandbox`, sandbox/open-sandbox.ts); closed with the toolbox. */
  sandbox?: Sandbox | undefined;
}

/** The tools of a run together with what decides on their calls. */
export interface Toolbox extends ToolSet {
  readonly policy: Policy;
  /** For `init.permission_mode`. */
  readonly permissionMode: PermissionMode;
  decide(requests: readonly PermissionRequest[]): Decision;
  /** Words for what commands run in; `none` is none. */
  readonly sandbox: string;
  /** Lines for stderr. */
  readonly warnings: readonly string[];
}

/**
 * Reads the user's permission settings and makes the tools of a run.
 * @throws {WorkspaceError} for a folder that cannot be used
 * @throws {SettingsError} for settings or rules that cannot be used
 */
export function openToolbox(options: ToolboxOptions): Toolbox {
  const { environment, conversationId, conversationFolder, sandbox } = options;
  const workspace = createWorkspace(options.folders);
  const { policy, warnings } = loadPolicy({
    environment,
    workspace,
    mode: options.mode,
    skipPermissions: options.skipPermissions,
    allow: options.allow ?? [],
    deny: options.deny ?? [],
    readable: [keptOutputFolder(conversationFolder)],
  });
  const set = createTools({
    workspace,
    operations: sandbox ?? { launch: (plan) => plan, sandbox: 'none' },
    environment,
    conversationId,
    conversationFolder,
    isHidden: createHiddenTest(policy),
  });
  return {
    ...set,
    policy,
    permissionMode: policy.permissionMode,
    decide: (requests) => decide(policy, requests),
    sandbox: sandbox?.sandbox ?? 'none',
    warnings,
    close: async () => {
      await set.close();
      sandbox?.close();
    },
  };
}
