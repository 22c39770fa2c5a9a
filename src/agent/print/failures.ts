import type { RunStatus } from '../../contract/events.ts';
import { AGY_ERROR_PREFIX, type AgyError, EXIT, type ExitCode } from '../../contract/outcome.ts';
import { ModelError, type ModelErrorKind } from '../models/types.ts';

/** How a run or a turn failed, in the contract's words. */
export interface Failure {
  status: RunStatus;
  /** For `error` of the result and for stderr. */
  error: string;
  exit: ExitCode;
  /** Set for failures of the model. */
  agyError?: Omit<AgyError, 'error_id'>;
}

/** A run that ends with status ERROR and exit code 1 for a reason that the person can act on. */
export class RunError extends Error {
  override name = 'RunError';
  readonly exit: ExitCode;

  constructor(message: string, options: { exit?: ExitCode; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.exit = options.exit ?? EXIT.error;
  }
}

/** Why a turn was broken off from outside; the reason of its abort signal. */
export class TurnAborted extends Error {
  override name = 'TurnAborted';
  readonly kind: 'interrupted' | 'timeout' | 'output_lost';

  constructor(kind: TurnAborted['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** The gRPC status name for each kind of model failure, as agy reports them. */
const STATUS_NAMES: Record<ModelErrorKind, string> = {
  aborted: 'CANCELLED',
  auth: 'UNAUTHENTICATED',
  quota: 'RESOURCE_EXHAUSTED',
  rate_limit: 'RESOURCE_EXHAUSTED',
  unavailable: 'UNAVAILABLE',
  invalid_request: 'INVALID_ARGUMENT',
  unknown_model: 'NOT_FOUND',
  context_overflow: 'OUT_OF_RANGE',
  stream: 'DATA_LOSS',
  network: 'UNAVAILABLE',
  replay_mismatch: 'FAILED_PRECONDITION',
};

/** `RESOURCE_EXHAUSTED (code 429): …` */
export function modelErrorText(error: ModelError): string {
  const code = error.status === undefined ? '' : ` (code ${error.status})`;
  return `${STATUS_NAMES[error.kind]}${code}: ${error.message}`;
}

/** A failure of the model: sign-in and an unknown model are the caller's to mend (1), the rest is the API's (3). */
export function modelFailure(error: ModelError): Failure {
  const text = modelErrorText(error);
  const mine = error.kind === 'auth' || error.kind === 'unknown_model';
  return {
    status: 'ERROR',
    error: error.kind === 'auth' ? `authentication required: ${text}` : text,
    exit: mine ? EXIT.error : EXIT.api,
    agyError: {
      short_error: text,
      status: STATUS_NAMES[error.kind],
      error_code: error.status ?? 0,
      code_kind: error.status === undefined ? 'client' : 'http',
      retryable: error.retryable,
    },
  };
}

/** The failure behind anything that a turn threw. Not for programming errors: those pass through as themselves. */
export function failureOf(error: unknown): Failure {
  if (error instanceof ModelError) return modelFailure(error);
  if (error instanceof RunError) return { status: 'ERROR', error: error.message, exit: error.exit };
  const message = error instanceof Error ? error.message : String(error);
  return { status: 'ERROR', error: message, exit: EXIT.error };
}

export function agyErrorLine(error: NonNullable<Failure['agyError']>, errorId: string): string {
  return AGY_ERROR_PREFIX + JSON.stringify({ ...error, error_id: errorId });
}
