#!/usr/bin/env node
// A small MCP server over stdio, written by hand so that it can misbehave: STAND_IN says how.
//   silent        answers nothing at all
//   dies          ends at once with a line on stderr
//   dies-on-call  ends when a tool is called
//   child         starts a process that outlives it, and says its number in the tool `child`
//   modern        refuses initialize, speaks only the protocol without a handshake
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const mode = process.env.STAND_IN ?? '';
if (mode === 'dies') {
  process.stderr.write('no database here\n');
  process.exit(3);
}
const child =
  mode === 'child'
    ? spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)'], { detached: true, stdio: 'ignore' })
    : undefined;

const schema = { type: 'object', properties: { text: { type: 'string' } } };
const tools = [
  { name: 'echo', description: 'Gives back the text', inputSchema: schema },
  { name: 'fail', description: 'Fails', inputSchema: schema },
  { name: 'picture', description: 'Gives a picture', inputSchema: schema },
  {
    name: 'data',
    description: 'Gives data',
    inputSchema: schema,
    outputSchema: { type: 'object', required: ['never'] },
  },
  { name: 'environment', description: 'Gives a variable', inputSchema: schema },
  { name: 'child', description: 'Gives a process number', inputSchema: schema },
  { name: 'slow', description: 'Never answers', inputSchema: schema },
  { name: 'long', description: 'Gives much text', inputSchema: schema },
];
const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });
const answers = {
  echo: (args) => text(args.text),
  fail: () => ({ ...text('it went wrong'), isError: true }),
  picture: () => ({
    content: [
      { type: 'text', text: 'look' },
      { type: 'image', mimeType: 'image/png', data: 'AAAA' },
    ],
  }),
  data: () => ({ content: [], structuredContent: { a: 1 } }),
  environment: (args) => text(process.env[args.text] ?? 'unset'),
  child: () => text(child?.pid),
  long: () => text('x'.repeat(100_000)),
};

function answer({ method, params }) {
  if (mode === 'modern') {
    if (method === 'server/discover')
      return {
        result: {
          resultType: 'complete',
          supportedVersions: ['2026-07-28'],
          capabilities: { tools: {} },
          serverInfo: { name: 'stand-in', version: '1' },
          ttlMs: 0,
          cacheScope: 'private',
        },
      };
    if (method === 'initialize') return { error: { code: -32601, message: 'no such method' } };
  }
  if (method === 'initialize')
    return {
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'stand-in', version: '1' },
      },
    };
  const complete = mode === 'modern' ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {};
  if (method === 'tools/list') return { result: { tools, ...complete } };
  if (method === 'tools/call') {
    if (mode === 'dies-on-call') process.exit(1);
    if (params.name === 'slow') return undefined;
    const make = answers[params.name];
    if (!make) return { error: { code: -32602, message: `no tool ${params.name}` } };
    const { ttlMs: _ttl, cacheScope: _scope, ...kind } = complete;
    return { result: { ...make(params.arguments ?? {}), ...kind } };
  }
  return { error: { code: -32601, message: `no method ${method}` } };
}

createInterface({ input: process.stdin }).on('line', (line) => {
  if (mode === 'silent') return;
  const message = JSON.parse(line);
  if (message.id === undefined) return;
  const reply = answer(message);
  if (reply) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, ...reply })}\n`);
});
