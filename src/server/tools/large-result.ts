/**
 * Claude Code cuts a tool result that is longer than it expects; this key raises what it expects. An answer is at most
 * `BATON_RESULT_LIMIT` characters, but JSON text escapes quotes and line ends.
 */
export const LARGE_RESULT_META = { 'anthropic/maxResultSizeChars': 200_000 } as const;
