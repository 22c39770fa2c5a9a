/** What a sandboxed command may reach. All paths absolute, links followed. */
export interface SandboxLimits {
  /** Folders that may be written. */
  workspace: readonly string[];
  /** Even the workspace is read-only (plan mode). */
  readOnly: boolean;
  /** The network as a whole. */
  network: boolean;
  /** Files and folders that are not to be seen; those that do not exist are passed over. */
  hidden: readonly string[];
  /** A private folder of the run, the only temporary folder that commands see. */
  temporary: string;
}

/** The sandbox that was asked for cannot be had. The message says why and what to do. */
export class SandboxUnavailableError extends Error {
  override name = 'SandboxUnavailableError';
}
