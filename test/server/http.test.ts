import { existsSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isFields } from '../../src/contract/fields.ts';
import { checkAddress } from '../../src/server/http/address.ts';
import { serveHttp } from '../../src/server/http/serve-http.ts';
import { createSessions } from '../../src/server/http/sessions.ts';
import { createLog } from '../../src/server/log.ts';
import { openCore } from '../../src/server/open-core.ts';
import { until } from '../support/jobs.ts';
import { ERAS, type Era, type ServerHouse, script, serverHouse } from '../support/mcp.ts';
import { type RawServer, startRaw } from '../support/raw-mcp.ts';

let house: ServerHouse;
const servers: RawServer[] = [];
beforeEach(() => {
  house = serverHouse();
});
afterEach(async () => {
  for (const server of servers.splice(0)) server.kill();
  await house.remove();
});

async function start(
  flags: string[] = [],
  changes: Record<string, string | undefined> = {},
): Promise<{ server: RawServer; url: string }> {
  const server = startRaw([...house.command(), '--http=127.0.0.1:0', ...flags], {
    cwd: house.work,
    env: house.environment(changes),
  });
  servers.push(server);
  const url = await until(
    () => /serving Streamable HTTP on (http:\/\/[\d.:]+)/.exec(server.stderr())?.[1],
    'the address',
  );
  return { server, url };
}

async function client(url: string, era: Era, headers: Record<string, string> = {}): Promise<Client> {
  const made = new Client(
    { name: 'http-test', version: '1' },
    { versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' } },
  );
  await made.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }));
  return made;
}

async function call(
  made: Client,
  args: Record<string, unknown>,
  onprogress?: () => void,
): Promise<Record<string, unknown>> {
  const reply = await made.callTool(
    { name: 'agy_run_sync', arguments: args },
    { timeout: 30_000, onprogress },
  );
  return isFields(reply.structuredContent) ? reply.structuredContent : {};
}

interface Raw {
  status: number;
  body: string;
  headers: Record<string, string | string[] | undefined>;
}

/** A request whose every header is given (fetch sets some by itself). */
function raw(url: string, method: string, headers: Record<string, string>, body?: string): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method, headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});

describe.each(ERAS)('HTTP mode, %s era', (era) => {
  it('serves the same tools, with progress, to many clients on one core (91)', async () => {
    const { url } = await start();
    const clients = await Promise.all(Array.from({ length: 8 }, () => client(url, era)));
    const [first] = clients;
    expect((await first!.listTools()).tools.map((tool) => tool.name)).toContain('agy_run_sync');
    expect(first!.getInstructions()).toContain('report to weigh');
    const replies = await Promise.all(
      clients.map((each, n) => call(each, { prompt: script({ text: `n${n}` }) })),
    );
    expect(replies.map((reply) => reply.result)).toEqual(clients.map((_, n) => `n${n}`));
    const gate = join(house.folder, 'gate');
    let progress = 0;
    const waiting = call(first!, { prompt: script({ waitFor: gate }, { text: 'x' }) }, () => {
      progress++;
    });
    await until(() => progress > 0, 'progress');
    writeFileSync(gate, '');
    expect(await waiting).toMatchObject({ state: 'done' });
    await Promise.all(clients.map((each) => each.close()));
  });

  it('leaves a job alone whose client goes away', async () => {
    const { url } = await start();
    const gate = join(house.folder, 'gate');
    const one = await client(url, era);
    const lost = call(one, { prompt: script({ waitFor: gate }, { text: 'survived' }) }).catch(
      () => undefined,
    );
    const other = await client(url, era);
    const jobs = async (state: string): Promise<unknown> => {
      const reply = await other.callTool({ name: 'agy_jobs', arguments: { state } });
      return isFields(reply.structuredContent) ? reply.structuredContent.total : undefined;
    };
    await until(async () => (await jobs('running')) === 1, 'the job');
    await one.close();
    await lost;
    writeFileSync(gate, '');
    await until(async () => (await jobs('done')) === 1, 'the end of the job');
    expect(await jobs('cancelled')).toBe(0);
    await other.close();
  });
});

describe('the door', () => {
  it('asks for the bearer token, in whatever case the scheme is written (91)', async () => {
    const { server, url } = await start([], { AGY_MCP_HTTP_TOKEN: 'tok-secret' });
    expect((await raw(`${url}/healthz`, 'GET', {})).status).toBe(200);
    for (const authorization of [undefined, 'Bearer wrong', 'Bearer', 'Basic tok-secret']) {
      const reply = await raw(
        `${url}/mcp`,
        'POST',
        { ...JSON_HEADERS, ...(authorization !== undefined && { authorization }) },
        INITIALIZE,
      );
      expect(reply).toMatchObject({ status: 401, body: 'unauthorized' });
      expect(reply.headers['www-authenticate']).toBe('Bearer');
    }
    const good = await raw(
      `${url}/mcp`,
      'POST',
      { ...JSON_HEADERS, authorization: 'bearer tok-secret' },
      INITIALIZE,
    );
    expect(good.status).toBe(200);
    const made = await client(url, 'modern', { authorization: 'Bearer tok-secret' });
    const reply = await call(made, { prompt: script({ env: ['AGY_MCP_HTTP_TOKEN'] }) });
    expect(reply.result).toBe('{"AGY_MCP_HTTP_TOKEN":null}');
    await made.close();
    expect(server.stderr()).not.toContain('tok-secret');
    expect(server.stderr()).toContain('bearer-token auth enabled');
  });

  it('takes the token from a file, and an empty flag for none', async () => {
    const file = join(house.folder, 'token');
    writeFileSync(file, 'from-file\n');
    const filed = await start([`--http-token-file=${file}`]);
    expect((await raw(`${filed.url}/mcp`, 'POST', JSON_HEADERS, INITIALIZE)).status).toBe(401);
    const authorization = 'Bearer from-file';
    expect(
      (await raw(`${filed.url}/mcp`, 'POST', { ...JSON_HEADERS, authorization }, INITIALIZE)).status,
    ).toBe(200);
    const open = await start(['--http-token='], { AGY_MCP_HTTP_TOKEN: 'x' });
    expect((await raw(`${open.url}/mcp`, 'POST', JSON_HEADERS, INITIALIZE)).status).toBe(200);
  });

  it('turns away what another site’s page sends, and names that were made to point here (91)', async () => {
    const { url } = await start();
    const host = new URL(url).host;
    const post = (headers: Record<string, string>): Promise<Raw> =>
      raw(`${url}/mcp`, 'POST', { ...JSON_HEADERS, ...headers }, INITIALIZE);
    const refused: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { origin: `http://127.0.0.1:1` },
      { host: 'evil.example' },
      { host: `evil.example:${new URL(url).port}` },
    ];
    for (const headers of refused) expect((await post(headers)).status).toBe(403);
    const taken: Record<string, string>[] = [
      {},
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
      { origin: `http://${host}` },
      { host: 'localhost' },
    ];
    for (const headers of taken) expect((await post(headers)).status).toBe(200);
  });

  it('answers on POST / as on /mcp, and nowhere else', async () => {
    const { url } = await start();
    expect((await raw(`${url}/`, 'POST', JSON_HEADERS, INITIALIZE)).status).toBe(200);
    expect((await raw(`${url}/other`, 'POST', JSON_HEADERS, INITIALIZE)).status).toBe(404);
  });

  it('bounds and checks what it is sent', async () => {
    const { url } = await start();
    const post = (body: string, headers: Record<string, string> = JSON_HEADERS): Promise<Raw> =>
      raw(`${url}/mcp`, 'POST', headers, body);
    expect((await post('{"a":')).status).toBe(400);
    expect((await post(INITIALIZE, { ...JSON_HEADERS, 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post(JSON.stringify({ x: 'y'.repeat(5 * 1024 * 1024) }))).status).toBe(413);
  });
});

describe('sessions', () => {
  const withSession = async (
    url: string,
  ): Promise<{ id: string; post: (message: object) => Promise<Raw>; headers: Record<string, string> }> => {
    const begun = await raw(`${url}/mcp`, 'POST', JSON_HEADERS, INITIALIZE);
    const id = String(begun.headers['mcp-session-id']);
    const headers = { ...JSON_HEADERS, 'mcp-session-id': id, 'mcp-protocol-version': '2025-06-18' };
    return {
      id,
      headers,
      post: (message) => raw(`${url}/mcp`, 'POST', headers, JSON.stringify({ jsonrpc: '2.0', ...message })),
    };
  };

  it('begin with initialize, end with DELETE, and are unknown afterwards', async () => {
    const { url } = await start();
    const session = await withSession(url);
    expect((await session.post({ id: 2, method: 'tools/list' })).body).toContain('agy_run');
    expect((await raw(`${url}/mcp`, 'GET', { accept: 'text/event-stream' })).status).toBe(400);
    expect((await raw(`${url}/mcp`, 'DELETE', session.headers)).status).toBeLessThan(300);
    expect(await session.post({ id: 3, method: 'tools/list' })).toMatchObject({ status: 404 });
  });

  it('give a client whose stream broke what it missed', async () => {
    const { url } = await start();
    const session = await withSession(url);
    const gate = join(house.folder, 'gate');
    let seen = '';
    const sent = httpRequest(`${url}/mcp`, { method: 'POST', headers: session.headers }, (response) => {
      response.on('data', (chunk: Buffer) => {
        seen += chunk.toString();
      });
      response.on('error', () => {});
    });
    sent.on('error', () => {});
    sent.end(
      JSON.stringify({
        jsonrpc: '2.0',
        id: 9,
        method: 'tools/call',
        params: {
          name: 'agy_run_sync',
          arguments: { prompt: script({ waitFor: gate }, { text: 'after the break' }) },
          _meta: { progressToken: 1 },
        },
      }),
    );
    const last = await until(() => /^id: (\S+)\n(?:data: )?.*progress/ms.exec(seen)?.[1], 'an event');
    sent.destroy();
    writeFileSync(gate, '');
    const resumed = await new Promise<string>((resolve, reject) => {
      const again = httpRequest(
        `${url}/mcp`,
        { headers: { ...session.headers, accept: 'text/event-stream', 'last-event-id': last } },
        (response) => {
          let text = '';
          response.on('error', () => {});
          response.on('data', (chunk: Buffer) => {
            text += chunk.toString();
            if (!text.includes('after the break')) return;
            again.destroy();
            resolve(text);
          });
        },
      );
      again.on('error', reject);
      again.end();
    });
    expect(resumed).toContain('"id":9');
  });

  it('are forgotten when nobody uses them, and make room when there are too many', async () => {
    const { createServerFactory } = await import('../../src/server/create-server.ts');
    const opened = openCore({ name: 'baton', environment: house.environment(), cwd: house.work });
    const log = createLog({ name: 't', level: 'off', plain: true, write: () => {} });
    const sessions = createSessions(createServerFactory({ ...opened.core, log }), log, {
      idleMs: 0,
      most: 3,
    });
    const begin = async (): Promise<string | null> => {
      const request = new Request('http://127.0.0.1/mcp', {
        method: 'POST',
        headers: JSON_HEADERS,
        body: INITIALIZE,
      });
      const response = await sessions.handle(request, JSON.parse(INITIALIZE));
      await response.text();
      return response.headers.get('mcp-session-id');
    };
    const ids: (string | null)[] = [];
    for (let n = 0; n < 4; n++) {
      const id = await begin();
      ids.push(id);
      sessions.released(id);
    }
    expect(sessions.size).toBe(3);
    const gone = await sessions.handle(
      new Request('http://127.0.0.1/mcp', { method: 'DELETE', headers: { 'mcp-session-id': ids[0] ?? '' } }),
      undefined,
    );
    expect(gone.status).toBe(404);
    await new Promise((resolve) => setTimeout(resolve, 5));
    sessions.sweep();
    expect(sessions.size).toBe(0);
    await opened.close();
  });
});

describe('the life of an HTTP server', () => {
  it('ends with a signal after it has answered what it was asked', async () => {
    const { server, url } = await start();
    const made = await client(url, 'modern');
    const waiting = call(made, { prompt: script({ sleep: 500 }, { text: 'still answered' }) });
    await until(() => existsSync(join(house.stateDir, 'jobs')), 'the job');
    server.process.kill('SIGTERM');
    expect(await waiting).toMatchObject({ state: 'done', result: 'still answered' });
    expect(await server.ended()).toMatchObject({ code: 0 });
  });

  it('cuts off a client that asks and never reads', async () => {
    const opened = openCore({
      name: 'baton',
      environment: house.environment({ BATON_LOG: 'off' }),
      cwd: house.work,
    });
    let said = '';
    const log = createLog({
      name: 't',
      level: 'info',
      plain: true,
      write: (line) => {
        said += line;
      },
    });
    const running = await serveHttp(
      { ...opened.core, log },
      {
        address: { host: '127.0.0.1', port: 0 },
        sweepTimes: { everyMs: 20, stuckMs: 100 },
      },
    );
    const { port } = new URL(running.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.pause();
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } });
    const head = `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\nmcp-protocol-version: 2026-07-28\r\nmcp-method: tools/list\r\ncontent-length: ${body.length}\r\n\r\n`;
    socket.on('error', () => {});
    const over = new Promise((resolve) => socket.once('close', resolve));
    for (let n = 0; n < 3000; n++) socket.write(head + body);
    await until(() => said.includes('a client that does not read was cut off'), 'the cut');
    socket.resume();
    await over;
    // Another client is served all the while.
    expect((await fetch(`${running.url}/healthz`)).status).toBe(200);
    await running.close();
    await opened.close();
  });

  it.each([
    [':8765', 'binds all interfaces'],
    ['0.0.0.0:8765', 'must be loopback only'],
    ['192.0.2.7:8765', 'must be loopback only'],
    ['[::]:8765', 'must be loopback only'],
    ['nonsense', 'want host:port'],
    ['127.0.0.1:99999', 'want host:port'],
    ['elsewhere.test:1', 'resolves to non-loopback address 192.0.2.1'],
    ['nowhere.test:1', 'resolves to no addresses'],
  ])('refuses the address %s (92)', async (address, part) => {
    const resolveHost = (host: string): Promise<string[]> =>
      Promise.resolve(host === 'nowhere.test' ? [] : ['127.0.0.1', '192.0.2.1']);
    await expect(checkAddress(address, resolveHost)).rejects.toThrow(part);
  });

  it('takes loopback addresses, and does not resolve literal ones (92)', async () => {
    const never = (): Promise<string[]> => Promise.reject(new Error('resolved'));
    expect(await checkAddress('127.0.0.1:1', never)).toEqual({ host: '127.0.0.1', port: 1 });
    expect(await checkAddress('[::1]:2', never)).toEqual({ host: '::1', port: 2 });
    expect(await checkAddress('127.9.9.9:3', never)).toEqual({ host: '127.9.9.9', port: 3 });
    const local = (): Promise<string[]> => Promise.resolve(['127.0.0.1', '::1']);
    expect(await checkAddress('localhost:4', local)).toEqual({ host: 'localhost', port: 4 });
    const failing = (): Promise<string[]> => Promise.reject(new Error('no such host'));
    await expect(checkAddress('x.test:5', failing)).rejects.toThrow('no such host');
  });

  it('does not start on such an address, and says so with code 1', async () => {
    const server = startRaw([...house.command(), '--http=0.0.0.0:0'], {
      cwd: house.work,
      env: house.environment(),
    });
    servers.push(server);
    expect(await server.ended()).toMatchObject({ code: 1 });
    expect(server.stderr()).toContain('must be loopback only');
  });
});
