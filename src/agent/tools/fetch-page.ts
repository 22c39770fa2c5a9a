import type { IncomingMessage, RequestOptions } from 'node:http';
import type { Readable } from 'node:stream';
import { errorCode, errorMessage } from '../../platform/errors.ts';
import { VERSION } from '../../platform/version.ts';
import { isPrivateAddress } from './private-address.ts';

const MAX_REDIRECTS = 5;
const MAX_BYTES = 10 * 1024 * 1024;
const TIMEOUT_MS = 30_000;

export interface Address {
  address: string;
  family: number;
}

/** What of the network is used; exchanged in tests, where every server is on this machine. */
export interface Network {
  lookup(host: string): Promise<Address[]>;
  isPrivate(address: string): boolean;
}

export const publicNetwork: Network = {
  async lookup(host) {
    const { lookup } = await import('node:dns/promises');
    return await lookup(host, { all: true });
  },
  isPrivate: isPrivateAddress,
};

/** An address that could not be read. The message names it and the cause. */
export class FetchError extends Error {
  override name = 'FetchError';
}

export type Fetched =
  | { type: 'page'; url: URL; status: number; contentType: string; body: Buffer; isCut: boolean }
  /** It leads to another host, which needs a permission of its own. */
  | { type: 'elsewhere'; url: URL };

function refusePrivate(network: Network, host: string, address: string): void {
  if (network.isPrivate(address)) {
    const where = host === address ? host : `${host} (${address})`;
    throw new FetchError(`${where} is this machine or in a private network; only public addresses are read`);
  }
}

/** Looks the host up once, and refuses it when any of its addresses is private. No other address is connected to. */
async function resolveHost(url: URL, network: Network): Promise<Address[]> {
  const { isIP } = await import('node:net');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const family = isIP(host);
  const found = family === 0 ? await network.lookup(host) : [{ address: host, family }];
  for (const { address } of found) refusePrivate(network, host, address);
  return found;
}

/** A look-up cannot be broken off; it can be left behind. */
async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let onAbort: () => void = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
    signal.addEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

async function open(url: URL, network: Network, signal: AbortSignal): Promise<IncomingMessage> {
  const addresses = await abortable(resolveHost(url, network), signal);
  const [first] = addresses;
  if (!first) throw new FetchError(`${url.hostname} has no address`);
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const options: RequestOptions = {
    signal,
    lookup: (_host, { all }, callback) => {
      if (all) callback(null, addresses);
      else callback(null, first.address, first.family);
    },
    agent: false,
    headers: {
      'user-agent': `baton-agent/${VERSION}`,
      accept: 'text/html,text/plain,application/json,*/*;q=0.5',
      'accept-encoding': 'gzip, br',
    },
  };
  return await new Promise((resolve, reject) => {
    const outgoing = request(url, options, resolve);
    outgoing.once('error', reject);
    outgoing.end();
  });
}

async function decoded(response: IncomingMessage): Promise<Readable> {
  const encoding = (response.headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding === 'identity' || encoding === '') return response;
  const zlib = await import('node:zlib');
  const decoder =
    encoding === 'gzip' || encoding === 'x-gzip'
      ? zlib.createGunzip()
      : encoding === 'br'
        ? zlib.createBrotliDecompress()
        : encoding === 'deflate'
          ? zlib.createInflate()
          : undefined;
  if (!decoder) throw new FetchError(`the server sent an encoding that was not asked for (${encoding})`);
  response.once('error', (error) => decoder.destroy(error));
  return response.pipe(decoder);
}

/** The body, up to the limit; what is behind it is not even transferred. */
async function readBody(response: IncomingMessage): Promise<{ body: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  const stream = await decoded(response);
  for await (const chunk of stream) {
    if (!Buffer.isBuffer(chunk)) continue;
    chunks.push(chunk.subarray(0, MAX_BYTES - length));
    length += chunk.length;
    if (length > MAX_BYTES) break;
  }
  response.destroy();
  return { body: Buffer.concat(chunks), isCut: length > MAX_BYTES };
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

function describe(error: unknown, url: URL, timedOut: boolean): FetchError {
  if (error instanceof FetchError) return error;
  if (timedOut) return new FetchError(`${url.href} did not answer in full within ${TIMEOUT_MS / 1_000} s`);
  const code = errorCode(error);
  const cause =
    code === 'ENOTFOUND' || code === 'EAI_AGAIN'
      ? `the host ${url.hostname} was not found`
      : errorMessage(error);
  return new FetchError(`${url.href} could not be read: ${cause}`, { cause: error });
}

/**
 * Reads an address, following redirects within the same host.
 * @throws {FetchError}; the signal's reason when it was aborted
 */
export async function fetchPage(start: URL, network: Network, signal: AbortSignal): Promise<Fetched> {
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  const either = AbortSignal.any([signal, limit]);
  let url = start;
  try {
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const response = await open(url, network, either);
      const status = response.statusCode ?? 0;
      const { location } = response.headers;
      if (!REDIRECTS.has(status) || location === undefined) {
        const contentType = response.headers['content-type'] ?? '';
        return { type: 'page', url, status, contentType, ...(await readBody(response)) };
      }
      response.destroy();
      const next = URL.canParse(location, url.href) ? new URL(location, url.href) : undefined;
      if (!next || !/^https?:$/.test(next.protocol))
        throw new FetchError(`${url.href} redirects to ${location}, which is no web address`);
      if (next.hostname !== url.hostname) return { type: 'elsewhere', url: next };
      url = next;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw describe(error, url, limit.aborted);
  }
  throw new FetchError(`${start.href} redirects more than ${MAX_REDIRECTS} times`);
}
