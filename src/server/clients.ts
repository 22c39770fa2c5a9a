/**
 * What single MCP clients tolerate, by the name they give of themselves. Data only: a new fact is a new row, with
 * where it comes from. Limits are how long one tool call may stay open before the client gives up on it, less a margin,
 * so that our answer (with the job's id) always arrives first.
 */
export interface ClientRow {
  /** Matches `clientInfo.name`. */
  name: RegExp;
  label: string;
  /** Milliseconds that a call with a progress token may wait. Undefined = no limit was found (the general one holds). */
  limitWithProgressMs?: number;
  /** Milliseconds that a call without a token may wait. */
  limitSilentMs?: number;
  source: string;
}

const SECOND = 1000;

export const CLIENTS: readonly ClientRow[] = [
  {
    name: /^claude-code$/i,
    label: 'Claude Code',
    limitWithProgressMs: 90 * SECOND,
    limitSilentMs: 90 * SECOND,
    source:
      'tphakala/agy-mcp issues 177 and 178, PR 181: calls dropped at about 120 s, progress does not extend that; 2.1.332 run headless waited 500 s, so the limit varies',
  },
  {
    name: /^codex/i,
    label: 'Codex',
    limitWithProgressMs: 100 * SECOND,
    limitSilentMs: 100 * SECOND,
    source:
      'openai/codex issue 6127: tool limit 120 s; 0.171.0 measured at 300 s, and progress does not extend it (raise with tool_timeout_sec)',
  },
  {
    name: /copilot/i,
    label: 'Copilot CLI',
    limitSilentMs: 150 * SECOND,
    source: '1.0.102 measured: gave up at 180 s in silence, waited with progress each 10 s',
  },
  {
    name: /^opencode/i,
    label: 'opencode',
    limitSilentMs: 50 * SECOND,
    source: '1.18.33 measured: gave up at 60 s in silence, waited with progress each 10 s',
  },
  {
    name: /^gemini-cli/i,
    label: 'Gemini CLI',
    limitSilentMs: 480 * SECOND,
    source: '0.61.0 measured: waited 500 s in silence and with progress',
  },
  {
    name: /^qwen/i,
    label: 'Qwen Code',
    limitSilentMs: 270 * SECOND,
    source:
      '0.15.10 measured: waited 500 s; QwenLM/qwen-code issue 6047 reports an idle limit of 5 min without progress',
  },
];

/** A client that is in no row and asked for no progress may hang up at 60 s, the default of the MCP SDKs. */
const UNKNOWN_SILENT_MS = 50 * SECOND;

export function findClient(name: string | undefined): ClientRow | undefined {
  return name === undefined ? undefined : CLIENTS.find((row) => row.name.test(name));
}

/** How long a call of this client may stay open, in milliseconds; undefined = no limit known. */
export function callLimitMs(name: string | undefined, hasProgress: boolean): number | undefined {
  const row = findClient(name);
  if (hasProgress) return row?.limitWithProgressMs;
  return row ? row.limitSilentMs : UNKNOWN_SILENT_MS;
}
