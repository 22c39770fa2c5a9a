import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { type McpOptions, type McpTools, openMcp } from '../../../src/agent/mcp/open-mcp.ts';
import { decide } from '../../../src/agent/permissions/decide.ts';
import { loadPolicy } from '../../../src/agent/permissions/load-policy.ts';
import type { ToolOutcome } from '../../../src/agent/tools/types.ts';
import { createWorkspace } from '../../../src/agent/tools/workspace.ts';

const standIn = fileURLToPath(new URL('../../programs/mcp-stand-in.mjs', import.meta.url));

interface Desk {
  folder: string;
  workspace: string;
  notices: string[];
  configure(file: 'own' | 'gemini' | 'workspace', servers: unknown): string;
  open(more?: Partial<McpOptions>, allow?: string[]): Promise<McpTools>;
}

function createDesk(): Desk {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-mcp-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const workspace = join(folder, 'project');
  mkdirSync(workspace);
  const config = join(folder, 'config');
  const gemini = join(folder, 'gemini');
  const places = {
    own: join(config, 'mcp_config.json'),
    gemini: join(gemini, 'config/mcp_config.json'),
    workspace: join(workspace, '.agents/mcp_config.json'),
  };
  const notices: string[] = [];
  return {
    folder,
    workspace,
    notices,
    configure(file, servers) {
      mkdirSync(dirname(places[file]), { recursive: true });
      writeFileSync(
        places[file],
        typeof servers === 'string' ? servers : JSON.stringify({ mcpServers: servers }),
      );
      return places[file];
    },
    async open(more = {}, allow = []) {
      const environment = { PATH: process.env.PATH, HOME: folder, GEMINI_API_KEY: 'secret', NAME: 'filled' };
      const { policy } = loadPolicy({
        environment,
        workspace: createWorkspace([workspace]),
        mode: 'default',
        skipPermissions: false,
        allow,
      });
      const mcp = await openMcp({
        environment,
        config,
        gemini,
        home: folder,
        workspace: [workspace],
        named: [],
        conversationId: 'c1',
        conversationFolder: join(folder, 'conversation'),
        decide: (requests) => decide(policy, requests),
        notice: (message) => notices.push(message),
        ...more,
      });
      onTestFinished(() => mcp.close());
      return mcp;
    },
  };
}

const server = (mode = '', more = {}) => ({
  command: process.execPath,
  args: [standIn],
  env: { STAND_IN: mode },
  ...more,
});

async function call(
  mcp: McpTools,
  name: string,
  args: Record<string, unknown>,
  signal = new AbortController().signal,
): Promise<ToolOutcome> {
  const tool = mcp.tools.find(({ declaration }) => declaration.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return await (await tool.prepare(args)).run({ signal });
}

const ask = (
  mcp: McpTools,
  ServerName: string,
  ToolName: string,
  Arguments: unknown = {},
): Promise<ToolOutcome> => call(mcp, 'call_mcp_tool', { ServerName, ToolName, Arguments });

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

test('without servers there are no tools', async () => {
  const desk = createDesk();
  expect((await desk.open()).tools).toEqual([]);
  expect(desk.notices).toEqual([]);
});

test('a server is started when it is needed, lists its tools and runs them', async () => {
  const desk = createDesk();
  desk.configure('own', { one: server(), broken: server('dies') });
  const mcp = await desk.open();
  expect(mcp.tools.map(({ declaration }) => declaration.name)).toEqual(['list_mcp_tools', 'call_mcp_tool']);
  expect(mcp.tools[1]?.declaration.description).toContain('The servers are: one, broken.');
  // Nothing was started yet, so the broken one was not noticed either.
  expect(desk.notices).toEqual([]);
  const listed = await call(mcp, 'list_mcp_tools', { ServerName: 'one' });
  expect(listed).toMatchObject({ isError: false, displayOutput: '8 tools' });
  expect(listed.output).toContain('## echo\nGives back the text\nArguments: {"type":"object"');
  expect(await ask(mcp, 'one', 'echo', { text: 'hi' })).toMatchObject({ isError: false, output: 'hi' });
  expect(await ask(mcp, 'one', 'echo', '{"text":"as text"}')).toMatchObject({ output: 'as text' });
});

test('a call asks for the permission of its tool, and shows what it does', async () => {
  const desk = createDesk();
  desk.configure('own', { one: server() });
  const mcp = await desk.open();
  const tool = mcp.tools.find(({ declaration }) => declaration.name === 'call_mcp_tool');
  const prepared = await tool?.prepare({ ServerName: 'one', ToolName: 'echo', Arguments: { text: 'x' } });
  expect(tool?.displayName).toBe('CallMcpTool');
  expect(prepared?.requests).toEqual([{ action: 'mcp', server: 'one', tool: 'echo' }]);
  expect(prepared?.parameters).toEqual({ ServerName: 'one', ToolName: 'echo', Arguments: { text: 'x' } });
});

test('errors, pictures, data and long texts of a tool reach the model', async () => {
  const desk = createDesk();
  desk.configure('own', { one: server() });
  const mcp = await desk.open();
  expect(await ask(mcp, 'one', 'fail')).toMatchObject({ isError: true, errorMessage: 'it went wrong' });
  expect(await ask(mcp, 'one', 'picture')).toMatchObject({
    output: 'look\n[image: image/png]',
    image: { mediaType: 'image/png', base64: 'AAAA' },
  });
  expect((await ask(mcp, 'one', 'data')).output).toBe('{\n  "a": 1\n}');
  const long = await ask(mcp, 'one', 'long');
  expect(long.output).toContain(`36000 characters left out; the whole text is in ${long.fullOutputPath}`);
  expect(readFileSync(long.fullOutputPath ?? '', 'utf8')).toHaveLength(100_000);
  const unknown = await ask(mcp, 'one', 'nothing');
  expect(unknown.errorMessage).toMatch(
    /the MCP server "one" \(.*mcp_config\.json\) could not run "nothing": .*no tool nothing/,
  );
});

test('a server gets its variables filled in, and none of our secrets', async () => {
  const desk = createDesk();
  const env = { A: '$NAME', B: '${NAME}-x', C: '${MISSING:-fallback}', STAND_IN: '' };
  desk.configure('own', { one: server('', { env }) });
  const mcp = await desk.open();
  const variable = async (text: string): Promise<string> =>
    (await ask(mcp, 'one', 'environment', { text })).output;
  expect(await variable('A')).toBe('filled');
  expect(await variable('B')).toBe('filled-x');
  expect(await variable('C')).toBe('fallback');
  expect(await variable('GEMINI_API_KEY')).toBe('unset');
  expect(await variable('ANTIGRAVITY_AGENT')).toBe('1');
});

test('a dead server is named once on stderr and is an error of the call', async () => {
  const desk = createDesk();
  desk.configure('own', { bad: server('dies'), none: { command: '/no/such/program' } });
  const mcp = await desk.open();
  for (let tries = 0; tries < 2; tries++) {
    const outcome = await ask(mcp, 'bad', 'echo');
    expect(outcome).toMatchObject({ isError: true });
    expect(outcome.errorMessage).toContain('it said: no database here');
  }
  expect((await ask(mcp, 'none', 'echo')).errorMessage).toContain('its command was not found');
  expect(desk.notices).toHaveLength(2);
  expect(desk.notices[0]).toMatch(/^the MCP server "bad" \(.*\) could not be started: /);
});

test('a server that died is started again for the next call', async () => {
  const desk = createDesk();
  desk.configure('own', { one: server('dies-on-call') });
  const mcp = await desk.open();
  expect((await ask(mcp, 'one', 'echo')).isError).toBe(true);
  expect((await call(mcp, 'list_mcp_tools', { ServerName: 'one' })).isError).toBe(false);
});

test('tools marked eager are offered directly; a silent server among them holds nothing up', async () => {
  const desk = createDesk();
  desk.configure('own', {
    all: server('', { eager: true, enabledTools: ['echo', 'fail'], disabledTools: ['fail'] }),
    some: server('', { tools: { echo: { eager: true } } }),
    'odd name': server('', { tools: [{ name: 'echo', eager: true }] }),
    silent: server('silent', { eager: true }),
    dead: server('dies', { eager: true }),
  });
  const mcp = await desk.open({ eagerLimitMs: 3_000 });
  expect(mcp.tools.slice(2).map(({ declaration }) => declaration.name)).toEqual([
    'mcp_all_echo',
    'mcp_some_echo',
    'mcp_odd_name_echo',
  ]);
  expect(mcp.tools[2]?.declaration.parameters).toEqual({
    type: 'object',
    properties: { text: { type: 'string' } },
  });
  expect(await call(mcp, 'mcp_odd_name_echo', { text: 'direct' })).toMatchObject({ output: 'direct' });
  expect(desk.notices.toSorted()).toEqual([
    expect.stringMatching(/^the MCP server "dead" .* could not be started/),
    'the MCP server "silent" did not list its tools within 3 s; the run goes on without offering them directly',
  ]);
});

test('a tool that is not offered cannot be called around the list', async () => {
  const desk = createDesk();
  desk.configure('own', { one: server('', { disabledTools: ['echo'] }) });
  const mcp = await desk.open();
  expect((await ask(mcp, 'one', 'echo')).errorMessage).toContain('is configured: without its tool "echo"');
});

test('an abort and a time limit end a call that gets no answer', async () => {
  const desk = createDesk();
  desk.configure('own', { one: server('', { timeout: 300 }), two: server('', { timeoutSeconds: 60 }) });
  const mcp = await desk.open();
  expect((await ask(mcp, 'one', 'slow')).errorMessage).toMatch(/could not run "slow": .*timed out/i);
  const args = { ServerName: 'two', ToolName: 'slow', Arguments: {} };
  expect(await call(mcp, 'call_mcp_tool', args, AbortSignal.timeout(300))).toMatchObject({
    errorMessage: 'interrupted',
  });
});

test('servers and what they started end with the run', async () => {
  const desk = createDesk();
  desk.configure('own', { one: server('child') });
  const mcp = await desk.open();
  const pid = Number((await ask(mcp, 'one', 'child')).output);
  expect(isAlive(pid)).toBe(true);
  await mcp.close();
  await mcp.close();
  for (let tries = 0; tries < 100 && isAlive(pid); tries++) await delay(20);
  expect(isAlive(pid)).toBe(false);
  expect((await ask(mcp, 'one', 'echo')).errorMessage).toContain('the run is over');
});

test('a server that knows only the protocol without a handshake is spoken to in it', async () => {
  const desk = createDesk();
  desk.configure('own', { one: server('modern') });
  const mcp = await desk.open();
  expect(await ask(mcp, 'one', 'echo', { text: 'hi' })).toMatchObject({ isError: false, output: 'hi' });
});

test('a server on an address is reached, with its headers', async () => {
  const seen: (string | undefined)[] = [];
  const handler = createMcpHandler(() => {
    const made = new McpServer({ name: 'web', version: '1' });
    made.registerTool('hello', { description: 'd', inputSchema: z.object({}) }, () => ({
      content: [{ type: 'text', text: 'from the web' }],
    }));
    return made;
  });
  const serve = toNodeHandler(handler);
  const web = createServer((request, response) => {
    seen.push(request.headers.authorization);
    if (request.headers.authorization === 'Bearer filled') void serve(request, response);
    else response.writeHead(401).end();
  });
  await new Promise<void>((resolve) => {
    web.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    web.closeAllConnections();
    web.close();
  });
  const address = web.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/mcp`;
  const desk = createDesk();
  desk.configure('own', {
    web: { serverUrl: url, headers: { Authorization: 'Bearer ${NAME}' } },
    closed: { url },
    gone: { serverUrl: 'http://127.0.0.1:1/mcp' },
  });
  const mcp = await desk.open();
  expect(await ask(mcp, 'web', 'hello')).toMatchObject({ isError: false, output: 'from the web' });
  expect((await ask(mcp, 'closed', 'hello')).errorMessage).toMatch(
    /could not be started: .*(sign-in|401|Unauthorized)/i,
  );
  expect((await ask(mcp, 'gone', 'hello')).errorMessage).toMatch(/could not be started: fetch failed/);
});

test('of several servers with one name, the first file counts', async () => {
  const desk = createDesk();
  const named = join(desk.folder, 'named.json');
  const marked = (text: string) => server('', { env: { STAND_IN: '', MARK: text } });
  writeFileSync(named, JSON.stringify({ mcpServers: { a: marked('named') } }));
  desk.configure('own', { a: marked('own'), b: marked('own'), off: server('', { disabled: true }) });
  desk.configure('gemini', { b: marked('gemini'), c: marked('gemini'), off: marked('gemini') });
  const mcp = await desk.open({ named: [named] });
  const mark = async (name: string): Promise<string> =>
    (await ask(mcp, name, 'environment', { text: 'MARK' })).output;
  expect([await mark('a'), await mark('b'), await mark('c')]).toEqual(['named', 'own', 'gemini']);
  await expect(ask(mcp, 'off', 'echo')).rejects.toThrow('there is no MCP server "off"; there are: a, b, c');
});

test('a server of the workspace is not started without the rule that its command needs', async () => {
  const desk = createDesk();
  const trace = join(desk.folder, 'started');
  const entry = {
    command: '/bin/sh',
    args: ['-c', `touch ${trace}; exec ${process.execPath} ${standIn}`],
    eager: true,
  };
  desk.configure('workspace', { sneaky: entry, web: { serverUrl: 'http://evil.test/' } });
  const mcp = await desk.open({}, ['mcp(*)']);
  expect(mcp.tools).toEqual([]);
  expect(() => readFileSync(trace)).toThrow('ENOENT');
  expect(desk.notices).toHaveLength(2);
  expect(desk.notices[0]).toContain(
    `comes with the workspace (${join(desk.workspace, '.agents/mcp_config.json')}) and is not started`,
  );
  expect(desk.notices[1]).toContain('it would be with read_url(evil.test)');
  const allowed = await desk.open({}, ['command(*)']);
  expect(allowed.tools.map(({ declaration }) => declaration.name)).toContain('mcp_sneaky_echo');
});

test('a secret that a server of the workspace asks for is not written out', async () => {
  const desk = createDesk();
  desk.configure('workspace', { one: { command: 'node', args: ['server.js'], env: { TOKEN: '$NAME' } } });
  await desk.open();
  expect(desk.notices[0]).toContain("command(TOKEN='$NAME' node server.js)".replaceAll("'", ''));
  expect(desk.notices[0]).not.toContain('filled');
});

test.each([
  ['not json', 'it is no valid JSON'],
  ['[]', 'it must be an object with mcpServers'],
  ['{"mcpServers":{"a":{}}}', 'it has neither command nor serverUrl'],
  ['{"mcpServers":{"a":{"command":"x","args":"y"}}}', 'args must be a list of texts'],
  ['{"mcpServers":{"a":{"command":"x","env":{"A":[]}}}}', 'env.A must be a text'],
  ['{"mcpServers":{"a":{"command":"x","timeout":"long"}}}', 'timeout must be a number'],
  ['{"mcpServers":{"a":{"serverUrl":"ftp://x"}}}', 'is no http or https address'],
  ['{"mcpServers":{"a":{"serverUrl":"http://x","oauth":{}}}}', 'it signs in with a browser'],
  ['{"mcpServers":{"a/b":{"command":"x"}}}', 'a server name holds no /'],
  ['{"mcpServers":{"a":"x"}}', 'it must be an object'],
])('the configuration %s is an error in ours, a notice in agy files', async (text, message) => {
  const own = createDesk();
  const path = own.configure('own', text);
  await expect(own.open()).rejects.toThrow(message);
  await expect(own.open()).rejects.toThrow(path);
  const agy = createDesk();
  agy.configure('gemini', text);
  expect((await agy.open()).tools).toEqual([]);
  expect(agy.notices).toEqual([expect.stringContaining(message)]);
});

test('a file named for the run has to exist; comments are taken', async () => {
  const desk = createDesk();
  await expect(desk.open({ named: ['/no/such/file.json'] })).rejects.toThrow(
    '/no/such/file.json cannot be used: it does not exist',
  );
  desk.configure('own', '\uFEFF{ // mine\n "mcpServers": { "a": { "command": "x", }, } }');
  expect((await desk.open()).tools).toHaveLength(2);
});
