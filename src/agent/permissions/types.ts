import type { DeniedAction } from '../../contract/events.ts';
import type { ScriptAnalysis } from './shell/types.ts';

/** What a tool can ask for; the actions of a rule `action(target)`. */
export const ACTIONS = ['read_file', 'write_file', 'read_url', 'execute_url', 'command', 'mcp'] as const;
export type Action = (typeof ACTIONS)[number];

/** One thing that a tool call is about to do. A call may need several, and needs every one allowed. */
export type PermissionRequest = FileRequest | CommandRequest | UrlRequest | McpRequest;

export interface FileRequest {
  action: 'read_file' | 'write_file';
  /** What will be touched: absolute, links followed. */
  path: string;
  /** The absolute path as it was named, `..` taken out, links not followed: a deny rule binds on either. */
  given: string;
}

export interface CommandRequest {
  action: 'command';
  commandLine: string;
  /** What the line will do (command-requests.ts). */
  script: ScriptAnalysis;
  /** Paths that its words name, as far as they are known: absolute, links followed. */
  mentions: readonly string[];
}

export interface UrlRequest {
  action: 'read_url' | 'execute_url';
  url: string;
}

export interface McpRequest {
  action: 'mcp';
  server: string;
  tool: string;
}

/**
 * - `default`: reads and writes in the workspace are allowed, everything else asks.
 * - `accept-edits`: the same rights; named apart because callers pass it to say that edits are wanted.
 * - `plan`: nothing on disk can change: writes, commands and MCP tools are denied, whatever the rules say.
 */
export type Mode = 'default' | 'accept-edits' | 'plan';

/** The words of `init.permission_mode`. */
export type PermissionMode = 'request-review' | 'always-proceed' | 'strict';

/** What a rule's target stands for. */
export type RuleForm =
  | { kind: 'all' }
  /** It names nothing, so it matches nothing. */
  | { kind: 'nothing' }
  | { kind: 'regex'; regex: RegExp }
  /** Leading words of a command; any of the sequences. */
  | { kind: 'words'; sequences: readonly (readonly string[])[] }
  /** A file, or a folder with all below it: as written and with links followed. */
  | { kind: 'paths'; paths: readonly string[] }
  | { kind: 'host'; host: string }
  | { kind: 'mcp'; server: string; tool: string | undefined };

/** One rule as written, and where it was written. */
export interface Rule {
  action: Action;
  /** The text between the brackets. */
  target: string;
  /** The rule as written, `command(git)`. */
  text: string;
  /** A file path, or `--allow`, `--deny`. */
  source: string;
  form: RuleForm;
}

/** All that {@link decide} looks at. Nothing in it is read from the disk later. All paths are absolute, links followed. */
export interface Policy {
  allow: readonly Rule[];
  ask: readonly Rule[];
  deny: readonly Rule[];
  mode: Mode;
  /** `always-proceed`: what would ask is allowed; deny rules and plan mode still bind. `strict`: even workspace reads ask. */
  permissionMode: PermissionMode;
  /** Reads outside the workspace are allowed (`allowNonWorkspaceAccess`). */
  readOutside: boolean;
  workspace: readonly string[];
  /** Folders open to reads besides the workspace (kept output of this conversation). */
  readable: readonly string[];
  /** Closed to every tool whatever the rules say: our own state. What is in `readable` below it is open. */
  closed: readonly string[];
  /** Closed to writes whatever the rules say: the files that grant rights. */
  closedToWrites: readonly string[];
  /** Files and folders that need a rule even inside the workspace: keys and sign-ins. */
  guarded: readonly string[];
}

export type Decision =
  | { verdict: 'allow' }
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
