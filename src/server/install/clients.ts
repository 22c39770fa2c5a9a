import type { Environment } from '../../backends/types.ts';
import type { Fields } from '../../contract/fields.ts';
import type { Dialect } from './config-text.ts';
import type { Places } from './places.ts';

/** The command that a client starts. All paths absolute. */
export interface ServerCommand {
  command: string;
  args: string[];
}

/** How one client is told of a server. A new client is a new row; `source` says where its facts are from. */
export interface InstallClient {
  /** What `baton install` takes. */
  id: string;
  label: string;
  aliases?: readonly string[];
  /** The files that may hold the settings, in the order in which they are looked for; the last is made when none exists. */
  files(places: Places): string[];
  dialect: Dialect;
  /** Keys from the top of the file down to the object of servers. */
  servers: readonly string[];
  /** The entry, without its environment. */
  entry(server: ServerCommand): Fields;
  environmentKey: 'env' | 'environment';
  /** Names of servers that the client takes, where fewer than the general ones. */
  name?: { pattern: RegExp; rule: string };
  /** Text in values that the client would replace by something else. */
  replaces?: RegExp;
  /**
   * What of its own environment the client gives to a server: all of it, all but secrets, or only PATH, HOME and the
   * like. Variables that steer Baton stand in the entry anyway.
   */
  handsOn: 'all' | 'all but secrets' | 'little';
  /** How variables of the client's environment are named in the entry without their values being in the file. */
  forward?(names: readonly string[]): Fields;
  /** Started from a desktop with a PATH that lacks what shells have: the entry carries the PATH of the installing shell. */
  poorPath?: true;
  /** The entry lifts the client's time limit of a call over our longest wait, and tells the server so. */
  liftsCallLimit?: true;
  /** The settings file of hooks that wake the model when a job ends. */
  hooksFile?(places: Places): string;
  /** What there is to do until the client sees the server. */
  afterwards: string;
  source: string;
}

/** Ten minutes is the longest inline wait; the client is to be a little more patient. */
const CALL_LIMIT_SECONDS = 660;

const stdio = ({ command, args }: ServerCommand): Fields => ({ type: 'stdio', command, args });
const plain = ({ command, args }: ServerCommand): Fields => ({ command, args });
const DOLLAR_BRACE = /\$\{/;

function folderFrom(environment: Environment, variable: string, otherwise: string): string {
  return environment[variable] || otherwise;
}

function vscodeUser({ appData, join }: Places): string {
  return join(appData, 'Code', 'User');
}

export const INSTALL_CLIENTS: readonly InstallClient[] = [
  {
    id: 'claude-code',
    label: 'Claude Code',
    aliases: ['claude'],
    files: ({ environment, home, join }) => [
      join(folderFrom(environment, 'CLAUDE_CONFIG_DIR', home), '.claude.json'),
    ],
    dialect: 'json',
    servers: ['mcpServers'],
    entry: stdio,
    environmentKey: 'env',
    replaces: DOLLAR_BRACE,
    handsOn: 'all',
    hooksFile: ({ environment, home, join }) =>
      join(folderFrom(environment, 'CLAUDE_CONFIG_DIR', join(home, '.claude')), 'settings.json'),
    afterwards: 'Start a new session of Claude Code, or run /mcp in an open one.',
    source: '2.1.332 run with this file; names and hook fields from its package',
  },
  {
    id: 'claude-desktop',
    label: 'Claude Desktop',
    files: ({ appData, join }) => [join(appData, 'Claude', 'claude_desktop_config.json')],
    dialect: 'json',
    servers: ['mcpServers'],
    entry: plain,
    environmentKey: 'env',
    handsOn: 'little',
    poorPath: true,
    afterwards: 'Quit Claude Desktop and start it again.',
    source: 'modelcontextprotocol.io, "Connect to local MCP servers"; not run here',
  },
  {
    id: 'cursor',
    label: 'Cursor',
    files: ({ home, join }) => [join(home, '.cursor', 'mcp.json')],
    dialect: 'jsonc',
    servers: ['mcpServers'],
    entry: plain,
    environmentKey: 'env',
    replaces: DOLLAR_BRACE,
    handsOn: 'all',
    afterwards: 'Cursor sees the change by itself; turn the server on in its MCP settings.',
    source: 'docs.cursor.com, "Model Context Protocol"; not run here',
  },
  {
    id: 'codex',
    label: 'Codex',
    files: ({ environment, home, join }) => [
      join(folderFrom(environment, 'CODEX_HOME', join(home, '.codex')), 'config.toml'),
    ],
    dialect: 'toml',
    servers: ['mcp_servers'],
    entry: ({ command, args }) => ({
      command,
      args,
      // Twelve clients starting at once on two cores let a server of 0.4 s miss the default of 10 s.
      startup_timeout_sec: 30,
      tool_timeout_sec: CALL_LIMIT_SECONDS,
    }),
    environmentKey: 'env',
    handsOn: 'little',
    forward: (names) => ({ env_vars: names }),
    liftsCallLimit: true,
    afterwards: 'Start a new session of Codex.',
    source: '0.171.0 run with this file; its environment and env_vars seen by running it',
  },
  {
    id: 'gemini',
    label: 'Gemini CLI',
    aliases: ['gemini-cli'],
    files: ({ environment, home, join }) => [
      join(folderFrom(environment, 'GEMINI_CLI_HOME', home), '.gemini', 'settings.json'),
    ],
    dialect: 'json-comments',
    servers: ['mcpServers'],
    entry: plain,
    environmentKey: 'env',
    name: {
      pattern: /^[A-Za-z0-9-]+$/,
      rule: 'without _, by which Gemini CLI parts the names of server and tool',
    },
    replaces: /\$[A-Za-z_{]/,
    handsOn: 'all but secrets',
    forward: (names) => ({ env: Object.fromEntries(names.map((name) => [name, `$${name}`])) }),
    afterwards: 'Start a new session of Gemini CLI, or run /mcp refresh in an open one.',
    source:
      '0.61.0 run with this file; docs/tools/mcp-server.md and docs/reference/configuration.md in its package',
  },
  {
    id: 'vscode',
    label: 'VS Code',
    aliases: ['code', 'vs-code'],
    files: (places) => [places.join(vscodeUser(places), 'mcp.json')],
    dialect: 'jsonc',
    servers: ['servers'],
    entry: stdio,
    environmentKey: 'env',
    replaces: DOLLAR_BRACE,
    handsOn: 'all',
    afterwards: 'VS Code sees the change by itself; start the server with "MCP: List Servers".',
    source: 'code.visualstudio.com, "MCP configuration reference"; not run here',
  },
  {
    id: 'cline',
    label: 'Cline',
    files: (places) => {
      const { environment, home, join } = places;
      const data = folderFrom(
        environment,
        'CLINE_DATA_DIR',
        join(folderFrom(environment, 'CLINE_DIR', join(home, '.cline')), 'data'),
      );
      const shared = folderFrom(
        environment,
        'CLINE_MCP_SETTINGS_PATH',
        join(data, 'settings', 'cline_mcp_settings.json'),
      );
      const extension = join(
        vscodeUser(places),
        'globalStorage',
        'saoudrizwan.claude-dev',
        'settings',
        'cline_mcp_settings.json',
      );
      return [shared, extension, shared];
    },
    dialect: 'json',
    servers: ['mcpServers'],
    entry: ({ command, args }) => ({ command, args, timeout: CALL_LIMIT_SECONDS }),
    environmentKey: 'env',
    handsOn: 'little',
    liftsCallLimit: true,
    afterwards: 'Cline sees the change by itself, else press "Restart Server" in its MCP view.',
    source:
      '3.0.65 (command line) run with this file; cline/cline issue 13596 for the extension; timeout in seconds from docs/mcp',
  },
  {
    id: 'windsurf',
    label: 'Windsurf',
    files: ({ home, join }) => [join(home, '.codeium', 'windsurf', 'mcp_config.json')],
    dialect: 'jsonc',
    servers: ['mcpServers'],
    entry: plain,
    environmentKey: 'env',
    replaces: DOLLAR_BRACE,
    handsOn: 'all',
    afterwards: 'Press "Refresh" in the MCP panel of Windsurf.',
    source: 'docs.windsurf.com, "Cascade MCP"; not run here',
  },
  {
    id: 'opencode',
    label: 'opencode',
    files: ({ xdgConfig, join }) => [
      join(xdgConfig, 'opencode', 'opencode.jsonc'),
      join(xdgConfig, 'opencode', 'opencode.json'),
    ],
    dialect: 'jsonc',
    servers: ['mcp'],
    entry: ({ command, args }) => ({ type: 'local', command: [command, ...args], enabled: true }),
    environmentKey: 'environment',
    replaces: /\{(env|file):/,
    handsOn: 'all',
    afterwards: 'Start a new session of opencode.',
    source: '1.18.33 run with this file; its own configuration guide in the package',
  },
  {
    id: 'zed',
    label: 'Zed',
    files: ({ platform, appData, home, xdgConfig, join }) => [
      join(
        platform === 'win32'
          ? join(appData, 'Zed')
          : platform === 'darwin'
            ? join(home, '.config', 'zed')
            : join(xdgConfig, 'zed'),
        'settings.json',
      ),
    ],
    dialect: 'jsonc',
    servers: ['context_servers'],
    entry: ({ command, args }) => ({ source: 'custom', command, args }),
    environmentKey: 'env',
    handsOn: 'all',
    afterwards: 'Zed sees the change by itself; the Agent Panel’s settings show a green dot.',
    source: 'zed-industries/zed docs/src/ai/mcp.md; not run here',
  },
];

/** The client of that name, aliases and any case included. */
export function findInstallClient(name: string): InstallClient | undefined {
  const wanted = name.toLowerCase().replaceAll(/[\s_]+/g, '-');
  return INSTALL_CLIENTS.find(
    (client) =>
      client.id === wanted ||
      client.label.toLowerCase().replaceAll(' ', '-') === wanted ||
      client.aliases?.includes(wanted),
  );
}
