import type { ToolDeclaration } from '../models/types.ts';
import type { PermissionRequest } from '../permissions/types.ts';

/** What the model gets back from a tool call, and what the step shows. A failed call is an outcome too, not an exception. */
export interface ToolOutcome {
  /** Text for the model (on failure too), already cut to a bounded size. */
  output: string;
  isError: boolean;
  /** On failure: one sentence for `tool_info.error.message`. */
  errorMessage?: string;
  /** Short text for `tool_info.output` where the documented one is not the model's text (`view_file`: `2 lines, 5 bytes`). */
  displayOutput?: string;
  image?: { mediaType: string; base64: string };
  /** The file that holds the whole output when `output` was cut. */
  fullOutputPath?: string;
}

/** The folders that a run works in. */
export interface Workspace {
  /** Absolute, links followed; never empty. The first is where commands run and relative paths start. */
  readonly folders: readonly string[];
  /** `folders[0]`. */
  readonly base: string;
}

/** How a child process is to be started; `argv[0]` is the program. */
export interface LaunchPlan {
  argv: readonly string[];
  cwd: string;
  environment: Readonly<Record<string, string>>;
}

/** What of the machine the tools use beyond files, so that the same tool runs plain or in a sandbox. */
export interface Operations {
  /** Turns "run this" into what is really started: itself when plain, a bubblewrap or sandbox-exec call otherwise. */
  launch(plan: LaunchPlan): LaunchPlan;
  /** Words for the tool description and for errors: `none`, `bubblewrap`, `sandbox-exec`. */
  readonly sandbox: string;
}

/** What stays the same over a run. */
export interface ToolOptions {
  workspace: Workspace;
  operations: Operations;
  /** The agent's own environment; children get it without our secrets. */
  environment: Readonly<Record<string, string | undefined>>;
  conversationId: string;
  /** Private folder of this conversation; output too long to show is kept under it. It need not exist. */
  conversationFolder: string;
  /** Paths that a search must leave out although its folder may be read: those of deny rules, our own state. */
  isHidden?: (path: string) => boolean;
}

/** What belongs to one call. */
export interface CallContext {
  signal: AbortSignal;
  /** Text that a running tool wants shown, a command's new output for one. */
  onProgress?: (text: string) => void;
}

/** A call whose arguments were checked and whose paths were resolved, ready to be decided on and then run. */
export interface PreparedCall {
  /** Every one must be allowed (permissions/decide.ts) before `run` is called. Empty for a call that touches nothing. */
  requests: readonly PermissionRequest[];
  /** The documented subset of the arguments for `tool_info.parameters`, names in PascalCase. */
  parameters: Record<string, unknown>;
  /**
   * Does it. Touches exactly what `requests` names: a path that was exchanged for a link since then is refused. Never
   * rejects, an abort included (`isError`, message `interrupted`).
   */
  run(context: CallContext): Promise<ToolOutcome>;
}

export interface Tool {
  readonly declaration: ToolDeclaration;
  /** `RunCommand` for `run_command`: the `display_name` of `denied_actions`. */
  readonly displayName: string;
  /**
   * Checks the arguments and resolves what they name. Reads the file system, changes nothing.
   * @throws {ToolInputError} when the arguments cannot be used; the message is for the model.
   */
  prepare(args: Record<string, unknown>): Promise<PreparedCall>;
}

/** Arguments that a tool cannot use. */
export class ToolInputError extends Error {
  override name = 'ToolInputError';
}

/** A command that was left running. */
export interface BackgroundTask {
  id: string;
  commandLine: string;
}

/** The tools of a run, and what they left running. */
export interface ToolSet {
  /** In the order they are shown to the model. */
  readonly tools: readonly Tool[];
  /** The commands in the background that have not ended. */
  running(): readonly BackgroundTask[];
  /** Resolves when no background command runs any more, or when the signal fires. */
  waitForBackground(signal: AbortSignal): Promise<void>;
  /** Kills every command that still runs, with its children. Idempotent. To be called at the end of a run, whatever happened. */
  close(): Promise<void>;
}
