import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import {
  connectPlain,
  hostOf,
  KEEP_ALIVE,
  limited,
  type OnSocket,
  portOf,
  proxyCredentials,
  withSockets,
} from './sockets.ts';

/** Everything that needs TLS: loaded only when an address asks for it, for it costs a start 6 ms and more. */

function serverNameOf(url: URL): string | undefined {
  const host = hostOf(url);
  return net.isIP(host) ? undefined : host;
}

export function connectSecure(url: URL): net.Socket {
  const options = { host: hostOf(url), port: portOf(url), servername: serverNameOf(url) };
  return limited(tls.connect({ ...options, ALPNProtocols: ['http/1.1'] }), url, 'secureConnect');
}

/** A TLS connection to `target` through the proxy's CONNECT. */
function tunnel(proxy: URL, target: URL, done: OnSocket): void {
  const authority = `${target.hostname}:${portOf(target)}`;
  const request = http.request({
    method: 'CONNECT',
    path: authority,
    headers: { host: authority, ...proxyCredentials(proxy) },
    createConnection: () => (proxy.protocol === 'https:' ? connectSecure(proxy) : connectPlain(proxy)),
  });
  request.once('connect', (reply, socket) => {
    if (reply.statusCode === 200) {
      done(null, tls.connect({ socket, servername: serverNameOf(target), ALPNProtocols: ['http/1.1'] }));
      return;
    }
    socket.destroy();
    const answer = `${reply.statusCode} ${reply.statusMessage}`;
    const error = new Error(`the proxy ${proxy.host} refused a connection to ${authority}: ${answer}`);
    done(Object.assign(error, { code: 'EPROXY' }));
  });
  request.once('error', (error: NodeJS.ErrnoException) => {
    done(Object.assign(new Error(`the proxy ${proxy.host}: ${error.message}`), { code: error.code }));
  });
  request.end();
}

/**
 * An agent for one https address.
 * @param proxy goes through its CONNECT.
 * @param take a connection that is already open, if there is one.
 */
export function createSecureAgent(
  url: URL,
  proxy: URL | undefined,
  take: () => net.Socket | undefined,
): https.Agent {
  return withSockets(new https.Agent(KEEP_ALIVE), (_options, done) => {
    if (!proxy) return take() ?? connectSecure(url);
    tunnel(proxy, url, done);
    return undefined;
  });
}

export const secureRequest = https.request;
