import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { proxyFor } from '../../../src/agent/models/transport/proxy.ts';
import { ask, modelOn, TEST_MODELS } from '../../support/models/ask.ts';
import { startProxy, type TestProxy } from '../../support/models/proxy.ts';
import type { TestWire } from '../../support/models/script.ts';
import { type ModelServer, type ModelServerOptions, startModelServer } from '../../support/models/server.ts';

const WIRES: TestWire[] = ['chat', 'responses', 'google', 'anthropic'];
const BIN = fileURLToPath(new URL('../../../dist/baton-agent.js', import.meta.url));
const HOOK = fileURLToPath(new URL('../../programs/report-start.cjs', import.meta.url));
const CERTIFICATES = fileURLToPath(new URL('../../support/certificates/', import.meta.url));
const CERT = join(CERTIFICATES, 'models.test-cert.pem');
const tls = {
  key: readFileSync(join(CERTIFICATES, 'models.test-key.pem'), 'utf8'),
  cert: readFileSync(CERT, 'utf8'),
};

let folder: string;
let server: ModelServer | undefined;
let proxy: TestProxy | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'transport-'));
});

afterEach(async () => {
  await proxy?.close();
  await server?.close();
  server = undefined;
  proxy = undefined;
  rmSync(folder, { recursive: true, force: true });
});

async function serve(text: string, options?: ModelServerOptions): Promise<ModelServer> {
  server = await startModelServer(() => ({ text }), options);
  return server;
}

interface Run {
  code: number;
  stdout: string;
  stderr: string;
  undici: boolean;
}

/** Runs the built agent once, with nothing of this process's environment. */
function runAgent(args: string[], environment: Record<string, string>): Promise<Run> {
  const report = join(folder, 'report.json');
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    BATON_STATE_DIR: join(folder, 'state'),
    START_REPORT: report,
    ...environment,
  };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--require', HOOK, BIN, ...args],
      { cwd: folder, env },
      (error, stdout, stderr) => {
        const { undici } = JSON.parse(readFileSync(report, 'utf8'));
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr, undici });
      },
    );
  });
}

describe('the built agent', () => {
  it.each(WIRES)('never loads undici for a reply over %s', async (wire) => {
    const stand = await serve('hello');
    const run = await runAgent(['--model', TEST_MODELS[wire], '-p', 'hi'], stand.environment(wire));
    expect(run).toMatchObject({ code: 0, undici: false });
    expect(run.stdout).toContain('hello');
    expect(stand.calls[0]?.wire).toBe(wire);
  });

  it('reaches a server through a proxy, and tells the proxy who asks', async () => {
    const stand = await serve('through the proxy');
    proxy = await startProxy(stand.url);
    const run = await runAgent(['--model', 'openai/mock-1', '-p', 'hi'], {
      OPENAI_BASE_URL: 'http://models.test/v1',
      HTTP_PROXY: proxy.url.replace('http://', 'http://user:p%40ss@'),
    });
    expect(run.stdout).toContain('through the proxy');
    expect(run.undici).toBe(false);
    expect(proxy.seen).toEqual([
      {
        line: 'POST http://models.test/v1/chat/completions',
        authorization: `Basic ${Buffer.from('user:p@ss').toString('base64')}`,
      },
    ]);
  });

  it('speaks TLS through a tunnel of the proxy, with the authority of NODE_EXTRA_CA_CERTS', async () => {
    const stand = await serve('through the tunnel', { tls });
    proxy = await startProxy(stand.url);
    const environment = { OPENAI_BASE_URL: 'https://models.test/v1', https_proxy: proxy.url };
    const run = await runAgent(['--model', 'openai/mock-1', '-p', 'hi'], {
      ...environment,
      NODE_EXTRA_CA_CERTS: CERT,
    });
    expect(run.stderr).toBe('');
    expect(run.stdout).toContain('through the tunnel');
    expect(run.undici).toBe(false);
    expect(proxy.seen.map(({ line }) => line)).toEqual(['CONNECT models.test:443']);

    const untrusted = await runAgent(['--model', 'openai/mock-1', '-p', 'hi'], {
      ...environment,
      BATON_MODEL_RETRIES: '0',
    });
    expect(untrusted.code).not.toBe(0);
    expect(untrusted.stderr).toContain('NODE_EXTRA_CA_CERTS');
    expect(stand.calls).toHaveLength(1);
  });

  it('speaks TLS to the server itself', async () => {
    const stand = await serve('straight', { tls });
    const run = await runAgent(['--model', 'openai/mock-1', '-p', 'hi'], {
      ...stand.environment('chat'),
      NODE_EXTRA_CA_CERTS: CERT,
    });
    expect(run.stderr).toBe('');
    expect(run.stdout).toContain('straight');
    expect(stand.connections()).toBe(1);
  });

  it('names the proxy that refuses', async () => {
    const stand = await serve('never');
    proxy = await startProxy(stand.url);
    const run = await runAgent(['--model', 'openai/mock-1', '-p', 'hi'], {
      OPENAI_BASE_URL: 'https://refused.test/v1',
      HTTPS_PROXY: proxy.url,
    });
    expect(run.code).not.toBe(0);
    expect(run.stderr).toContain(new URL(proxy.url).host);
    expect(run.stderr).toContain('403 Not Allowed Here');
    expect(proxy.seen).toHaveLength(1);
  });
});

describe('connections', () => {
  it('are kept, and the first one is opened ahead', async () => {
    const stand = await serve('hello');
    const model = await modelOn(stand, 'chat');
    for (let i = 0; i < 3; i++) expect((await ask(model, 'hi')).text).toBe('hello');
    expect(stand.calls).toHaveLength(3);
    expect(stand.connections()).toBe(1);
  });

  it('that the server closed meanwhile are replaced without a failed attempt', async () => {
    const stand = await serve('hello');
    const model = await modelOn(stand, 'chat');
    expect((await ask(model, 'hi')).text).toBe('hello');
    stand.dropIdle();
    const again = await ask(model, 'hi');
    expect(again.text).toBe('hello');
    expect(again.retried).toEqual([]);
  });
});

describe('the proxy for an address', () => {
  it.each([
    ['http://a.test/', { HTTP_PROXY: 'http://p:1' }, 'http://p:1/'],
    ['https://a.test/', { HTTP_PROXY: 'http://p:1' }, undefined],
    ['https://a.test/', { HTTPS_PROXY: 'p:1' }, 'http://p:1/'],
    ['https://a.test/', { https_proxy: 'http://low:1', HTTPS_PROXY: 'http://up:1' }, 'http://low:1/'],
    ['https://a.test/', { ALL_PROXY: 'http://all:1' }, 'http://all:1/'],
    ['https://a.test/', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'a.test' }, undefined],
    ['https://sub.a.test/', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'x, .a.test' }, undefined],
    ['https://sub.a.test/', { HTTPS_PROXY: 'http://p:1', no_proxy: '*.a.test' }, undefined],
    ['https://nota.test/', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'a.test' }, 'http://p:1/'],
    ['https://a.test/', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'a.test:8443' }, 'http://p:1/'],
    ['https://a.test:8443/', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'a.test:8443' }, undefined],
    ['https://a.test/', { HTTPS_PROXY: 'http://p:1', NO_PROXY: '*' }, undefined],
    ['http://localhost:11434/', { HTTP_PROXY: 'http://p:1' }, undefined],
    ['http://127.0.0.1:1234/', { HTTP_PROXY: 'http://p:1' }, undefined],
    ['http://[::1]:1234/', { HTTP_PROXY: 'http://p:1' }, undefined],
    ['http://127.0.0.1.evil.test/', { HTTP_PROXY: 'http://p:1' }, 'http://p:1/'],
  ])('%s with %o is %s', (url, environment, proxyUrl) => {
    expect(proxyFor(new URL(url), environment)?.href).toBe(proxyUrl);
  });

  it('is refused when it is of a kind that is not spoken', () => {
    expect(() => proxyFor(new URL('https://a.test'), { HTTPS_PROXY: 'socks5://p:1' })).toThrow(
      'socks5://p:1',
    );
  });
});
