import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { decodeEnvelope } from '../../contract/decode-event.ts';
import { isFields, parseJson, textOr } from '../../contract/fields.ts';
import { errorCode } from '../../platform/errors.ts';
import { isSameProcessAlive, type ProcessIdentity } from '../../platform/process-identity.ts';
import { deriveStatus } from '../derive-status.ts';
import { type EventSummary, emptySummary } from '../event-summary.ts';
import type { JobFacts } from '../job-facts.ts';
import { readTail } from '../read-events.ts';
import type { JobRecord, JobStatus } from '../types.ts';

/**
 * Job folders written by the Go server agy-mcp, v1 and v2 (`meta.json`, `out`, `err`, `progress.json`, `result.json`,
 * `exit_code`): they load and report in full, so that its state folder can be taken over as it is. Such a folder is
 * only read, never changed; its own supervisor may still be writing it.
 */
interface GoMeta {
  id: string;
  agy_path: string;
  args: string[];
  cwd: string;
  prompt: string;
  model?: string;
  conversation_id?: string;
  started_at: string;
  pid: number;
  start_time_ticks?: number;
  boot_id: string;
  /** Nanoseconds. */
  timeout: number;
}

const MAX_OUT_BYTES = 32 * 1024 * 1024;

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function readMeta(folder: string): GoMeta | undefined {
  const text = readText(join(folder, 'meta.json'));
  const value = text === undefined ? undefined : parseJson(text);
  if (!isFields(value) || typeof value.id !== 'string' || typeof value.started_at !== 'string')
    return undefined;
  return {
    id: value.id,
    agy_path: textOr(value.agy_path),
    args: Array.isArray(value.args) ? value.args.filter((arg): arg is string => typeof arg === 'string') : [],
    cwd: textOr(value.cwd),
    prompt: textOr(value.prompt),
    model: textOr(value.model) || undefined,
    conversation_id: textOr(value.conversation_id) || undefined,
    started_at: value.started_at,
    pid: typeof value.pid === 'number' ? value.pid : 0,
    start_time_ticks: typeof value.start_time_ticks === 'number' ? value.start_time_ticks : undefined,
    boot_id: textOr(value.boot_id),
    timeout: typeof value.timeout === 'number' ? value.timeout : 0,
  };
}

/** The record of a Go job in our form, or undefined when the folder holds none. */
export function readGoRecord(folder: string): JobRecord | undefined {
  const meta = readMeta(folder);
  if (!meta) return undefined;
  return {
    format: 1,
    id: meta.id,
    kind: 'agy_run',
    prompt: meta.prompt,
    invocation: {
      backend: 'agy',
      program: meta.agy_path,
      args: meta.args,
      cwd: meta.cwd,
      outputFormat: choosesStream(meta) ? 'stream-json' : 'text',
      model: meta.model,
      conversationId: meta.args.includes('--conversation') ? meta.conversation_id : undefined,
      // The Go server does not keep the structured output of a run.
      expectsStructuredOutput: false,
      notices: [],
    },
    input_bytes: 0,
    input_sha256: '',
    timeout_ms: meta.timeout / 1e6,
    output_limit_bytes: Number.MAX_SAFE_INTEGER,
    max_jobs: 1,
    depth: 0,
    accepted_at: meta.started_at,
    boot_id: meta.boot_id,
  };
}

const choosesStream = (meta: GoMeta): boolean =>
  meta.args.some((arg) => arg === '--output-format' || arg.startsWith('--output-format='));

function supervisorIdentity(meta: GoMeta): ProcessIdentity | undefined {
  if (meta.pid <= 0 || meta.start_time_ticks === undefined) return undefined;
  return { pid: meta.pid, start_time: String(meta.start_time_ticks), boot_id: meta.boot_id };
}

function readExitCode(folder: string): number | undefined {
  const text = readText(join(folder, 'exit_code'))?.trim();
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** Codes by which the Go supervisor says that it ended the run itself. */
function endOf(code: number | undefined): NonNullable<JobFacts['end']> {
  if (code === undefined) return { cause: 'interrupted', exit: 'unknown' };
  if (code === 124) return { cause: 'timeout', exit: { code } };
  if (code === 143 || code === 130) return { cause: 'cancel', exit: { code } };
  return { cause: 'exit', exit: { code } };
}

function readSummary(folder: string, meta: GoMeta, code: number | undefined): EventSummary {
  const summary = emptySummary();
  const progress = parseJson(readText(join(folder, 'progress.json')) ?? '');
  const payload = decodeEnvelope(parseJson(readText(join(folder, 'result.json')) ?? ''));
  const out = readText(join(folder, 'out')) ?? '';
  summary.text = out.length > MAX_OUT_BYTES ? out.slice(0, MAX_OUT_BYTES) : out;
  summary.textCut = out.length > MAX_OUT_BYTES;
  if (isFields(progress)) {
    summary.conversationId = textOr(progress.conversation_id) || undefined;
    summary.lastStepType = textOr(progress.step_type) || undefined;
  }
  summary.conversationId ??= meta.conversation_id ?? (payload?.conversation_id || undefined);
  summary.result = payload;
  if (payload?.status === 'SUCCESS') summary.lastSuccess = payload;
  summary.events = payload || progress !== undefined || out !== '' ? 1 : 0;
  const isFirstVersion = !choosesStream(meta) && progress === undefined && !payload;
  if (isFirstVersion && code === 0 && out.trim() !== '') {
    // v1 wrote agy's plain answer: it is complete, not a reconstruction.
    summary.result = {
      conversation_id: summary.conversationId ?? '',
      status: 'SUCCESS',
      response: out,
      duration_seconds: 0,
      num_turns: 1,
      usage: { input_tokens: 0, output_tokens: 0, thinking_tokens: 0, cache_read_tokens: 0, total_tokens: 0 },
    };
  }
  return summary;
}

/** When the folder's run ended: its age is frozen there. */
function endedAt(folder: string): number {
  for (const name of ['exit_code', 'out', 'err', 'meta.json']) {
    const stat = statSync(join(folder, name), { throwIfNoEntry: false });
    if (stat) return stat.mtimeMs;
  }
  return Date.now();
}

/** Milliseconds since 1970 when a Go job ended; undefined while it runs, and where the folder holds no Go job. */
export function goJobEndedAt(folder: string): number | undefined {
  const meta = readMeta(folder);
  if (!meta) return undefined;
  const identity = supervisorIdentity(meta);
  const alive = readExitCode(folder) === undefined && identity !== undefined && isSameProcessAlive(identity);
  return alive ? undefined : endedAt(folder);
}

/** The status of a Go job, or undefined when the folder holds none. */
export function readGoStatus(folder: string, now: number): JobStatus | undefined {
  const meta = readMeta(folder);
  const record = readGoRecord(folder);
  if (!meta || !record) return undefined;
  const early = readExitCode(folder);
  const identity = supervisorIdentity(meta);
  const running = early === undefined && identity !== undefined && isSameProcessAlive(identity);
  // The code is written last: the supervisor may have done so and ended between the two looks.
  const code = running ? undefined : (early ?? readExitCode(folder));
  const summary = readSummary(folder, meta, code);
  const status = deriveStatus({
    record,
    summary,
    skippedLines: 0,
    stderrTail: readTail(join(folder, 'err'), 64 * 1024),
    end: running ? undefined : endOf(code),
    begun: true,
    now: running ? now : endedAt(folder),
  });
  // v1 knows neither turns nor usage: nothing is better than zeros.
  if (status.usage?.total_tokens === 0) {
    delete status.usage;
    delete status.num_turns;
  }
  return status;
}

/** Asks the Go supervisor of a running job to stop it, as its own server does. */
export function cancelGoJob(folder: string): void {
  const meta = readMeta(folder);
  const identity = meta && supervisorIdentity(meta);
  if (identity && isSameProcessAlive(identity)) process.kill(identity.pid, 'SIGTERM');
}
