import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { type Network, publicNetwork } from '../../../src/agent/tools/fetch-page.ts';
import { htmlToText } from '../../../src/agent/tools/html-text.ts';
import { createPacer } from '../../../src/agent/tools/pacer.ts';
import { isPrivateAddress } from '../../../src/agent/tools/private-address.ts';
import { createReadUrl } from '../../../src/agent/tools/read-url.ts';
import type { ToolOutcome } from '../../../src/agent/tools/types.ts';
import { createBench } from './harness.ts';

/** Every host of `.test` is this machine, and that one address counts as public. */
const loopback: Network = {
  lookup: async (host) => [{ address: host.startsWith('inner') ? '10.0.0.1' : '127.0.0.1', family: 4 }],
  isPrivate: (address) => address !== '127.0.0.1' && isPrivateAddress(address),
};

interface Site {
  port: number;
  /** Requests seen, `host path`. */
  seen: string[];
}

async function serve(listener: RequestListener): Promise<Site> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.headers.host?.split(':')[0]} ${request.url}`);
    listener(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return { port: typeof address === 'object' && address ? address.port : 0, seen };
}

async function read(
  url: string,
  network = loopback,
  signal = new AbortController().signal,
): Promise<ToolOutcome> {
  const call = await createReadUrl(createBench().options, network).prepare({ Url: url });
  return await call.run({ signal });
}

test('a page is read as text, with headings, lists, links and code', async () => {
  const { port } = await serve((_, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(
      '<!doctype html><html><head><title>T &amp; t</title><style>p{}</style><script>if (a<b) "</p>"</script></head>' +
        '<body><!-- no --><h1>Head</h1><p>One\n two <a href="/x?a=1&amp;b">link</a> <a href="#y">anchor</a>.</p>' +
        '<ul><li>first<li>second</ul><pre>a\n  b &lt;c&gt;</pre><p>gr&uuml;n &#252; 1 < 2<br>end</p></body></html>',
    );
  });
  const { output, isError } = await read(`http://site.test:${port}/`);
  expect(isError).toBe(false);
  expect(output).toBe(
    `http://site.test:${port}/ (status 200, text/html)\n\nT & t\n\n# Head\n\nOne two [link](http://site.test:${port}/x?a=1&b) anchor.\n\n` +
      '- first\n- second\n\n```\na\n  b <c>\n```\n\ngrün ü 1 < 2\nend',
  );
});

test('the permission asked for is that of the host', async () => {
  const call = await createReadUrl(createBench().options, loopback).prepare({
    Url: ' HTTPS://Example.com/a ',
  });
  expect(call.requests).toEqual([{ action: 'read_url', url: 'https://example.com/a' }]);
  expect(call.parameters).toEqual({ Url: 'https://example.com/a' });
});

test.each([
  ['', 'is no address'],
  ['example.com', 'is no address'],
  ['file:///etc/passwd', 'only http and https'],
  ['ftp://example.com/', 'only http and https'],
  ['https://user:pw@example.com/', 'a user name or a password'],
])('the address %j is refused', async (url, message) => {
  await expect(createReadUrl(createBench().options).prepare({ Url: url })).rejects.toThrow(message);
});

test.each([
  'http://127.0.0.1/',
  'http://localhost/',
  'http://[::1]/',
  'http://0x7f.1/',
  'http://2130706433/',
  'http://127.1/',
  'http://0/',
  'http://169.254.169.254/latest/meta-data/',
  'http://10.1.2.3/',
  'http://192.168.0.1/',
  'http://[::ffff:127.0.0.1]/',
  'http://[fd00::1]/',
  'http://[fe80::1]/',
])('%s is not read', async (url) => {
  const outcome = await read(url, {
    ...publicNetwork,
    lookup: async () => [{ address: '127.0.0.1', family: 4 }],
  });
  expect(outcome.isError).toBe(true);
  expect(outcome.errorMessage).toContain('only public addresses are read');
});

test('a public name that leads to a private address is not read, not even beside a public one', async () => {
  const both = [
    { address: '93.184.216.34', family: 4 },
    { address: '192.168.1.1', family: 4 },
  ];
  const outcome = await read('http://rebound.test/', { ...publicNetwork, lookup: async () => both });
  expect(outcome.errorMessage).toBe(
    'rebound.test (192.168.1.1) is this machine or in a private network; only public addresses are read',
  );
});

test('the name is looked up once, so that it cannot change between check and use', async () => {
  const { port } = await serve((_, response) => response.end('fine'));
  let count = 0;
  const changing: Network = {
    ...loopback,
    lookup: async () => [{ address: ++count === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }],
  };
  expect((await read(`http://changing.test:${port}/`, changing)).output).toContain('fine');
  expect(count).toBe(1);
});

test('redirects are followed within the host, each checked anew', async () => {
  const { port, seen } = await serve((request, response) => {
    if (request.url === '/end') response.end('arrived');
    else response.writeHead(302, { location: '/end' }).end();
  });
  expect((await read(`http://site.test:${port}/start`)).output).toContain('arrived');
  expect(seen).toEqual(['site.test /start', 'site.test /end']);
});

test('a redirect to another host is named, not followed', async () => {
  const site = await serve((_, response) => {
    response.writeHead(302, { location: `http://other.test:${site.port}/secret` }).end();
  });
  const { output, isError } = await read(`http://site.test:${site.port}/`);
  expect(isError).toBe(false);
  expect(output).toContain(`redirects to another host: http://other.test:${site.port}/secret`);
  expect(site.seen).toHaveLength(1);
});

test.each([
  ['file:///etc/passwd', 'which is no web address'],
  ['http://[', 'which is no web address'],
  ['/again', 'redirects more than 5 times'],
])('a redirect to %s is an error', async (location, message) => {
  const { port } = await serve((_, response) => response.writeHead(302, { location }).end());
  expect((await read(`http://site.test:${port}/`)).errorMessage).toContain(message);
});

test.each([
  ['gzip', gzipSync('compressed text')],
  ['br', brotliCompressSync('compressed text')],
])('%s is read', async (encoding, body) => {
  const { port } = await serve((_, response) => {
    response.writeHead(200, { 'content-encoding': encoding, 'content-type': 'text/plain' }).end(body);
  });
  expect((await read(`http://site.test:${port}/`)).output).toContain('compressed text');
});

test('a body that unpacks to something huge is cut', async () => {
  const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024, 'x'));
  const { port } = await serve((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/plain' }).end(bomb);
  });
  const outcome = await read(`http://site.test:${port}/`);
  expect(outcome.output).toContain('larger than what is read');
  expect(outcome.output.length).toBeLessThan(60_000);
  expect(readFileSync(outcome.fullOutputPath ?? '').length).toBe(10 * 1024 * 1024);
});

test('a long page is cut and kept whole', async () => {
  const { port } = await serve((_, response) => response.end('line of text\n'.repeat(10_000)));
  const bench = createBench();
  const call = await createReadUrl(bench.options, loopback).prepare({ Url: `http://site.test:${port}/` });
  const outcome = await call.run({ signal: new AbortController().signal });
  expect(outcome.output).toContain(`the whole text is in ${outcome.fullOutputPath}`);
  expect(readFileSync(outcome.fullOutputPath ?? '', 'utf8')).toBe('line of text\n'.repeat(10_000));
});

test('an answer in another encoding is read by what it declares', async () => {
  const { port } = await serve((request, response) => {
    if (request.url === '/meta')
      response
        .setHeader('content-type', 'text/html')
        .end(Buffer.from('<meta charset="iso-8859-1">gr\xfcn', 'latin1'));
    else
      response
        .setHeader('content-type', 'text/plain; charset=iso-8859-1')
        .end(Buffer.from('gr\xfcn', 'latin1'));
  });
  expect((await read(`http://site.test:${port}/`)).output).toContain('grün');
  expect((await read(`http://site.test:${port}/meta`)).output).toContain('grün');
});

test('images are given as images, other data is refused, failures keep their status', async () => {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  const { port } = await serve((request, response) => {
    if (request.url === '/image') response.end(png);
    else if (request.url === '/pdf') response.setHeader('content-type', 'application/pdf').end('%PDF\0');
    else response.writeHead(404, { 'content-type': 'text/plain' }).end('nothing here');
  });
  expect((await read(`http://site.test:${port}/image`)).image?.mediaType).toBe('image/png');
  expect((await read(`http://site.test:${port}/pdf`)).errorMessage).toContain(
    'is application/pdf of 5 bytes, which is no text',
  );
  const missing = await read(`http://site.test:${port}/x`);
  expect(missing.errorMessage).toContain('answered with status 404');
  expect(missing.output).toContain('nothing here');
});

test('an abort ends the reading of a server that does not answer', async () => {
  const { port } = await serve(() => {});
  const outcome = await read(`http://site.test:${port}/`, loopback, AbortSignal.timeout(100));
  expect(outcome).toMatchObject({ isError: true, errorMessage: 'interrupted' });
});

test('a server that cannot be reached is named with the cause', async () => {
  const outcome = await read('http://site.test:1/');
  expect(outcome.errorMessage).toMatch(/http:\/\/site\.test:1\/ could not be read: .*ECONNREFUSED/);
});

test.each([
  ['93.184.216.34', false],
  ['8.8.8.8', false],
  ['100.64.0.1', true],
  ['0.0.0.0', true],
  ['224.0.0.1', true],
  ['255.255.255.255', true],
  ['2606:2800:220:1:248:1893:25c8:1946', false],
  ['::', true],
  ['::1', true],
  ['::ffff:8.8.8.8', false],
  ['::ffff:10.0.0.1', true],
  ['::ffff:a00:1', true],
  ['0:0:0:0:0:ffff:7f00:1', true],
  ['64:ff9b::8.8.8.8', false],
  ['64:ff9b::7f00:1', true],
  ['64:ff9b::10.0.0.1', true],
  ['2002:7f00:1::', true],
  ['2001:db8::1', true],
  ['fe80::1%eth0', true],
  ['ff02::1', true],
  ['not an address', true],
])('%s is private: %s', (address, expected) => {
  expect(isPrivateAddress(address)).toBe(expected);
});

test.each([
  ['<<<<>>>>', '<<<<>>>>'],
  ['a < b <i>c</i>', 'a < b c'],
  ['<script>unclosed', ''],
  ['<a href="x', '<a href="x'],
  ['<p>&#0;&#xd800;&#x41;&bogus;', '\uFFFD\uFFFDA&bogus;'],
  ['<td>a</td><td>b</td>', 'a | b |'],
  ['x</pre></a></li>y', 'x\n```\n\ny'],
])('broken HTML %j still gives text', async (html, expected) => {
  const text = await htmlToText(
    html,
    new URL('http://site.test/'),
    createPacer(new AbortController().signal),
  );
  expect(text).toBe(expected);
});
