import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAgyBackend } from '../../../src/backends/agy/agy.ts';
import { noCapabilities } from '../../../src/backends/capabilities.ts';
import { createGeminiBackend } from '../../../src/backends/gemini/gemini.ts';
import type { Invocation, RunRequest } from '../../../src/backends/types.ts';
import { rightsOfArguments } from '../../../src/jobs/job-parent.ts';
import { processStartTime } from '../../../src/platform/process-identity.ts';
import { logAttempt, readAttempts } from '../../../src/relay/attempts/attempt-log.ts';
import { cleanTerminalText, runUnderPty, scriptCommand } from '../../../src/relay/attempts/pty-attempt.ts';
import { withModel } from '../../../src/relay/attempts/run-attempts.ts';
import { withAttempts } from '../../../src/relay/attempts/with-attempts.ts';
import { until } from '../../support/jobs.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'baton-attempts-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hasScript = spawnSync('script', ['--version']).error === undefined;

function request(changes: Partial<RunRequest> = {}): RunRequest {
  return { prompt: 'p', cwd: '/work', timeoutMs: 60_000, ...changes };
}

describe('the attempts program', () => {
  const agy = withAttempts(createAgyBackend({ forRelay: true }));
  const invoke = (environment: Record<string, string>, capabilities: object): Invocation =>
    agy.invoke(
      request({ mode: undefined }),
      {
        name: 'agy',
        program: '/bin/agy',
        leadingArgs: [],
        version: '1.1.9',
        capabilities: { ...noCapabilities(), ...capabilities },
      },
      environment,
    );

  it('begins a run only where a second attempt can be needed', () => {
    expect(invoke({}, {}).program).toBe('/bin/agy');
    expect(invoke({ AGY_MCP_PTY: '0' }, {}).program).toBe('/bin/agy');
    // The prompt is not on the line then, so there is nothing to run again.
    const modern = { outputFormat: true, streamJsonInput: true };
    expect(invoke({ AGY_MCP_PTY: '1' }, modern).program).toBe('/bin/agy');
    for (const value of ['1', 'true', ' YES ']) {
      const wrapped = invoke({ AGY_MCP_PTY: value }, {});
      expect(wrapped.program).toBe(process.execPath);
      expect(wrapped.args.slice(1)).toEqual(['pty', 'attempts', '/bin/agy', '--', '-p', 'p']);
      expect(wrapped.files).toEqual([{ name: 'attempts', content: '', argument: 2 }]);
      expect(wrapped.outputFormat).toBe('text');
    }
  });

  it('leaves the agent’s own flags to be seen, by people and by the rights of nested jobs', () => {
    const wrapped = invoke({ AGY_MCP_PTY: '1' }, { mode: true, dangerouslySkipPermissions: true });
    expect(rightsOfArguments(wrapped.args)).toBe('workspace');
    expect(rightsOfArguments([...wrapped.args.slice(0, -2), '--mode', 'plan', '-p', 'x'])).toBe('plan');
  });

  it('begins every run of the legacy CLI', () => {
    const gemini = withAttempts(createGeminiBackend());
    const made = gemini.invoke(
      request({ prompt: 'hello' }),
      {
        name: 'gemini',
        program: '/bin/gemini',
        leadingArgs: [],
        version: '',
        capabilities: { ...noCapabilities(), model: true, sandbox: true },
      },
      {},
    );
    expect(made.args.slice(1)).toEqual(['quota', 'attempts', '/bin/gemini', '--', '-p', 'hello']);
  });

  it('puts another model into a command line', () => {
    expect(withModel(['-m', 'pro', '-s', '-p', '-m'], 'flash')).toEqual(['-m', 'flash', '-s', '-p', '-m']);
    expect(withModel(['-p', 'x'], 'flash')).toEqual(['-m', 'flash', '-p', 'x']);
  });
});

describe('the log of attempts', () => {
  it('is read line by line, and what is no attempt is passed over', () => {
    const path = join(folder, 'log');
    expect(readAttempts(path)).toEqual([]);
    logAttempt(path, { number: 2, reason: 'quota', model: 'flash' });
    writeFileSync(path, 'junk\n{"number":3,"reason":"other"}\n', { flag: 'a' });
    logAttempt(path, { number: 2, reason: 'pty', isCut: true });
    expect(readAttempts(path)).toEqual([
      { number: 2, reason: 'quota', model: 'flash' },
      { number: 2, reason: 'pty', isCut: true },
    ]);
  });
});

describe('a run under a terminal', () => {
  it('is begun with the script of the system, every word quoted', () => {
    const line = `'/bin/agy' '-p' 'it'\\''s $HOME'`;
    expect(scriptCommand('/bin/agy', ['-p', "it's $HOME"], 'linux')).toEqual({
      program: 'script',
      args: ['-qec', line, '/dev/null'],
    });
    expect(scriptCommand('/bin/agy', ['-p', "it's $HOME"], 'darwin')).toEqual({
      program: 'script',
      args: ['-q', '/dev/null', '/bin/sh', '-c', line],
    });
  });

  it('gives its text without what the terminal added', () => {
    expect(cleanTerminalText('Script started on x\r\n^D\b\bone\r\ntwo\r\nScript done on y\r\n')).toBe(
      'one\ntwo\n',
    );
  });

  it.skipIf(!hasScript)(
    'is ended at its own limit, what it had printed kept, nothing left behind',
    async () => {
      const pid = join(folder, 'pid');
      const program = join(folder, 'slow.sh');
      writeFileSync(program, `#!/bin/sh\necho $$ >"${pid}"\ntest -t 1 && echo "so far ü"\nexec sleep 60\n`, {
        mode: 0o755,
      });
      const end = await runUnderPty(program, [], { limitMs: 600 });
      expect(end).toMatchObject({ text: 'so far ü\n', isCut: true });
      const leader = Number(readFileSync(pid, 'utf8'));
      await until(() => processStartTime(leader) === undefined, 'the end of what ran under the terminal');
    },
  );

  it.skipIf(!hasScript)('hands on the code that the program ended with', async () => {
    expect(await runUnderPty('/bin/sh', ['-c', 'echo x; exit 3'])).toEqual({
      text: 'x\n',
      code: 3,
      isCut: false,
    });
  });
});
