import { errorCode } from '../../../platform/errors.ts';
import type { Environment } from '../environment.ts';
import { createConnections } from './connections.ts';
import { LightResponse, StalledError } from './response.ts';
import { shownUrl } from './url.ts';

export type Fetch = typeof globalThis.fetch;

export interface Transport {
  /**
   * A `fetch` over `node:http(s)` with kept-alive connections and proxies: string addresses and string bodies only,
   * no redirects (a redirect is returned as it is), no compression. undici's fetch alone costs a start four times a
   * bare Node on Node 20 (docs/decisions.md, 28b).
   */
  fetch: Fetch;
  /** Opens the connection to `url` ahead of the first request. Errors show only in that request. */
  warm(url: string): void;
}

interface Sent {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
  signal: AbortSignal | undefined;
}

function headersOf(given: unknown): Record<string, string> {
  if (typeof given !== 'object' || given === null) return {};
  const pairs: Iterable<unknown> = Symbol.iterator in given ? [...Object(given)] : Object.entries(given);
  const headers: Record<string, string> = {};
  for (const pair of pairs) {
    if (!Array.isArray(pair)) continue;
    const [name, value]: unknown[] = pair;
    if (typeof name === 'string' && typeof value === 'string') headers[name.toLowerCase()] = value;
  }
  return headers;
}

const GONE = new Set(['ECONNRESET', 'EPIPE']);

/** No reply was had from an address: which, why, and what to do. `code` is Node's. */
export class TransportError extends Error {
  override name = 'TransportError';
  readonly code: string;

  constructor(url: URL, error: unknown) {
    const code = errorCode(error) ?? '';
    const reason = error instanceof Error ? error.message || code : String(error);
    const hint = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)
      ? '; if a proxy or a private server signs its own certificate, name the file of its authority in NODE_EXTRA_CA_CERTS'
      : '';
    super(`${shownUrl(url.origin)}: ${reason}${hint}`, { cause: error });
    this.code = code;
  }
}

/** @param options.idleMs longest wait for the reply to begin, and between two pieces of it. */
export function createTransport(environment: Environment, options: { idleMs: number }): Transport {
  const connections = createConnections(environment);
  const { idleMs } = options;

  const send = async (sent: Sent, isSecondTry: boolean): Promise<LightResponse> => {
    const { url, signal } = sent;
    const route = await connections.route(url).catch((error: unknown) => {
      throw new TransportError(url, error);
    });
    const body = sent.body === undefined ? undefined : Buffer.from(sent.body);
    const headers = {
      'accept-encoding': 'identity',
      ...(body ? { 'content-length': String(body.length) } : {}),
      ...sent.headers,
      ...Object(route.options.headers),
    };
    return new Promise((resolve, reject) => {
      const request = route.request({ ...route.options, method: sent.method, headers, signal });
      const stalled = setTimeout(() => {
        request.destroy(new StalledError(`no reply within ${idleMs / 1000} s`));
      }, idleMs);
      request.once('response', (message) => {
        clearTimeout(stalled);
        resolve(new LightResponse(url.href, message, idleMs, signal));
      });
      request.once('error', (error) => {
        clearTimeout(stalled);
        if (signal?.aborted) {
          reject(signal.reason instanceof Error ? signal.reason : error);
        } else if (request.reusedSocket && !isSecondTry && GONE.has(errorCode(error) ?? '')) {
          // The server closed a kept connection just as it was used again: nothing was read, so ask once more.
          resolve(send(sent, true));
        } else {
          reject(new TransportError(url, error));
        }
      });
      request.end(body);
    });
  };

  return {
    fetch: async (input, init = {}) => {
      const url = new URL(typeof input === 'string' || input instanceof URL ? input : input.url);
      if (init.body != null && typeof init.body !== 'string') {
        throw new TypeError('this transport sends text bodies only');
      }
      init.signal?.throwIfAborted();
      const sent = {
        url,
        method: init.method ?? 'GET',
        headers: headersOf(init.headers),
        body: init.body ?? undefined,
        signal: init.signal ?? undefined,
      };
      return send(sent, false);
    },
    warm(url) {
      connections.warm(new URL(url));
    },
  };
}
