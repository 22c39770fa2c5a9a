import { type Fields, isFields, parseJson, textOr } from '../../../contract/fields.ts';
import { errorCode, errorMessage } from '../../../platform/errors.ts';
import { TransportError } from '../transport/fetch.ts';
import { isLoopback } from '../transport/proxy.ts';
import { ModelError, type ModelErrorKind } from '../types.ts';
import { StreamFailure } from './parts.ts';

/** Whom a failure is about, for its message. */
export interface Party {
  /** `provider/model`. */
  id: string;
  providerLabel: string;
  /** The variable that holds the key, and the one that holds the address. */
  keyVariable?: string;
  addressVariable?: string;
  address: string;
}

interface Report {
  status: number | undefined;
  /** The provider's own words, or its status line when it gave none. */
  message: string;
  /** The provider's own name for the failure (`insufficient_quota`, `overloaded_error`, `RESOURCE_EXHAUSTED`). */
  code: string;
  retryAfterMs: number | undefined;
  shouldRetry: boolean | undefined;
  isHtml: boolean;
}

const OVERFLOW =
  /context.{0,20}(length|window|size)|maximum context|prompt is too long|input (token count|is too long)|too many (input )?tokens|exceeds? the (available|maximum|model'?s?) (context|number of tokens|input)|request_too_large|string too long/i;
const EXHAUSTED =
  /insufficient_quota|insufficient[_ ]balance|billing|credit balance is too low|out of credits|exceeded your current quota|spend(ing)? limit|payment required|per.?day/i;
const KEY_REFUSED = /api[ _-]?key (not valid|invalid|expired)|invalid[ _](x-)?api[ _-]?key|API_KEY_INVALID/i;
const NO_MODEL =
  /model.{0,80}(not (found|exist|supported)|does ?n.t exist|is unavailable)|model_not_found|unknown model|no such model|invalid model/i;
/** Codes of connections that may well be had at the next try. */
const DROPPED = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
]);
/** Errors of the provider packages for a reply that was damaged on its way, or broke off. */
const GARBLED = new Set(['AI_JSONParseError', 'AI_InvalidResponseDataError', 'AI_EmptyResponseBodyError']);

function seconds(text: string | undefined): number | undefined {
  const match = /^(\d+(?:\.\d+)?)s?$/.exec(text ?? '');
  return match ? Number(match[1]) * 1000 : undefined;
}

function retryAfter(headers: Record<string, string>, now: number): number | undefined {
  const inMs = Number(headers['retry-after-ms'] || Number.NaN);
  if (Number.isFinite(inMs)) return Math.max(0, inMs);
  const given = headers['retry-after'];
  const asSeconds = seconds(given);
  if (asSeconds !== undefined || !given) return asSeconds;
  const at = Date.parse(given);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** Google names the pause in a detail of the error's body. */
function retryDelay(details: unknown): number | undefined {
  const found = Array.isArray(details) ? details.find((d) => isFields(d) && 'retryDelay' in d) : undefined;
  return isFields(found) ? seconds(textOr(found.retryDelay)) : undefined;
}

function innerError(value: unknown): Fields | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (!isFields(first)) return undefined;
  if (isFields(first.response) && isFields(first.response.error)) return first.response.error;
  return isFields(first.error) ? first.error : first;
}

function readBody(body: unknown): Partial<Report> {
  const error = innerError(body);
  if (!error) return typeof body === 'string' && body.trim() !== '' ? { message: body } : {};
  const codes = [error.status, error.code, error.type].filter((code) => typeof code === 'string');
  const status = [error.code, error.status, error.http_code].find(
    (code): code is number => typeof code === 'number' && code >= 400 && code < 600,
  );
  return {
    message: textOr(error.message, textOr(error.error)),
    code: codes.join(' '),
    retryAfterMs: retryDelay(error.details),
    status,
    ...(JSON.stringify(error.details ?? '').includes('PerDay') ? { code: `${codes.join(' ')} per day` } : {}),
  };
}

/** An error of a provider package that carries a reply's status and body. */
function readApiError(error: Error & Fields): Report {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(isFields(error.responseHeaders) ? error.responseHeaders : {}))
    headers[name.toLowerCase()] = textOr(value);
  const text = textOr(error.responseBody);
  const isHtml = /^\s*</.test(text);
  const body = readBody(parseJson(text) ?? (isHtml ? undefined : text.slice(0, 500)));
  const says = headers['x-should-retry'];
  return {
    status: typeof error.statusCode === 'number' ? error.statusCode : undefined,
    message: body.message || error.message,
    code: body.code ?? '',
    retryAfterMs: retryAfter(headers, Date.now()) ?? body.retryAfterMs,
    shouldRetry: says === 'true' ? true : says === 'false' ? false : undefined,
    isHtml,
  };
}

const STREAM_STATUS: [RegExp, number][] = [
  [/overloaded/i, 529],
  [/rate_?limit|resource_exhausted|too_many/i, 429],
  [/server_error|api_error|internal|unavailable/i, 500],
  [/timeout|deadline/i, 504],
  [/authentication|unauthenticated/i, 401],
  [/permission/i, 403],
  [/not_found/i, 404],
  [/invalid/i, 400],
];

function readStreamFailure(reported: unknown): Report {
  const value = typeof reported === 'string' ? (parseJson(reported) ?? reported) : reported;
  const body = readBody(value);
  const code = body.code ?? '';
  return {
    status: body.status ?? STREAM_STATUS.find(([pattern]) => pattern.test(code))?.[1],
    message: body.message || 'the provider reported an error without saying which',
    code,
    retryAfterMs: body.retryAfterMs,
    shouldRetry: undefined,
    isHtml: false,
  };
}

function kindOf(report: Report): { kind: ModelErrorKind; retryable: boolean } {
  const { status = 0, message, code } = report;
  const words = `${code} ${message}`;
  if (status === 413 || (status < 500 && status !== 429 && OVERFLOW.test(words))) {
    return { kind: 'context_overflow', retryable: false };
  }
  if (status === 402 || (status < 500 && EXHAUSTED.test(words) && !isShortPause(report))) {
    return { kind: 'quota', retryable: false };
  }
  if (status === 401 || status === 403 || KEY_REFUSED.test(words)) return { kind: 'auth', retryable: false };
  if (status === 429) return { kind: 'rate_limit', retryable: true };
  if (status === 404 && report.isHtml) return { kind: 'invalid_request', retryable: false };
  if (status === 404 || (status === 400 && NO_MODEL.test(words)))
    return { kind: 'unknown_model', retryable: false };
  if (status === 408 || status === 409 || status >= 500) return { kind: 'unavailable', retryable: true };
  return { kind: status === 0 ? 'stream' : 'invalid_request', retryable: false };
}

/** Google says "exceeded your current quota" for a limit per minute too; then it names a pause of seconds. */
function isShortPause(report: Report): boolean {
  return (report.retryAfterMs ?? Number.POSITIVE_INFINITY) <= 60_000 && !/per day/.test(report.code);
}

function nextStep(kind: ModelErrorKind, party: Party, report: Report): string {
  if (kind === 'auth' && party.keyVariable) return `; check the key in ${party.keyVariable}`;
  if (kind === 'quota') return `; the account's quota or credit is used up, so nothing was tried again`;
  const wrongAddress = report.isHtml && report.status === 404;
  const moved = report.status !== undefined && report.status >= 300 && report.status < 400;
  if ((wrongAddress || moved) && party.addressVariable) {
    return `; ${party.address} is not the address of such a server, check ${party.addressVariable}`;
  }
  return '';
}

function fromReport(report: Report, party: Party, cause: unknown): ModelError {
  const { kind, retryable } = kindOf(report);
  const status = report.status === undefined ? '' : `${report.status} `;
  const message = report.message.trim().slice(0, 1000) || 'no reason given';
  return new ModelError(
    kind,
    `${party.providerLabel} (${party.id}): ${status}${message}${nextStep(kind, party, report)}`,
    {
      status: report.status,
      retryable: report.shouldRetry ?? retryable,
      retryAfterMs: report.retryAfterMs,
      cause,
    },
  );
}

function* chain(error: unknown): Generator {
  for (let at = error, depth = 0; at !== undefined && depth < 6; depth++) {
    yield at;
    at = at instanceof Error ? at.cause : undefined;
  }
}

function isApiError(error: unknown): error is Error & Fields {
  return error instanceof Error && error.name === 'AI_APICallError' && 'statusCode' in error;
}

function isDropped(error: unknown): boolean {
  return DROPPED.has(errorCode(error) ?? '');
}

function connectionFailure(dropped: unknown, party: Party, cause: unknown): ModelError {
  const code = errorCode(dropped) ?? '';
  const isHere = isLoopback(new URL(party.address).hostname);
  // A server on this machine that does not listen is not about to.
  const isOff = code === 'ECONNREFUSED' && isHere;
  const hint = isOff ? '; is the server running?' : '';
  return new ModelError('network', `${party.providerLabel} (${party.id}): ${errorMessage(dropped)}${hint}`, {
    retryable: DROPPED.has(code) && !isOff,
    cause,
  });
}

/** Anything that asking a model can throw, as a {@link ModelError} that names the provider, the cause and what to do. */
export function toModelError(error: unknown, party: Party, signal: AbortSignal): ModelError {
  if (signal.aborted)
    return new ModelError('aborted', `the request to ${party.id} was stopped`, { cause: error });
  const errors = [...chain(error)];
  const known = errors.find((at) => at instanceof ModelError);
  if (known) return known;
  for (const at of errors) {
    if (at instanceof StreamFailure && !(at.reported instanceof Error)) {
      return fromReport(readStreamFailure(at.reported), party, error);
    }
    if (at instanceof StreamFailure) return toModelError(at.reported, party, signal);
  }
  const dropped = errors.find((at) => at instanceof TransportError) ?? errors.findLast(isDropped);
  if (dropped) return connectionFailure(dropped, party, error);
  const api = errors.find(isApiError);
  if (api && !(api.statusCode === 200)) return fromReport(readApiError(api), party, error);
  const last = errors.at(-1);
  const words = errorMessage(last).slice(0, 500);
  return new ModelError(
    'stream',
    `${party.providerLabel} (${party.id}): the reply cannot be read: ${words}`,
    {
      retryable: errors.some((at) => at instanceof Error && GARBLED.has(at.name)),
      cause: error,
    },
  );
}
