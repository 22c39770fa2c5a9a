import type { Environment } from '../environment.ts';
import { parseUrl } from './url.ts';

const LOOPBACK = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\]|::1)$/i;

/** True for an address that only this machine answers on. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}

function variable(environment: Environment, name: string): string | undefined {
  return environment[name.toLowerCase()] || environment[name] || undefined;
}

function isExempt(url: URL, noProxy: string): boolean {
  const host = url.hostname.toLowerCase();
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return noProxy
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true;
      const [, name = '', entryPort] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
      if (entryPort !== undefined && entryPort !== port) return false;
      const suffix = name.replace(/^\*?\./, '');
      return host === suffix || host.endsWith(`.${suffix}`);
    });
}

/**
 * The proxy for an address by `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` (lower case first, as curl does),
 * or undefined. Loopback addresses are never proxied, as in Go's clients.
 * @throws {Error} for a proxy of a kind that is not spoken here (SOCKS), naming the variable's value.
 */
export function proxyFor(url: URL, environment: Environment): URL | undefined {
  if (isLoopback(url.hostname)) return undefined;
  const value =
    variable(environment, url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY') ??
    variable(environment, 'ALL_PROXY');
  if (value === undefined) return undefined;
  if (isExempt(url, variable(environment, 'NO_PROXY') ?? '')) return undefined;
  const proxy = parseUrl(value.includes('://') ? value : `http://${value}`);
  if (!proxy || (proxy.protocol !== 'http:' && proxy.protocol !== 'https:')) {
    throw new Error(
      `the proxy ${JSON.stringify(value)} is no http:// or https:// address; set HTTPS_PROXY to one, or list ${url.hostname} in NO_PROXY`,
    );
  }
  return proxy;
}
