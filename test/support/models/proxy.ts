import { createServer, request } from 'node:http';
import { connect, type Socket } from 'node:net';

export interface TestProxy {
  url: string;
  /** `METHOD target` of everything that came through, and what the client said about itself. */
  seen: { line: string; authorization: string | undefined }[];
  close(): Promise<void>;
}

/**
 * An HTTP proxy on loopback that sends everything, whatever host it names, to one port of this machine: so a test can
 * use host names that nobody can resolve.
 */
export async function startProxy(targetUrl: string): Promise<TestProxy> {
  const target = new URL(targetUrl);
  const seen: TestProxy['seen'] = [];
  const open = new Set<Socket>();
  const server = createServer((incoming, outgoing) => {
    const { method, url = '/', headers } = incoming;
    seen.push({ line: `${method} ${url}`, authorization: headers['proxy-authorization'] });
    const { pathname, search } = new URL(url);
    const onward = request(
      { host: target.hostname, port: target.port, method, path: pathname + search, headers },
      (reply) => {
        outgoing.writeHead(reply.statusCode ?? 500, reply.headers);
        reply.pipe(outgoing);
      },
    );
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  server.on('connect', (incoming, client: Socket) => {
    seen.push({ line: `CONNECT ${incoming.url}`, authorization: incoming.headers['proxy-authorization'] });
    if (incoming.url?.startsWith('refused.')) {
      client.end('HTTP/1.1 403 Not Allowed Here\r\n\r\n');
      return;
    }
    const onward = connect(Number(target.port), target.hostname, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(client).pipe(onward);
    });
    for (const socket of [client, onward]) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        open.delete(socket);
        client.destroy();
        onward.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    seen,
    async close() {
      for (const socket of open) socket.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
