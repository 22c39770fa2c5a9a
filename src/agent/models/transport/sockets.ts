import type http from 'node:http';
import net from 'node:net';

/** How long a connection may take to be made, in milliseconds. */
const CONNECT_LIMIT_MS = 20_000;

export const KEEP_ALIVE = { keepAlive: true, scheduling: 'lifo', timeout: 60_000 } as const;

export type OnSocket = (error: Error | null, socket?: net.Socket) => void;

export function portOf(url: URL): number {
  return Number(url.port || (url.protocol === 'https:' ? 443 : 80));
}

/** The host name as sockets want it: without the brackets of an IPv6 address. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Ends a socket that is not ready within the limit. */
export function limited<T extends net.Socket>(socket: T, url: URL, readyEvent: string): T {
  const limit = setTimeout(() => {
    const error = new Error(`${url.host} did not accept a connection within ${CONNECT_LIMIT_MS / 1000} s`);
    socket.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
  }, CONNECT_LIMIT_MS);
  limit.unref();
  const done = (): void => clearTimeout(limit);
  socket.once(readyEvent, done).once('close', done);
  return socket;
}

export function connectPlain(url: URL): net.Socket {
  return limited(net.connect({ host: hostOf(url), port: portOf(url), noDelay: true }), url, 'connect');
}

/** An agent whose new sockets come from `open` (the declared type of Node's agents lacks this documented method). */
export function withSockets<T extends http.Agent>(
  agent: T,
  open: (options: http.ClientRequestArgs, done: OnSocket) => net.Socket | undefined,
): T {
  return Object.assign(agent, { createConnection: open });
}

/** The header with which a proxy is told who asks, from the user name and password in its address. */
export function proxyCredentials(proxy: URL): Record<string, string> {
  if (proxy.username === '' && proxy.password === '') return {};
  const pair = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}
