import { describe, expect, it } from 'vitest';
import { findInstallClient, INSTALL_CLIENTS } from '../../../src/server/install/clients.ts';
import { placesOf } from '../../../src/server/install/places.ts';

const linux = placesOf({ HOME: '/home/p' }, 'linux');
const mac = placesOf({ HOME: '/Users/p' }, 'darwin');
const windows = placesOf({ USERPROFILE: 'C:\\Users\\p', APPDATA: 'C:\\Users\\p\\AppData\\Roaming' }, 'win32');

/** Where each client keeps its settings, by its own documentation. */
const FILES: Record<string, [string, string, string]> = {
  'claude-code': ['/home/p/.claude.json', '/Users/p/.claude.json', 'C:\\Users\\p\\.claude.json'],
  'claude-desktop': [
    '/home/p/.config/Claude/claude_desktop_config.json',
    '/Users/p/Library/Application Support/Claude/claude_desktop_config.json',
    'C:\\Users\\p\\AppData\\Roaming\\Claude\\claude_desktop_config.json',
  ],
  cursor: ['/home/p/.cursor/mcp.json', '/Users/p/.cursor/mcp.json', 'C:\\Users\\p\\.cursor\\mcp.json'],
  codex: ['/home/p/.codex/config.toml', '/Users/p/.codex/config.toml', 'C:\\Users\\p\\.codex\\config.toml'],
  gemini: [
    '/home/p/.gemini/settings.json',
    '/Users/p/.gemini/settings.json',
    'C:\\Users\\p\\.gemini\\settings.json',
  ],
  vscode: [
    '/home/p/.config/Code/User/mcp.json',
    '/Users/p/Library/Application Support/Code/User/mcp.json',
    'C:\\Users\\p\\AppData\\Roaming\\Code\\User\\mcp.json',
  ],
  cline: [
    '/home/p/.cline/data/settings/cline_mcp_settings.json',
    '/Users/p/.cline/data/settings/cline_mcp_settings.json',
    'C:\\Users\\p\\.cline\\data\\settings\\cline_mcp_settings.json',
  ],
  windsurf: [
    '/home/p/.codeium/windsurf/mcp_config.json',
    '/Users/p/.codeium/windsurf/mcp_config.json',
    'C:\\Users\\p\\.codeium\\windsurf\\mcp_config.json',
  ],
  opencode: [
    '/home/p/.config/opencode/opencode.json',
    '/Users/p/.config/opencode/opencode.json',
    'C:\\Users\\p\\.config\\opencode\\opencode.json',
  ],
  zed: [
    '/home/p/.config/zed/settings.json',
    '/Users/p/.config/zed/settings.json',
    'C:\\Users\\p\\AppData\\Roaming\\Zed\\settings.json',
  ],
};

describe('where clients keep their settings', () => {
  it('has a row for each of them, with its source', () => {
    expect(INSTALL_CLIENTS.map(({ id }) => id).sort()).toEqual(Object.keys(FILES).sort());
    for (const { source, afterwards } of INSTALL_CLIENTS)
      expect(source.length + afterwards.length).toBeGreaterThan(20);
  });

  it.each(Object.entries(FILES))('%s', (id, files) => {
    const found = [linux, mac, windows].map((places) => findInstallClient(id)?.files(places).at(-1));
    expect(found).toEqual(files);
  });

  it('heeds the variables by which clients move them', () => {
    const moved = (id: string, environment: Record<string, string>): string | undefined =>
      findInstallClient(id)
        ?.files(placesOf({ HOME: '/h', ...environment }, 'linux'))
        .at(-1);
    expect(moved('claude-code', { CLAUDE_CONFIG_DIR: '/c' })).toBe('/c/.claude.json');
    expect(
      findInstallClient('claude-code')?.hooksFile?.(placesOf({ CLAUDE_CONFIG_DIR: '/c' }, 'linux')),
    ).toBe('/c/settings.json');
    expect(moved('codex', { CODEX_HOME: '/c' })).toBe('/c/config.toml');
    expect(moved('gemini', { GEMINI_CLI_HOME: '/c' })).toBe('/c/.gemini/settings.json');
    expect(moved('cline', { CLINE_MCP_SETTINGS_PATH: '/c/x.json' })).toBe('/c/x.json');
    expect(moved('zed', { XDG_CONFIG_HOME: '/x' })).toBe('/x/zed/settings.json');
    expect(moved('zed', { XDG_CONFIG_HOME: 'relative' })).toBe('/h/.config/zed/settings.json');
  });

  it('finds clients by their usual names', () => {
    for (const [word, id] of [
      ['claude', 'claude-code'],
      ['Claude Desktop', 'claude-desktop'],
      ['VS Code', 'vscode'],
      ['gemini-cli', 'gemini'],
      ['OpenCode', 'opencode'],
    ] as const) {
      expect(findInstallClient(word)?.id).toBe(id);
    }
    expect(findInstallClient('emacs')).toBeUndefined();
  });
});
