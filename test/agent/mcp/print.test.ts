import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { type AgentHouse, agentHouse, initOf, stepsOf } from '../../support/agent.ts';
import type { ScriptedReply } from '../../support/models/script.ts';
import { type ModelServer, startModelServer } from '../../support/models/server.ts';

const standIn = fileURLToPath(new URL('../../programs/mcp-stand-in.mjs', import.meta.url));
const STREAM = ['-p', 'x', '--output-format', 'stream-json'];
const server = (mode: string, more = {}) => ({
  command: process.execPath,
  args: [standIn],
  env: { STAND_IN: mode },
  ...more,
});

async function openHouse(
  replies: ScriptedReply[],
  servers: object,
): Promise<{ house: AgentHouse; models: ModelServer; config: string }> {
  const models = await startModelServer(replies);
  const house = agentHouse(models);
  onTestFinished(async () => {
    house.remove();
    await models.close();
  });
  const config = join(house.home, 'servers.json');
  writeFileSync(config, JSON.stringify({ mcpServers: servers }));
  return { house, models, config };
}

const callEcho: ScriptedReply = {
  calls: [
    { name: 'call_mcp_tool', arguments: { ServerName: 'one', ToolName: 'echo', Arguments: { text: 'hi' } } },
  ],
};

test('a model calls a tool of an MCP server, with its rule', async () => {
  const { house, models, config } = await openHouse([callEcho, { text: 'done' }], { one: server('') });
  const run = await house.run([...STREAM, '--mcp-config', config, '--allow', 'mcp(one/echo)']);
  expect(run.code).toBe(0);
  expect(initOf(run).tools).toEqual(expect.arrayContaining(['call_mcp_tool', 'list_mcp_tools']));
  const step = stepsOf(run).find(({ tool_name, state }) => tool_name === 'call_mcp_tool' && state === 'DONE');
  expect(step?.tool_info).toEqual({
    name: 'call_mcp_tool',
    parameters: { ServerName: 'one', ToolName: 'echo', Arguments: { text: 'hi' } },
    output: 'hi',
  });
  expect(JSON.stringify(models.calls[1]?.body.messages)).toContain('hi');
});

test('without a rule it is denied, and the rule is named', async () => {
  const { house, config } = await openHouse([callEcho, { text: 'done' }], { one: server('') });
  const run = await house.run([...STREAM, '--mcp-config', config]);
  expect(run.code).toBe(0);
  expect(run.envelope().denied_actions).toEqual([{ action: 'mcp', display_name: 'CallMcpTool' }]);
  expect(run.stderr).toContain('mcp(one/echo)');
});

test('eager tools are in the list; dead servers are named and hold nothing up', async () => {
  const { house, config } = await openHouse([{ text: 'done' }], {
    one: server('', { eager: true, enabledTools: ['echo'] }),
    dead: server('dies', { eager: true }),
  });
  const run = await house.run([...STREAM, '--mcp-config', config]);
  expect(run.code).toBe(0);
  expect(initOf(run).tools).toContain('mcp_one_echo');
  expect(run.stderr).toMatch(/the MCP server "dead" .* it said: no database here/);
  expect(run.envelope().response).toBe('done');
});

test.each([[['--no-mcp']], [['--mode', 'plan']]])('with %j no server is there', async (flags) => {
  const { house, config } = await openHouse([{ text: 'done' }], { one: server('dies', { eager: true }) });
  const run = await house.run([...STREAM, '--mcp-config', config, ...flags]);
  expect(run.code).toBe(0);
  expect(initOf(run).tools).not.toContain('call_mcp_tool');
  expect(run.stderr).not.toContain('MCP');
});

test('a configuration that cannot be used ends the run before the model is asked', async () => {
  const { house, models } = await openHouse([{ text: 'done' }], {});
  const run = await house.run([...STREAM, '--mcp-config', '/no/such/file.json']);
  expect(run.code).toBe(1);
  expect(run.envelope().error).toContain('/no/such/file.json cannot be used: it does not exist');
  expect(models.calls).toEqual([]);
});
