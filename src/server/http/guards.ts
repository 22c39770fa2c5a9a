import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isLoopback } from './address.ts';

/** Why a request is turned away: what goes back to whoever sent it. */
export interface Rejection {
  status: 401 | 403;
  message: string;
  headers?: Record<string, string>;
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Makes the check of the bearer token: digests are compared, in a time that says nothing about the token. */
export function createBearerCheck(
  token: string | undefined,
): (request: IncomingMessage) => Rejection | undefined {
  if (!token) return () => undefined;
  const expected = digest(token);
  return (request) => {
    const given = /^bearer +(.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (given !== undefined && timingSafeEqual(digest(given.trim()), expected)) return undefined;
    return { status: 401, message: 'unauthorized', headers: { 'www-authenticate': 'Bearer' } };
  };
}

/**
 * Turns away what a page of another site makes a browser send: by the browser's own word (`Sec-Fetch-Site`), else by
 * an `Origin` that is not the host asked. Reading requests pass: such a page does not get to see their answer.
 */
export function checkCrossOrigin(request: IncomingMessage): Rejection | undefined {
  if (SAFE_METHODS.has(request.method ?? '')) return undefined;
  const site = request.headers['sec-fetch-site'];
  if (site === 'same-origin' || site === 'none') return undefined;
  const rejection: Rejection = { status: 403, message: 'cross-origin request detected' };
  if (site !== undefined && site !== '') return rejection;
  const { origin } = request.headers;
  if (origin === undefined || origin === '') return undefined;
  try {
    return new URL(origin).host === request.headers.host ? undefined : rejection;
  } catch {
    return rejection;
  }
}

/** The host name of a `Host` header, without port and brackets; undefined when there is none to be read. */
function hostName(header: string | undefined): string | undefined {
  return /^(?:\[([^\]]+)\]|([^:[\]]+))(?::\d+)?$/
    .exec(header ?? '')
    ?.slice(1, 3)
    .find(Boolean);
}

/** A name that was made to resolve to this machine (DNS rebinding) must not open the door that an address opens. */
export function checkHost(request: IncomingMessage, boundHost: string): Rejection | undefined {
  const name = hostName(request.headers.host);
  if (name !== undefined && (name === 'localhost' || name === boundHost || isLoopback(name)))
    return undefined;
  return {
    status: 403,
    message: `Forbidden: invalid Host header ${JSON.stringify(request.headers.host ?? '')}`,
  };
}
