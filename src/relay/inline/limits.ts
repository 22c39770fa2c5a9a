/** What one prompt may bring along. Sizes are bytes of content. */
export interface InlineLimits {
  /** One file is cut behind this. */
  fileBytes: number;
  /** All files together; one that does not fit is left out whole. */
  promptBytes: number;
  /** Number of files with content. */
  files: number;
  /** `@` signs that are looked up. */
  references: number;
  /** Names that walks may look at, over all expansions. */
  walkedEntries: number;
  /** A folder with more entries is left out of expansions. */
  folderEntries: number;
  /** How far into a file a line range is searched for. */
  scanBytes: number;
}

export const DEFAULT_LIMITS: InlineLimits = {
  fileBytes: 262_144,
  promptBytes: 2_097_152,
  files: 1_000,
  references: 1_000,
  walkedEntries: 200_000,
  folderEntries: 100_000,
  scanBytes: 33_554_432,
};
