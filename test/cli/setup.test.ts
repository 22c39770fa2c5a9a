import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agentProgram } from '../support/agent.ts';
import { type Ended, startCommand } from '../support/command.ts';
import { until } from '../support/jobs.ts';
import { bins } from '../support/mcp.ts';
import type { ScriptedReply } from '../support/models/script.ts';
import { type ModelServer, startModelServer } from '../support/models/server.ts';

let home: string;
let server: ModelServer | undefined;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'baton-setup-test-'));
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(home, { recursive: true, force: true });
});

const file = (): string => join(home, '.config/baton/keys.json');

function environment(more: Record<string, string> = {}): Record<string, string> {
  return { HOME: home, PATH: process.env.PATH ?? '', BATON_STATE_DIR: join(home, 'state'), ...more };
}

function setup(args: string[], stdin = '', more: Record<string, string> = {}): Promise<Ended> {
  return startCommand('baton', ['setup', ...args], { cwd: home, env: environment(more), stdin }).ended;
}

/** A stand-in for Google; only its address is in the environment. */
async function google(reply: ScriptedReply): Promise<Record<string, string>> {
  server = await startModelServer(() => reply);
  return { GOOGLE_GEMINI_BASE_URL: server.url };
}

function agent(args: string[], more: Record<string, string>): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [agentProgram, ...args], {
      cwd: home,
      env: environment(more),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}

describe('baton setup', () => {
  it('keeps a key from stdin in a file for this user alone, and shows it to nobody', async () => {
    const kept = await setup(['google', '--model', 'google/mock-1'], 'AIza-secret-key\n');
    expect(kept).toMatchObject({ code: 0, stderr: '' });
    expect(kept.stdout).toContain(file());
    expect(kept.stdout).not.toContain('AIza');
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({
      format: 1,
      keys: { GEMINI_API_KEY: 'AIza-secret-key' },
      model: 'google/mock-1',
    });
    const shown = await setup([]);
    expect(shown.stdout).toContain('GEMINI_API_KEY: set (15 characters)');
    expect(shown.stdout).not.toContain('AIza');
  });

  it('is where the agent looks for what its environment lacks', async () => {
    const address = await google({ text: 'Hello.' });
    await setup(['google'], 'kept-key');
    const ran = await agent(['-p', 'hi', '--model', 'google/mock-1'], address);
    expect(ran).toMatchObject({ code: 0, stdout: 'Hello.' });
    expect(server!.calls.at(-1)?.headers['x-goog-api-key']).toBe('kept-key');
    await agent(['-p', 'hi', '--model', 'google/mock-1'], { ...address, GEMINI_API_KEY: 'own-key' });
    expect(server!.calls.at(-1)?.headers['x-goog-api-key']).toBe('own-key');
  });

  it('gives the default model only where the environment sets up no provider', async () => {
    await setup(['anthropic', '--model', 'anthropic/kept-model'], 'kept-key');
    server = await startModelServer(() => ({ text: 'x' }));
    // An address nobody listens on: what matters is which model was chosen.
    const chosen = await agent(['-p', 'hi', '--output-format', 'stream-json'], {
      HTTPS_PROXY: 'http://127.0.0.1:9',
      BATON_MODEL_RETRIES: '0',
    });
    expect(chosen.stdout + chosen.stderr).toContain('anthropic/kept-model');
    const own = await agent(['-p', 'hi'], server.environment('google'));
    expect(own.code).toBe(0);
    expect(server.calls[0]?.wire).toBe('google');
    await setup(['google'], 'of-the-file');
    await agent(['-p', 'hi'], { GOOGLE_GEMINI_BASE_URL: server.url });
    expect(server.calls[1]?.headers['x-goog-api-key']).toBe('of-the-file');
  });

  it('tries the key with one small request when told to, and reports what came of it', async () => {
    const address = await google({ text: 'OK' });
    const good = await setup(['google', '--model', 'google/mock-1', '--test'], 'trial-key', address);
    expect(good).toMatchObject({ code: 0, stderr: '' });
    expect(good.stdout).toMatch(/It works: an answer after [\d.]+ s, \d+ tokens\./);
    expect(server!.calls).toHaveLength(1);
    expect(server!.calls[0]?.headers['x-goog-api-key']).toBe('trial-key');
    expect(existsSync(join(home, 'state/conversations'))).toBe(false);
    await server!.close();
    const refusing = await google({
      status: 401,
      body: { error: { code: 401, message: 'API key not valid.', status: 'UNAUTHENTICATED' } },
    });
    const bad = await setup(['google', '--model', 'google/mock-1', '--test'], 'wrong-key', refusing);
    expect(bad.code).toBe(1);
    expect(bad.stderr).toMatch(/kept, but the trial failed: .*key/i);
    expect(bad.stderr).not.toContain('wrong-key');
  });

  it('sends nothing without being told to', async () => {
    const address = await google({ text: 'OK' });
    await setup(['google', '--model', 'google/mock-1'], 'k', address);
    expect(server!.seen).toEqual([]);
  });

  it('asks on a terminal without showing what is typed', async () => {
    // script(1) gives the program a terminal.
    const command = `${process.execPath} ${join(bins, 'baton.js')} setup openai --no-test`;
    const child = spawn('script', ['-qec', command, '/dev/null'], { env: environment(), cwd: home });
    let seen = '';
    child.stdout.on('data', (chunk: Buffer) => (seen += chunk.toString()));
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    await until(() => seen.includes('OPENAI_API_KEY'), 'the question');
    child.stdin.write('typed-secret\n');
    expect(await ended).toBe(0);
    expect(seen).not.toContain('typed-secret');
    expect(readFileSync(file(), 'utf8')).toContain('typed-secret');
  });

  it('refuses what is no key, no provider, or an argument that would be seen in the process list', async () => {
    for (const [args, stdin, message] of [
      [['google'], '', /no key was given/],
      [['google'], 'two words', /no key: it has spaces/],
      [['acme'], 'k', /unknown provider "acme": known are openai/],
      [['google', 'sk-123'], '', /never an argument/],
      [['google', '--model', 'openai/x'], 'k', /want a model of this provider/],
      [['--remove'], '', /which provider/],
    ] as const) {
      const ended = await setup([...args], stdin);
      expect(ended.code).toBe(2);
      expect(ended.stderr).toMatch(message);
    }
    expect(existsSync(file())).toBe(false);
  });

  it('forgets a key, and the file with the last one', async () => {
    await setup(['google'], 'g');
    const second = await setup(['openai', '--model', 'openai/x'], 'o');
    expect(second.code).toBe(0);
    await setup(['openai', '--remove']);
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({ format: 1, keys: { GEMINI_API_KEY: 'g' } });
    await setup(['google', '--remove']);
    expect(existsSync(file())).toBe(false);
  });

  it('uses no file that others can read, and says how to mend it', async () => {
    await setup(['google'], 'kept-key');
    chmodSync(file(), 0o644);
    const ran = await agent(['-p', 'hi', '--model', 'google/mock-1'], {});
    expect(ran.code).toBe(1);
    expect(ran.stderr + ran.stdout).toContain(`chmod 600 ${file()}`);
    expect((await setup([])).stderr).toContain('chmod 600');
    chmodSync(file(), 0o600);
    writeFileSync(file(), '{"format": 1');
    expect((await setup([])).stderr).toContain('damaged');
  });

  it('is closed to the runs that use it', async () => {
    const address = await google({});
    await server!.close();
    await setup(['google'], 'kept-secret-key');
    let turn = 0;
    server = await startModelServer(() =>
      turn++ === 0
        ? { calls: [{ name: 'view_file', arguments: { AbsolutePath: file(), path: file() } }] }
        : { text: 'done' },
    );
    address.GOOGLE_GEMINI_BASE_URL = server.url;
    const ran = await agent(
      [
        '-p',
        'read it',
        '--model',
        'google/mock-1',
        '--dangerously-skip-permissions',
        '--output-format',
        'json',
      ],
      address,
    );
    expect(ran.code).toBe(0);
    expect(JSON.stringify(server.calls.at(-1)?.body)).not.toContain('kept-secret-key');
    expect(ran.stdout).toContain('denied');
  });
});
