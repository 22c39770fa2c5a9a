import { formatDuration, formatElapsed } from '../../contract/duration.ts';
import { isTerminal, JOB_STATES } from '../../contract/outcome.ts';
import { stateDir } from '../../platform/paths.ts';
import { parseFlags } from '../flags.ts';
import { type FolderWait, waitByFolder } from '../folder-wait.ts';
import { type HookPayload, readHookPayload } from '../hook-payload.ts';
import { WAIT_FLAGS } from './wait-job.ts';

const DEFAULT_TIMEOUT_MS = 3_600_000;
const MAX_PAYLOAD_BYTES = 64 * 1024 * 1024;

/** The exit code by which a Claude Code hook wakes the model with what it wrote on stderr. */
const EXIT_WAKE = 2;
const EXIT_QUIET = 0;

async function readStdin(): Promise<string | undefined> {
  if (process.stdin.isTTY) return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    const piece: Buffer = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    bytes += piece.length;
    if (bytes > MAX_PAYLOAD_BYTES) return undefined;
    chunks.push(piece);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Whether the caller has had the ending already, in the reply of its own blocking call. `queued` is no ending. */
function wasDelivered(payload: HookPayload): boolean {
  const word = JOB_STATES.find((state) => state === payload.state);
  return payload.toolName.endsWith('agy_run_sync') && word !== undefined && isTerminal(word);
}

function wakeLine(jobId: string, ending: FolderWait, timeoutMs: number): string {
  const opening = `agy async job notification (not an error): job ${jobId}`;
  if (ending.kind === 'ended') {
    const { state, elapsed_ms } = ending.status;
    return `${opening} finished: state=${state} elapsed=${formatElapsed(elapsed_ms)}; call agy_status with this job_id to collect the result`;
  }
  const what =
    ending.kind === 'timeout'
      ? `still running after ${formatDuration(timeoutMs)}`
      : 'wait interrupted; the job may still be running';
  return `${opening} ${what}; call agy_status with this job_id to check it, or agy_wait to wait for it`;
}

/**
 * `hook-wait [-timeout 1h]`: reads a PostToolUse payload from stdin, waits for the job it names and wakes the model.
 * Whatever goes wrong inside, it is silent: it must never disturb the tool call that it observes.
 * @returns 2 with one line on stderr = wake; 0 = nothing to say
 */
export async function hookWait(name: 'baton' | 'agy-mcp', argv: readonly string[]): Promise<number> {
  try {
    const flags = parseFlags(argv, WAIT_FLAGS, { interspersed: name === 'baton', command: 'hook-wait' });
    const timeoutMs = flags.number('timeout') ?? DEFAULT_TIMEOUT_MS;
    const text = await readStdin();
    const payload = text === undefined ? undefined : readHookPayload(text);
    if (!payload?.jobId) return EXIT_QUIET;
    const ending = await waitByFolder(stateDir(process.env, name), payload.jobId, timeoutMs, process.env);
    if (ending.kind === 'ended' && wasDelivered(payload)) return EXIT_QUIET;
    process.stderr.write(`${wakeLine(payload.jobId, ending, timeoutMs)}\n`);
    return EXIT_WAKE;
  } catch {
    return EXIT_QUIET;
  }
}
