import { isFields, parseJson, textOr } from './fields.ts';

/** The one vocabulary for how a run stands and how it ended: job states, failure reasons, exit codes. */

export const JOB_STATES = ['queued', 'running', 'done', 'failed', 'cancelled'] as const;
export type JobState = (typeof JOB_STATES)[number];

export function isTerminal(state: JobState): boolean {
  return state === 'done' || state === 'failed' || state === 'cancelled';
}

/** Why a job failed; set if and only if the state is `failed`. */
export const FAILURE_REASONS = [
  'quota_exhausted',
  'timeout',
  'spawn_failed',
  'agy_error',
  'interrupted',
  'unknown',
  'background_aborted',
  'denied',
  'empty',
  'no_result',
  'not_signed_in',
  'conversation_not_found',
  'invalid_request',
  'sandbox_unavailable',
  'never_started',
  'output_limit',
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

/** Exit codes of a headless agent in print mode. The class of a failure is in `error` and on the AGY_ERROR line. */
export const EXIT = {
  /** An answer was given (also when tools were denied on the way). */
  success: 0,
  /** Validation, sign-in, unknown model, interruption, print timeout. */
  error: 1,
  /** The command line, or a message on stdin that this mode does not take. */
  usage: 2,
  /** The model or agent API failed, after retries. */
  api: 3,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The machine-readable failure line on stderr (`AGY_ERROR: {…}`). */
export interface AgyError {
  short_error: string;
  /** A gRPC status name, such as RESOURCE_EXHAUSTED. */
  status: string;
  error_code: number;
  code_kind: string;
  retryable: boolean;
  error_id: string;
}

export const AGY_ERROR_PREFIX = 'AGY_ERROR: ';

/** The last AGY_ERROR line of a stderr text, or undefined. */
export function findAgyError(stderr: string): AgyError | undefined {
  const at = stderr.lastIndexOf(AGY_ERROR_PREFIX);
  if (at === -1) return undefined;
  const line = stderr.slice(at + AGY_ERROR_PREFIX.length).split('\n', 1)[0] ?? '';
  const fields = parseJson(line);
  if (!isFields(fields)) return undefined;
  return {
    short_error: textOr(fields.short_error),
    status: textOr(fields.status),
    error_code: typeof fields.error_code === 'number' ? fields.error_code : 0,
    code_kind: textOr(fields.code_kind),
    retryable: fields.retryable === true,
    error_id: textOr(fields.error_id),
  };
}

const QUOTA_WORDS = [
  'rate limit',
  'rate-limit',
  'http 429',
  'resource exhausted',
  'resource_exhausted',
  'resourceexhausted',
  'too many requests',
  'credits balance is too low',
  'out of credits',
];
const SIGN_IN_WORDS = [
  'authentication failed or timed out',
  'authentication required',
  'authentication timed out',
  'please sign in',
  'api key not valid',
  'invalid api key',
  'invalid_api_key',
];

/**
 * The failure reason that an agent's own message names: quota, sign-in, or undefined for neither. A bare `429` and a
 * full disk (`disk quota`) are no quota. Only ever applied to error texts, never to an answer.
 */
export function classifyErrorText(message: string): FailureReason | undefined {
  const lower = message.toLowerCase();
  if (lower.includes('quota') && !lower.includes('disk quota')) return 'quota_exhausted';
  if (QUOTA_WORDS.some((word) => lower.includes(word))) return 'quota_exhausted';
  if (SIGN_IN_WORDS.some((word) => lower.includes(word))) return 'not_signed_in';
  return undefined;
}
