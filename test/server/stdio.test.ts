import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processStartTime } from '../../src/platform/process-identity.ts';
import { programs, until } from '../support/jobs.ts';
import { bins, type ServerHouse, script, serverHouse } from '../support/mcp.ts';
import { type RawServer, startRaw } from '../support/raw-mcp.ts';

/** A file that nobody may execute. */
const packageFile = join(bins, '..', 'package.json');

let house: ServerHouse;
const servers: RawServer[] = [];
beforeEach(() => {
  house = serverHouse();
});
afterEach(async () => {
  for (const server of servers.splice(0)) server.kill();
  await house.remove();
});

function start(changes: Record<string, string | undefined> = {}, command = house.command()): RawServer {
  const server = startRaw(command, { cwd: house.work, env: house.environment(changes) });
  servers.push(server);
  return server;
}

/** A server in the middle of a call that waits for ten minutes. */
async function startWaiting(): Promise<{ server: RawServer; jobId: string }> {
  const server = start();
  await server.initialize();
  const started = await server.request(1, 'tools/call', {
    name: 'agy_run',
    arguments: { prompt: script({ hang: 1 }) },
  });
  const { job_id: jobId } = JSON.parse(JSON.stringify(started.result)).structuredContent;
  server.send({
    id: 2,
    method: 'tools/call',
    params: { name: 'agy_wait', arguments: { job_id: jobId, wait: '10m' }, _meta: { progressToken: 'x' } },
  });
  await until(() => server.stdout().includes('notifications/progress'), 'the wait');
  return { server, jobId };
}

async function cancelJob(jobId: string): Promise<void> {
  const session = await house.connect();
  const alive = await session.call('agy_status', { job_id: jobId });
  expect(alive.value.state).toBe('running');
  await session.call('agy_cancel', { job_id: jobId });
  await session.call('agy_wait', { job_id: jobId });
}

describe('the end of a server', () => {
  it('comes when stdin ends, in mid-call too, and the job lives on', async () => {
    const { server, jobId } = await startWaiting();
    server.process.stdin?.end();
    expect(await server.ended()).toMatchObject({ code: 0 });
    await cancelJob(jobId);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('comes with %s, and the job lives on', async (signal) => {
    const { server, jobId } = await startWaiting();
    server.process.kill(signal);
    expect(await server.ended()).toMatchObject({ code: 0, signal: null });
    await cancelJob(jobId);
  });

  it('comes when the parent is killed, though stdin stays open', async () => {
    const wrapper = `const c = require('node:child_process').spawn(process.execPath, ${JSON.stringify(house.command().slice(1))}, { stdio: 'inherit' }); process.stderr.write('server ' + c.pid + '\\n');`;
    const server = start({}, [process.execPath, '-e', wrapper]);
    await server.initialize();
    const pid = Number(/^server (\d+)$/m.exec(server.stderr())?.[1]);
    expect(processStartTime(pid)).toBeDefined();
    server.process.kill('SIGKILL');
    await until(() => processStartTime(pid) === undefined, 'the end of the server');
  });

  it('still answers what was asked before stdin ended', async () => {
    const server = start();
    server.send({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'pipe', version: '1' } },
    });
    server.send({ method: 'notifications/initialized' });
    server.send({ id: 2, method: 'tools/list' });
    server.send({ id: 3, method: 'tools/call', params: { name: 'agy_jobs', arguments: {} } });
    server.process.stdin?.end();
    await server.ended();
    expect(server.messages().map((message) => message.id)).toEqual([1, 2, 3]);
  });
});

describe('what a server prints', () => {
  it('is protocol only on stdout, whatever a dependency prints', async () => {
    const server = start({}, [
      process.execPath,
      '--require',
      join(programs, 'preload-noise.cjs'),
      ...house.command().slice(1),
    ]);
    await server.initialize();
    server.process.kill('SIGUSR2');
    await until(() => server.stderr().includes('noise made'), 'the noise');
    await server.request(5, 'tools/list');
    expect(server.stdout()).not.toContain('noise');
    for (const source of ['console.log', 'console.info', 'stdout.write'])
      expect(server.stderr()).toContain(`noise from ${source}`);
  });

  it('carries no prompt and no secret into the log', async () => {
    const server = start({
      BATON_LOG: 'debug',
      AGY_MCP_HTTP_TOKEN: 'tok-secret',
      OPENAI_API_KEY: 'key-secret',
    });
    await server.initialize();
    await server.request(1, 'tools/call', {
      name: 'agy_run_sync',
      arguments: { prompt: `prompt-secret\n${script({ text: 'answer-secret' })}` },
    });
    await server.request(2, 'tools/call', {
      name: 'agy_run',
      arguments: { prompt: 'prompt-secret', effort: 'x' },
    });
    await until(() => server.stderr().includes('tool call failed'), 'the log');
    expect(server.stderr()).not.toMatch(/prompt-secret|answer-secret|tok-secret|key-secret/);
    for (const line of server.stderr().trimEnd().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
  });
});

describe('a start', () => {
  it('needs no agy: discovery works, a warning is on stderr, the call names the variable (93)', async () => {
    const server = start({ AGY_MCP_AGY_PATH: undefined, PATH: '/nonexistent' }, [
      process.execPath,
      ...house.command().slice(1),
    ]);
    await server.initialize();
    await server.request(1, 'tools/list');
    expect(server.stderr()).toContain('agy not found on PATH');
    const reply = await server.request(2, 'tools/call', { name: 'agy_run', arguments: { prompt: 'x' } });
    expect(JSON.stringify(reply)).toMatch(
      /agy not found on PATH; set AGY_MCP_AGY_PATH: .*BATON_BACKEND=baton/,
    );
  });

  it('asks no agent anything until a call needs it', async () => {
    const log = join(house.folder, 'agy.log');
    const server = start({ STANDIN_LOG: log });
    await server.initialize();
    await server.request(1, 'tools/list');
    await server.request(2, 'tools/call', { name: 'list_sessions', arguments: {} });
    expect(existsSync(log)).toBe(false);
    await server.request(3, 'tools/call', { name: 'list_models', arguments: {} });
    expect(existsSync(log)).toBe(true);
  });

  it.each([
    [{ AGY_MCP_AGY_PATH: '/nonexistent/agy' }, 'config: AGY_MCP_AGY_PATH "/nonexistent/agy"'],
    [{ AGY_MCP_AGY_PATH: packageFile }, `config: AGY_MCP_AGY_PATH ${JSON.stringify(packageFile)}`],
    [{ BATON_RIGHTS: 'some' }, 'BATON_RIGHTS'],
    [{ BATON_MAX_JOBS: '0' }, 'BATON_MAX_JOBS'],
    [{ BATON_LOG: 'loud' }, 'BATON_LOG'],
  ])('fails at once when the configuration is wrong: %o (97)', async (changes, part) => {
    const server = start(changes);
    expect(await server.ended()).toMatchObject({ code: 1 });
    expect(server.stderr()).toContain(part);
    expect(server.stderr()).not.toContain('    at ');
  });

  it('as agy-mcp goes by that name and keeps its state where that server kept it', async () => {
    const server = start({ AGY_MCP_STATE_DIR: undefined, XDG_STATE_HOME: house.folder }, [
      process.execPath,
      join(bins, 'agy-mcp.js'),
    ]);
    const reply = await server.request(1, 'initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    });
    expect(reply).toMatchObject({ result: { serverInfo: { name: 'agy-mcp' } } });
    expect(server.stderr()).toContain(join(house.folder, 'agy-mcp'));
  });

  it('refuses unknown flags with code 2, and explains what became of run-job', async () => {
    for (const [args, part] of [
      [['-htp', 'x'], 'unknown flag -htp'],
      [['run-job', '/some/dir'], 'agy_run'],
    ] as const) {
      const server = start({}, [process.execPath, join(bins, 'agy-mcp.js'), ...args]);
      expect(await server.ended()).toMatchObject({ code: 2 });
      expect(server.stderr()).toContain(part);
    }
  });
});

it('is the same file that runs from another folder', async () => {
  const child = spawn(process.execPath, [join(bins, 'baton.js'), '--version'], { cwd: '/' });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  await new Promise((resolve) => child.once('close', resolve));
  const { version } = JSON.parse(readFileSync(join(bins, '..', 'package.json'), 'utf8'));
  expect(out.trim()).toBe(version);
});
