import type { DeniedAction } from '../../contract/events.ts';

/** What a tool can ask for; the actions of a rule `action(target)`. */
export const ACTIONS = ['read_file', 'write_file', 'read_url', 'execute_url', 'command', 'mcp'] as const;
export type Action = (typeof ACTIONS)[number];

/** One thing that a tool call is about to do. A call may need several, and needs every one allowed. */
export type PermissionRequest =
  /** `path` is what will be touched: absolute, links followed. `given` is the absolute path as it was named, with
   * `..` taken out but links not followed: a deny rule binds on either. */
  | { action: 'read_file' | 'write_file'; path: string; given: string }
  | { action: 'command'; commandLine: string; cwd: string }
  | { action: 'read_url' | 'execute_url'; url: string }
  | { action: 'mcp'; server: string; tool: string };

/**
 * - `default`: reads and writes in the workspace are allowed, everything else asks.
 * - `accept-edits`: the same rights; named apart because callers pass it to say that edits are wanted.
 * - `plan`: nothing on disk can change: writes and commands are denied, whatever the rules say.
 */
export type Mode = 'default' | 'accept-edits' | 'plan';

/** The words of `init.permission_mode`. */
export type PermissionMode = 'request-review' | 'always-proceed' | 'strict';

/** One rule as written, and where it was written. */
export interface Rule {
  action: Action;
  /** The text between the brackets. */
  target: string;
  /** The rule as written, `command(git)`. */
  text: string;
  /** A file path, or `--allow`, `--deny`. */
  source: string;
}

/** All that {@link decide} looks at. Nothing in it is read from the disk later. */
export interface Policy {
  allow: readonly Rule[];
  ask: readonly Rule[];
  deny: readonly Rule[];
  mode: Mode;
  /** `always-proceed`: what would ask is allowed; deny rules and plan mode still bind. `strict`: even workspace reads ask. */
  permissionMode: PermissionMode;
  /** Reads outside the workspace are allowed (`allowNonWorkspaceAccess`). */
  readOutside: boolean;
  /** Workspace folders, absolute, links followed; the first is the one that relative rule paths and commands start from. */
  workspace: readonly string[];
  /** Folders open to reads and writes besides the workspace (temp, the conversation's own), absolute, links followed. */
  scratch: readonly string[];
  /** Folders closed to every tool whatever the rules say (our own state), absolute, links followed. */
  closed: readonly string[];
  /** For `~` in rules and commands. */
  home: string;
}

export type Decision =
  | { verdict: 'allow'; reason: string }
  | {
      /** `ask` is a denial too, since nobody can be asked; it differs in that an allow rule would change it. */
      verdict: 'ask' | 'deny';
      /** The action that was refused, of the possibly several a call needs. */
      action: Action;
      /** One sentence that names the value and the cause; fit for the step's error message and for the model. */
      reason: string;
      /** The exact rules that together would allow the call, `command(git status)`; empty when no rule can. */
      rules: readonly string[];
    };

export type Refusal = Exclude<Decision, { verdict: 'allow' }>;

/** An entry for `denied_actions`. */
export function deniedAction(refusal: Refusal, displayName: string): DeniedAction {
  return { action: refusal.action, display_name: displayName };
}

/** decide.ts: the pure decision over all that one call asks for. */
export type Decide = (policy: Policy, requests: readonly PermissionRequest[]) => Decision;
