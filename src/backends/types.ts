export const BACKEND_NAMES = ['agy', 'gemini', 'baton'] as const;
export type BackendName = (typeof BACKEND_NAMES)[number];

export const EFFORTS = ['low', 'medium', 'high'] as const;
export type Effort = (typeof EFFORTS)[number];

export const RUN_MODES = ['accept-edits', 'plan'] as const;
export type RunMode = (typeof RUN_MODES)[number];

/** What a caller wants run, in the neutral words of the tools; a backend turns it into an {@link Invocation}. */
export interface RunRequest {
  /** The whole task, as the caller wrote it (the relay puts inlined files into `input` instead). */
  prompt: string;
  /** What the agent is given when it differs from `prompt`: the prompt with files inlined. */
  input?: string;
  /** Absolute, links resolved. */
  cwd: string;
  model?: string;
  effort?: Effort;
  mode?: RunMode;
  agent?: string;
  sandbox?: boolean;
  /** Further workspace folders, absolute. */
  dirs?: string[];
  conversationId?: string;
  continueLatest?: boolean;
  /** Hard limit of the run in milliseconds, from the spawn. */
  timeoutMs: number;
  /** Inline schema text, a file's path, or a primitive's name, as the caller gave it. */
  jsonSchema?: string;
  /** Caps of the run: calls of the model, tokens in total, cost in US dollars. Refused where the backend has none. */
  maxTurns?: number;
  maxTokens?: number;
  maxCost?: number;
  /** A leading slash is a command of the agent's instead of text. Default false. */
  allowSlashCommands?: boolean;
  /** Whether the agent may act without asking. Default true for job tools. */
  skipPermissions?: boolean;
}

/** A command line that is ready to be spawned. */
export interface Invocation {
  backend: BackendName;
  /** Absolute path of the executable. */
  program: string;
  args: string[];
  cwd: string;
  /** Bytes for the child's stdin, which is a file; empty = an empty file. Never on the command line when it can be avoided. */
  stdin: string;
  /** Variables set for the child on top of the caller's environment; undefined removes one. */
  environment: Record<string, string | undefined>;
  /** How to read stdout. */
  outputFormat: 'stream-json' | 'json' | 'text';
  /** The model asked for, after defaults and aliases; undefined = the backend's own. */
  model?: string;
  /** The conversation that the run continues; undefined = a fresh one. */
  conversationId?: string;
  /** A schema was asked for, so an ending without `structured_output` is no success. */
  expectsStructuredOutput: boolean;
  /** Runs of one lane never overlap; undefined = the run may go beside any other. */
  lane?: string;
  /** What was asked for and could not be sent, for the caller to read. */
  notices: string[];
  /** Parts too big for a command line; whoever spawns writes them (mode 0600) and puts their paths in. */
  files?: InvocationFile[];
}

/** A private file of a run, written into its job folder before the spawn. */
export interface InvocationFile {
  /** One path segment. */
  name: string;
  content: string;
  /** Index in `args` of the argument that is to become the file's absolute path. */
  argument: number;
}

/** A backend that was found on this machine. */
export interface ResolvedBackend {
  name: BackendName;
  program: string;
  /** Arguments that come before any flag (our own agent is `node baton-agent.js`). */
  leadingArgs: string[];
  /** `X.Y.Z`; empty where the program would not say and the caller does not insist on one (the relay). */
  version: string;
  capabilities: Capabilities;
  /** Why `--help` told nothing; absent when it was read. */
  helpProblem?: string;
}

/** What the installed build advertises in `--help`; everything is false where the probe found nothing. */
export interface Capabilities {
  outputFormat: boolean;
  streamJsonInput: boolean;
  model: boolean;
  effort: boolean;
  jsonSchema: boolean;
  mode: boolean;
  addDir: boolean;
  conversation: boolean;
  continueLatest: boolean;
  printTimeout: boolean;
  sandbox: boolean;
  dangerouslySkipPermissions: boolean;
  disableSlashCommands: boolean;
  agent: boolean;
  maxTurns: boolean;
  maxTokens: boolean;
  maxCost: boolean;
}

export interface ModelEntry {
  id: string;
  /** Empty when the backend gives none. */
  label: string;
}

export interface SessionEntry {
  workspace: string;
  conversation_id: string;
}

/** A stored conversation as people look for it. */
export interface ConversationEntry {
  conversation_id: string;
  /** Milliseconds since the epoch. */
  lastActiveMs: number;
  workspace?: string;
  /** As it was sent, whole or its beginning. */
  firstPrompt?: string;
}

/** What a look at a program found; `problem` = it is not there, or would not tell its version. */
export interface ProgramReport {
  path?: string;
  version?: string;
  problem?: string;
  capabilities?: Capabilities;
  helpProblem?: string;
}

export interface QuotaBucket {
  name: string;
  /** `weekly`, `5h`, … */
  window: string;
  /** 0 to 1; absent = not told. */
  remaining?: number;
  /** RFC 3339. */
  resetTime?: string;
}

export interface QuotaGroup {
  name: string;
  buckets: QuotaBucket[];
}

/** What is left of an account's quotas, or why that is not known (`status`: most likely signed out). */
export type UsageReport =
  | { groups: QuotaGroup[] }
  | {
      problem: 'failed' | 'unparsable' | 'status' | 'no_groups' | 'no_buckets';
      detail?: string;
      status?: string;
    };

/** The environment a call is made in, never `process.env` directly: HTTP clients and tests differ. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface Backend {
  readonly name: BackendName;
  /** What plan and image runs are pinned to when the caller names no model; undefined = the configured one. */
  readonly pinnedModel?: string;
  /** What can be named when the program's own list cannot be had; undefined = nothing. */
  readonly fallbackModels?: readonly ModelEntry[];
  /** Why it would make no image in this environment, with the ways out; undefined, or absent = it may. */
  imageProblem?(environment: Environment): string | undefined;
  /**
   * Finds the program and checks that it can be used; a positive answer is cached by path, size and time.
   * @throws {BackendError} that names what was looked for, where, and the ways out.
   */
  resolve(environment: Environment, signal?: AbortSignal): Promise<ResolvedBackend>;
  /** @throws {BackendError} when a part on which safety or meaning hangs cannot be sent. */
  invoke(request: RunRequest, resolved: ResolvedBackend, environment: Environment): Invocation;
  listModels(environment: Environment, signal?: AbortSignal): Promise<ModelEntry[]>;
  listSessions(environment: Environment, dir?: string): Promise<SessionEntry[]>;
  /** Whether the backend's own store has this conversation; undefined where it cannot tell. */
  hasConversation(environment: Environment, id: string): boolean | undefined;
  /** The newest conversation of a folder, for `continue_latest`; undefined = none. */
  latestConversation(environment: Environment, cwd: string): string | undefined;
  /** Where it keeps the files of one conversation (images, …); absolute, they need not exist. Empty for an odd id. */
  conversationFolders(environment: Environment, id: string): string[];
  /** The CLI's own help text. @throws {BackendError} when it cannot be had. */
  helpText(environment: Environment, signal?: AbortSignal): Promise<string>;
  /** What can be said of the program without using it. Never throws. */
  inspect(environment: Environment, signal?: AbortSignal): Promise<ProgramReport>;
  /** Stored conversations, the most recently active first, at most `limit`. */
  listConversations(environment: Environment, limit: number): Promise<ConversationEntry[]>;
  /** Sign-in and quota without spending anything; absent where the backend has no such question. Never throws. */
  usage?(environment: Environment, signal?: AbortSignal): Promise<UsageReport>;
}

/** What kind of refusal it was: the program is absent, cannot be used, or this request cannot be sent to it. */
export type BackendErrorKind = 'not_found' | 'unusable' | 'refused';

/** A refusal before any run: nothing was started. The message is meant for the caller. */
export class BackendError extends Error {
  override name = 'BackendError';
  readonly kind: BackendErrorKind;

  constructor(message: string, kind: BackendErrorKind = 'refused', options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
