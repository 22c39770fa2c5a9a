import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { parse as parseToml } from '@decimalturn/toml-patch';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isFields, parseJson } from '../../src/contract/fields.ts';
import { INSTALL_CLIENTS } from '../../src/server/install/clients.ts';
import { placesOf } from '../../src/server/install/places.ts';
import { type Ended, startCommand } from '../support/command.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'baton-install-'));
});
afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

function baton(args: string[], environment: Record<string, string> = {}): Promise<Ended> {
  const env = { HOME: home, PATH: process.env.PATH ?? '', BATON_BACKEND: 'agy', ...environment };
  return startCommand('baton', args, { cwd: home, env }).ended;
}

function put(file: string, text: string, mode = 0o644): string {
  const path = join(home, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

const read = (file: string): string => readFileSync(join(home, file), 'utf8');

function json(file: string): Record<string, unknown> {
  const value = parseJson(read(file));
  return isFields(value) ? value : {};
}

/** The value under some keys. */
function at(value: unknown, ...keys: string[]): unknown {
  return keys.reduce<unknown>((inner, key) => (isFields(inner) ? inner[key] : undefined), value);
}

function backups(file: string): string[] {
  const folder = dirname(join(home, file));
  return readdirSync(folder).filter(
    (name) => name.startsWith(`${file.split('/').at(-1)}.`) && name.endsWith('.bak'),
  );
}

function words(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(words);
  return isFields(value) ? Object.values(value).flatMap(words) : [];
}

describe('baton install', () => {
  it.each(INSTALL_CLIENTS.map(({ id }) => id))('%s: shows, writes once, and takes out again', async (id) => {
    const client = INSTALL_CLIENTS.find((row) => row.id === id)!;
    const file = client.files(placesOf({ HOME: home })).at(-1)!;
    const shown = await baton(['install', id]);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toContain(file);
    expect(shown.stdout).toContain('--write');
    expect(existsSync(file)).toBe(false);

    const written = await baton(['install', id, '--write']);
    expect(written).toMatchObject({ code: 0, stderr: '' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    const settings: unknown = client.dialect === 'toml' ? parseToml(text) : parseJson(text);
    const entry = at(settings, ...client.servers, 'baton');
    const paths = words(entry).filter((word) => word.includes('/') && !word.includes(':'));
    expect(paths.length).toBeGreaterThanOrEqual(2);
    for (const path of paths) {
      expect(isAbsolute(path)).toBe(true);
      expect(existsSync(path)).toBe(true);
    }
    expect(words(entry)).toContain('serve');

    const again = await baton(['install', id, '--write']);
    expect(again.stdout).toContain('Nothing to change');
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect((await baton(['install', id, '--uninstall'])).code).toBe(0);
    expect(readFileSync(file, 'utf8').trim()).toBe(client.dialect === 'toml' ? '' : '{\n}');
    expect((await baton(['install', id, '--uninstall'])).stdout).toContain('Nothing to change');
  });

  it('keeps comments, order, mode, links and a copy of what was there', async () => {
    const text =
      '// mine\n{\n  "theme": "dark", // nice\n  "context_servers": {\n    "other": { "command": "x" }, // of other\n  },\n}\n';
    const real = put('dotfiles/zed.json', text, 0o640);
    mkdirSync(join(home, '.config/zed'), { recursive: true });
    symlinkSync(real, join(home, '.config/zed/settings.json'));
    const written = await baton(['install', 'zed', '--write']);
    expect(written.code).toBe(0);
    expect(lstatSync(join(home, '.config/zed/settings.json')).isSymbolicLink()).toBe(true);
    expect(statSync(real).mode & 0o777).toBe(0o640);
    for (const kept of ['// mine\n', '"theme": "dark", // nice', '"other": { "command": "x" }, // of other'])
      expect(read('dotfiles/zed.json')).toContain(kept);
    const [backup] = backups('dotfiles/zed.json');
    expect(read(`dotfiles/${backup}`)).toBe(text);
    expect(statSync(join(home, 'dotfiles', backup!)).mode & 0o777).toBe(0o640);
    await baton(['install', 'zed', '--uninstall']);
    expect(read('dotfiles/zed.json')).toBe(text);
  });

  it('carries the state folder to the server and to the hook that must share it', async () => {
    const state = join(home, "it's state");
    await baton(['install', 'claude', '--write'], { BATON_STATE_DIR: state });
    expect(at(json('.claude.json'), 'mcpServers', 'baton', 'env')).toEqual({
      BATON_STATE_DIR: state,
      BATON_BACKEND: 'agy',
    });
    const [group] = [at(json('.claude/settings.json'), 'hooks', 'PostToolUse')].flat();
    expect(at(group, 'matcher')).toBe('mcp__baton__agy_run(_sync)?');
    const [hook] = [at(group, 'hooks')].flat();
    expect(hook).toMatchObject({ type: 'command', asyncRewake: true, timeout: 3700 });
    // A shell understands the command: the program starts, and is quiet about a payload that names no job.
    const ran = spawnSync('/bin/sh', ['-c', `${String(at(hook, 'command'))}; echo "code $?"`], {
      env: { HOME: home, PATH: process.env.PATH },
      input: '',
      encoding: 'utf8',
    });
    expect(ran).toMatchObject({ stdout: 'code 0\n', stderr: '' });
    // Installed again from a shell that does not know the folder, both still have it.
    expect((await baton(['install', 'claude', '--write'])).stdout).toContain('Nothing to change');
    await baton(['install', 'claude', '--write'], { AGY_MCP_STATE_DIR: join(home, 'other') });
    expect(read('.claude/settings.json')).toContain(`AGY_MCP_STATE_DIR=${join(home, 'other')} `);
  });

  it('lets other hooks and other names be', async () => {
    const others = {
      hooks: {
        Stop: [{ hooks: [{ type: 'command', command: 'say done' }] }],
        PostToolUse: [
          { matcher: 'Edit', hooks: [{ type: 'command', command: 'fmt' }] },
          {
            matcher: 'mcp__second__agy_run(_sync)?',
            hooks: [{ type: 'command', command: 'baton hook-wait' }],
          },
        ],
      },
      model: 'x',
    };
    const text = `${JSON.stringify(others, null, 4)}\n`;
    put('.claude/settings.json', text);
    await baton(['install', 'claude', '--name', 'helper', '--write']);
    expect(at(json('.claude.json'), 'mcpServers', 'helper')).toBeDefined();
    const groups = [at(json('.claude/settings.json'), 'hooks', 'PostToolUse')].flat();
    expect(groups.map((group) => at(group, 'matcher'))).toEqual([
      'Edit',
      'mcp__second__agy_run(_sync)?',
      'mcp__helper__agy_run(_sync)?',
    ]);
    await baton(['install', 'claude', '--name', 'helper', '--uninstall']);
    expect(read('.claude/settings.json')).toBe(text);
    await baton(['install', 'claude', '--no-hook', '--write']);
    expect(read('.claude/settings.json')).toBe(text);
  });

  it('keeps what a person added to its entry, and brings the rest up to date', async () => {
    put(
      '.cline/data/settings/cline_mcp_settings.json',
      '{"mcpServers": {"baton": {"command": "/old/node", "args": ["/old/baton.js", "serve"], "autoApprove": ["agy_status"], "env": {"MINE": "1"}}}}',
    );
    await baton(['install', 'cline', '--write', '--env', 'EXTRA=2']);
    const entry = at(json('.cline/data/settings/cline_mcp_settings.json'), 'mcpServers', 'baton');
    expect(entry).toMatchObject({
      autoApprove: ['agy_status'],
      timeout: 660,
      env: { MINE: '1', EXTRA: '2', AGY_MCP_SYNC_WAIT_CAP: '10m' },
    });
    expect(words(entry)).not.toContain('/old/node');
  });

  it('names a backend that is there, and leaves one that was chosen', async () => {
    const environment = { PATH: dirname(process.execPath), BATON_BACKEND: '' };
    const shown = await baton(['install', 'zed', '--write'], environment);
    const backend = (): unknown =>
      at(json('.config/zed/settings.json'), 'context_servers', 'baton', 'env', 'BATON_BACKEND');
    // Whether agy is found depends on the usual install places of the machine as well.
    expect([backend() === 'baton', shown.stdout.includes('agy is not installed')]).toEqual([
      backend() !== undefined,
      backend() !== undefined,
    ]);
    await baton(['install', 'zed', '--write', '--env', 'BATON_BACKEND=gemini'], environment);
    await baton(['install', 'zed', '--write'], environment);
    expect(backend()).toBe('gemini');
  });

  it('writes no secret, and hands keys on by name where the client can', async () => {
    const keys = {
      OPENAI_API_KEY: 'sk-very-secret',
      BATON_HTTP_TOKEN: 'tok-very-secret',
      BATON_MODEL: 'openai/x',
    };
    for (const { id } of INSTALL_CLIENTS) {
      const shown = await baton(['install', id, '--print'], keys);
      expect(shown.code).toBe(0);
      expect(shown.stdout).not.toContain('very-secret');
      expect(shown.stdout).toContain('openai/x');
    }
    expect((await baton(['install', 'codex', '--print'], keys)).stdout).toContain(
      'env_vars = ["OPENAI_API_KEY"]',
    );
    expect((await baton(['install', 'gemini', '--print'], keys)).stdout).toContain(
      '"OPENAI_API_KEY": "$OPENAI_API_KEY"',
    );
    expect((await baton(['install', 'claude-desktop', '--write'], keys)).stdout).toContain('baton setup');
  });

  it('touches no file that it cannot read, and names line and fix', async () => {
    const broken: [string, string, string, RegExp][] = [
      [
        'cursor',
        '.cursor/mcp.json',
        '{\n  "mcpServers": {\n    "a": 1\n    "b": 2\n  }\n}\n',
        /line 4, column 5: a comma is missing/,
      ],
      ['codex', '.codex/config.toml', 'model = "x"\nfoo = = 1\n', /line 2, column 7/],
      ['claude-code', '.claude.json', '{\n  // strict\n  "a": 1\n}\n', /line 2, column 3: .*no comments/],
      ['gemini', '.gemini/settings.json', '{"mcpServers": []}', /"mcpServers" is no object/],
      [
        'zed',
        '.config/zed/settings.json',
        '{"context_servers": {}, "context_servers": {"a": 1}}',
        /cannot be edited safely/,
      ],
    ];
    for (const [client, file, text, message] of broken) {
      const path = put(file, text);
      const ended = await baton(['install', client, '--write']);
      expect(ended.code).toBe(1);
      expect(ended.stderr).toContain(path);
      expect(ended.stderr).toMatch(message);
      expect(ended.stderr).toMatch(/Nothing was changed: .*run this again/);
      expect(read(file)).toBe(text);
      expect(backups(file)).toEqual([]);
    }
  });

  it('writes neither of two files when the second one cannot be read', async () => {
    put('.claude/settings.json', '{"hooks": {');
    const ended = await baton(['install', 'claude-code', '--write']);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain(join(home, '.claude/settings.json'));
    expect(existsSync(join(home, '.claude.json'))).toBe(false);
  });

  it('does not take the place of somebody else’s server', async () => {
    const text = '{"mcpServers": {"baton": {"command": "relay-race", "args": []}}}';
    put('.cursor/mcp.json', text);
    const refused = await baton(['install', 'cursor', '--write']);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toMatch(/--name.*--replace/);
    expect((await baton(['install', 'cursor', '--uninstall'])).code).toBe(1);
    expect(read('.cursor/mcp.json')).toBe(text);
    expect((await baton(['install', 'cursor', '--write', '--replace'])).code).toBe(0);
    expect(read('.cursor/mcp.json')).not.toContain('relay-race');
  });

  it('respects a file that may not be written', async () => {
    put('.codeium/windsurf/mcp_config.json', '{}', 0o444);
    const ended = await baton(['install', 'windsurf', '--write']);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/may not be written|permission denied/i);
    expect(read('.codeium/windsurf/mcp_config.json')).toBe('{}');
  });

  it('says which clients and names there are, and uses another file when told to', async () => {
    for (const [args, message] of [
      [['emacs'], /unknown client "emacs": known are claude-code/],
      [['cursor', 'zed'], /takes one client/],
      [['--write'], /which client\? known are/],
      [['codex', '--name', 'a b'], /invalid name "a b": want 1 to 40 letters/],
      [['gemini', '--name', 'a_b'], /without _/],
      [['codex', '--env', '1x'], /want NAME=VALUE/],
      [['codex', '--write', '--print'], /exclude each other/],
    ] as const) {
      const ended = await baton(['install', ...args]);
      expect(ended.code).toBeGreaterThan(0);
      expect(ended.stderr).toMatch(message);
    }
    await baton(['install', 'vscode', '--file', '.vscode/mcp.json', '--write']);
    expect(at(json('.vscode/mcp.json'), 'servers', 'baton', 'type')).toBe('stdio');
    expect(existsSync(join(home, '.config/Code'))).toBe(false);
  });

  it('lists how each client stands', async () => {
    await baton(['install', 'opencode', '--write']);
    put('.cursor/mcp.json', '{"mcpServers": {"baton": {"command": "/old/node", "args": ["/old/baton.js"]}}}');
    put('.codex/config.toml', '= broken');
    const { stdout, code } = await baton(['install']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^opencode +set up +/m);
    expect(stdout).toMatch(/^cursor +set up, but not as it would be now/m);
    expect(stdout).toMatch(/^zed +not set up/m);
    expect(stdout).toMatch(/^codex .*line 1/m);
  });
});
