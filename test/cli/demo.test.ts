import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processStartTime } from '../../src/platform/process-identity.ts';
import { type Ended, startCommand } from '../support/command.ts';
import { until } from '../support/jobs.ts';
import { bins } from '../support/mcp.ts';
import { startModelServer } from '../support/models/server.ts';

let folder: string;
let work: string;
let temporary: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'baton-demo-test-'));
  [work, temporary] = ['work', 'tmp'].map((name) => join(folder, name)) as [string, string];
  for (const made of [work, temporary, join(folder, 'home')]) mkdirSync(made);
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }));

function environment(changes: Record<string, string> = {}): Record<string, string> {
  return { PATH: process.env.PATH ?? '', HOME: join(folder, 'home'), TMPDIR: temporary, ...changes };
}

async function demo(args: string[], changes: Record<string, string> = {}): Promise<Ended> {
  const ended = await startCommand('baton', ['demo', ...args], { cwd: work, env: environment(changes) })
    .ended;
  // Whatever happened: nothing is left behind (a cache of compiled code may be).
  expect(readdirSync(temporary)).toEqual([]);
  expect(readdirSync(join(folder, 'home')).filter((name) => name !== '.cache')).toEqual([]);
  return ended;
}

describe('baton demo', () => {
  it('shows a run from the tools to the files, and leaves nothing behind', async () => {
    // Settings of a person that would break a server: the scripted demo must not be touched by them.
    const { code, stdout, stderr } = await demo([], {
      AGY_MCP_AGY_PATH: '/nonexistent',
      BATON_RIGHTS: 'nonsense',
      OPENAI_API_KEY: 'sk-person',
    });
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toContain('scripted model, real tools');
    for (const part of ['agy_run_sync', '→ grep_search Query=expiresAt', '✓ view_file', 'progress: job '])
      expect(stdout).toContain(part);
    // Cited from what the tools returned.
    expect(stdout).toContain('src/cache.js line 49');
    expect(stdout).toContain('entries.set(key, { value: entry.value });');
    expect(stdout).toMatch(/Usage\n {2}\d+ tokens in, \d+ out/);
    for (const file of ['events.ndjson', 'job.json', 'result.json']) expect(stdout).toContain(file);
    expect(stdout).toMatch(/claude mcp add baton -e BATON_BACKEND=baton -- \/.*\/dist\/baton\.js serve/);
    expect(stdout).not.toContain('\u001b[');
    expect(stdout).not.toContain('sk-person');
  });

  it('refuses any other question without a model, with the ways to have one', async () => {
    const { code, stdout, stderr } = await demo(['What is the weather?']);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    for (const way of ['OPENAI_API_KEY', 'Ollama', 'OPENAI_BASE_URL', '--live'])
      expect(stderr).toContain(way);
  });

  it.each([
    ['chat', 'openai/mock-1'],
    ['google', 'google/mock-1'],
    ['anthropic', 'anthropic/mock-1'],
  ] as const)(
    'live asks the person’s own model over %s about the person’s own folder',
    async (wire, model) => {
      writeFileSync(join(work, 'note.txt'), 'the password is swordfish\n');
      const server = await startModelServer([
        {
          text: 'I read it.',
          calls: [{ name: 'view_file', arguments: { AbsolutePath: join(work, 'note.txt') } }],
        },
        { text: 'It says swordfish.' },
      ]);
      try {
        const { code, stdout, stderr } = await demo(['--live', 'What does the note say?'], {
          ...server.environment(wire),
          BATON_MODEL: model,
        });
        expect(stderr).toBe('');
        expect(code).toBe(0);
        expect(stdout).toContain('your own model, real tools');
        expect(stdout).toContain('→ view_file AbsolutePath=note.txt');
        expect(stdout).toContain('It says swordfish.');
        expect(JSON.stringify(server.calls[1]?.body)).toContain('the password is swordfish');
      } finally {
        await server.close();
      }
    },
  );

  it('leaves nothing behind when its reader goes away', async () => {
    const program = join(bins, 'baton.js');
    await new Promise((resolve) => {
      spawn('/bin/sh', ['-c', `"${process.execPath}" "${program}" demo | head -1`], {
        cwd: work,
        env: environment(),
        stdio: 'ignore',
      }).once('close', resolve);
    });
    await until(() => readdirSync(temporary).length === 0, 'the end of the demo');
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('says what went wrong when the model fails', async () => {
    const server = await startModelServer(() => ({
      status: 401,
      body: { error: { message: 'no such key', code: 'invalid_api_key' } },
    }));
    try {
      const { code, stderr } = await demo(['--live'], {
        ...server.environment('chat'),
        BATON_MODEL: 'openai/mock-1',
      });
      expect(code).toBe(1);
      expect(stderr).toMatch(/the run is failed/);
      expect(stderr).not.toContain('    at ');
    } finally {
      await server.close();
    }
  });

  it('cleans up when it is interrupted in the middle of the run', async () => {
    const server = await startModelServer([{ delayMs: 60_000 }]);
    try {
      const running = startCommand('baton', ['demo', '--live', 'x'], {
        cwd: work,
        env: environment({ ...server.environment('chat'), BATON_MODEL: 'openai/mock-1' }),
      });
      await until(() => server.calls.length > 0, 'the request of the model');
      const [place = ''] = readdirSync(temporary);
      const job = readdirSync(join(temporary, place, 'state', 'jobs'))[0] ?? '';
      const started = join(temporary, place, 'state', 'jobs', job, 'process.json');
      const { pid } = JSON.parse(readFileSync(started, 'utf8'));
      running.kill('SIGINT');
      expect(await running.ended).toMatchObject({ code: 130 });
      expect(readdirSync(temporary)).toEqual([]);
      expect(processStartTime(pid)).toBeUndefined();
    } finally {
      await server.close();
    }
  });
});
