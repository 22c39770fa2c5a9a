import http from 'node:http';
import type { Agent as SecureAgent } from 'node:https';
import type net from 'node:net';
import type { Environment } from '../environment.ts';
import { proxyFor } from './proxy.ts';
import { connectPlain, hostOf, KEEP_ALIVE, portOf, proxyCredentials, withSockets } from './sockets.ts';

/** How a request goes out: to the server itself, or to a proxy. */
interface Route {
  request: (options: http.RequestOptions) => http.ClientRequest;
  options: http.RequestOptions;
}

export interface Connections {
  route(url: URL): Promise<Route>;
  /** Opens the connection that the first request to `url` will use, so that it is made while other work goes on. */
  warm(url: URL): void;
}

/** The kept-alive connections of one run. Idle ones do not keep the process alive. */
export function createConnections(environment: Environment): Connections {
  const waiting = new Map<string, { socket: net.Socket; onError: () => void }>();
  const secured = new Map<string, SecureAgent>();

  const take = (origin: string): net.Socket | undefined => {
    const warm = waiting.get(origin);
    waiting.delete(origin);
    if (!warm || warm.socket.destroyed) return undefined;
    return warm.socket.off('error', warm.onError).ref();
  };
  const keep = (origin: string, socket: net.Socket): void => {
    // A failure is reported by the request itself, which then connects again.
    const onError = (): void => {
      waiting.delete(origin);
    };
    waiting.set(origin, { socket: socket.unref().once('error', onError), onError });
  };
  /** A proxy that cannot be used is reported by the request. */
  const isProxied = (url: URL): boolean => {
    try {
      return proxyFor(url, environment) !== undefined;
    } catch {
      return true;
    }
  };
  const plain = withSockets(new http.Agent(KEEP_ALIVE), ({ host, port }) => {
    const url = new URL(`http://${host?.includes(':') ? `[${host}]` : host}:${port}`);
    return take(url.origin) ?? connectPlain(url);
  });
  const secureRoute = async (
    url: URL,
    proxy: URL | undefined,
    options: http.RequestOptions,
  ): Promise<Route> => {
    const { createSecureAgent, secureRequest } = await import('./secure.ts');
    const name = `${url.origin} ${proxy?.href ?? ''}`;
    const agent = secured.get(name) ?? createSecureAgent(url, proxy, () => take(url.origin));
    secured.set(name, agent);
    return { request: secureRequest, options: { ...options, agent } };
  };

  return {
    async route(url) {
      const proxy = proxyFor(url, environment);
      const options = { host: hostOf(url), port: portOf(url), path: `${url.pathname}${url.search}` };
      if (url.protocol === 'https:') return secureRoute(url, proxy, options);
      if (!proxy) return { request: http.request, options: { ...options, agent: plain } };
      const toProxy = {
        host: hostOf(proxy),
        port: portOf(proxy),
        path: url.href,
        headers: { host: url.host, ...proxyCredentials(proxy) },
      };
      if (proxy.protocol === 'https:') return secureRoute(proxy, undefined, toProxy);
      return { request: http.request, options: { ...toProxy, agent: plain } };
    },
    warm(url) {
      if (waiting.has(url.origin) || isProxied(url)) return;
      if (url.protocol === 'http:') {
        keep(url.origin, connectPlain(url));
        return;
      }
      import('./secure.ts').then(
        ({ connectSecure }) => keep(url.origin, connectSecure(url)),
        () => {},
      );
    },
  };
}
