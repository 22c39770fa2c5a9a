import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import type { Environment } from '../environment.ts';
import { proxyFor } from './proxy.ts';

/** How long a connection may take to be made, in milliseconds. */
const CONNECT_LIMIT_MS = 20_000;
const KEEP_ALIVE = { keepAlive: true, scheduling: 'lifo', timeout: 60_000 } as const;

/** Where a request goes: to the server itself, or to a proxy. */
export interface Route {
  secure: boolean;
  options: http.RequestOptions;
}

function portOf(url: URL): number {
  return Number(url.port || (url.protocol === 'https:' ? 443 : 80));
}

/** The host name as sockets want it: without the brackets of an IPv6 address. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

function serverNameOf(url: URL): string | undefined {
  const host = hostOf(url);
  return net.isIP(host) ? undefined : host;
}

function connectTo(url: URL): net.Socket {
  const host = hostOf(url);
  const port = portOf(url);
  const socket =
    url.protocol === 'https:'
      ? tls.connect({ host, port, servername: serverNameOf(url), ALPNProtocols: ['http/1.1'] })
      : net.connect({ host, port, noDelay: true });
  const limit = setTimeout(() => {
    const error = new Error(
      `${host}:${port} did not accept a connection within ${CONNECT_LIMIT_MS / 1000} s`,
    );
    socket.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
  }, CONNECT_LIMIT_MS);
  limit.unref();
  const done = (): void => clearTimeout(limit);
  socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', done).once('close', done);
  return socket;
}

function credentials(proxy: URL): http.OutgoingHttpHeaders {
  if (proxy.username === '' && proxy.password === '') return {};
  const pair = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

type OnSocket = (error: Error | null, socket?: net.Socket) => void;

/** A TLS connection to `target` through the proxy's CONNECT. */
function tunnel(proxy: URL, target: URL, done: OnSocket): void {
  const authority = `${target.hostname}:${portOf(target)}`;
  const request = http.request({
    method: 'CONNECT',
    path: authority,
    headers: { host: authority, ...credentials(proxy) },
    createConnection: () => connectTo(proxy),
  });
  request.once('connect', (reply, socket) => {
    if (reply.statusCode === 200) {
      const secured = tls.connect({ socket, servername: serverNameOf(target), ALPNProtocols: ['http/1.1'] });
      return done(null, secured);
    }
    socket.destroy();
    const error = new Error(
      `the proxy ${proxy.host} refused the connection to ${authority}: ${reply.statusCode} ${reply.statusMessage}`,
    );
    done(Object.assign(error, { code: 'EPROXY' }));
  });
  request.once('error', (error: NodeJS.ErrnoException) => {
    done(Object.assign(new Error(`the proxy ${proxy.host}: ${error.message}`), { code: error.code }));
  });
  request.end();
}

/** An agent whose new sockets come from `open` (the declared type of Node's agents lacks this documented method). */
function withSockets<T extends http.Agent>(
  agent: T,
  open: (options: http.ClientRequestArgs, done: OnSocket) => net.Socket | undefined,
): T {
  return Object.assign(agent, { createConnection: open });
}

export interface Connections {
  route(url: URL): Route;
  /** Opens the connection that the first request to `url` will use, so that it is made while other work goes on. */
  warm(url: URL): void;
}

/** The kept-alive connections of one run. Idle ones do not keep the process alive. */
export function createConnections(environment: Environment): Connections {
  const waiting = new Map<string, net.Socket>();
  const secured = new Map<string, https.Agent>();

  const take = (url: URL): net.Socket | undefined => {
    const socket = waiting.get(url.origin);
    waiting.delete(url.origin);
    if (!socket || socket.destroyed) return undefined;
    socket.removeAllListeners('error');
    return socket.ref();
  };
  const plain = withSockets(new http.Agent(KEEP_ALIVE), ({ host, port }) => {
    const url = new URL(`http://${net.isIPv6(host ?? '') ? `[${host}]` : host}:${port}`);
    return take(url) ?? connectTo(url);
  });
  const agentFor = (url: URL, proxy: URL | undefined): https.Agent => {
    const key = `${url.origin} ${proxy?.href ?? ''}`;
    const known = secured.get(key);
    if (known) return known;
    const agent = withSockets(new https.Agent(KEEP_ALIVE), (_options, done) => {
      if (!proxy) return take(url) ?? connectTo(url);
      tunnel(proxy, url, done);
      return undefined;
    });
    secured.set(key, agent);
    return agent;
  };

  return {
    route(url) {
      const proxy = proxyFor(url, environment);
      const path = `${url.pathname}${url.search}`;
      if (url.protocol === 'https:') {
        const agent = agentFor(url, proxy);
        return { secure: true, options: { agent, host: hostOf(url), port: portOf(url), path } };
      }
      if (!proxy)
        return { secure: false, options: { agent: plain, host: hostOf(url), port: portOf(url), path } };
      const options = { host: hostOf(proxy), port: portOf(proxy), path: url.href };
      const headers = { host: url.host, ...credentials(proxy) };
      if (proxy.protocol === 'http:')
        return { secure: false, options: { ...options, agent: plain, headers } };
      return { secure: true, options: { ...options, agent: agentFor(proxy, undefined), headers } };
    },
    warm(url) {
      if (proxyFor(url, environment) || waiting.has(url.origin)) return;
      const socket = connectTo(url).unref();
      // A failure is reported by the request itself, which then connects again.
      socket.once('error', () => waiting.delete(url.origin));
      waiting.set(url.origin, socket);
    },
  };
}
