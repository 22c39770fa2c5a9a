import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A headless agent of somebody else: what to install, and how to send it to a model on loopback. */
export interface Peer {
  name: string;
  /** With its exact version. */
  package: string;
  /** Its name in node_modules/.bin. */
  bin: string;
  args: readonly string[];
  /** Files of a fresh home, and variables. @param url of the model server, without a path */
  settings(url: string): { files: Record<string, unknown>; environment: Record<string, string> };
}

const geminiSettings = (authentication: string): unknown => ({
  security: { auth: { selectedType: authentication }, folderTrust: { enabled: false } },
  general: { enableAutoUpdate: false, disableAutoUpdate: true },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
});

export const PEERS: readonly Peer[] = [
  {
    name: 'codex',
    package: '@openai/codex@0.171.0',
    bin: 'codex',
    args: ['exec', '--skip-git-repo-check', 'hi'],
    settings: (url) => ({
      files: {
        '.codex/config.toml': [
          'model = "mock-1"',
          'model_provider = "mock"',
          'approval_policy = "never"',
          'sandbox_mode = "read-only"',
          'check_for_update_on_startup = false',
          '[analytics]',
          'enabled = false',
          '[model_providers.mock]',
          'name = "mock"',
          `base_url = "${url}/v1"`,
          'env_key = "MOCK_KEY"',
          'wire_api = "responses"',
          'request_max_retries = 0',
          'stream_max_retries = 0',
        ].join('\n'),
      },
      environment: { MOCK_KEY: 'test-key' },
    }),
  },
  {
    name: 'claude',
    package: '@anthropic-ai/claude-code@2.1.332',
    bin: 'claude',
    args: ['--bare', '-p', 'hi'],
    settings: (url) => ({
      files: { '.claude.json': { hasCompletedOnboarding: true } },
      environment: {
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: 'test-key',
        DISABLE_AUTOUPDATER: '1',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      },
    }),
  },
  {
    name: 'gemini',
    package: '@google/gemini-cli@0.61.0',
    bin: 'gemini',
    args: ['-p', 'hi', '--approval-mode', 'yolo'],
    settings: (url) => ({
      files: { '.gemini/settings.json': geminiSettings('gemini-api-key') },
      environment: { GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: 'test-key' },
    }),
  },
  {
    name: 'opencode',
    package: 'opencode-ai@1.18.33',
    bin: 'opencode',
    args: ['run', 'hi'],
    settings: (url) => ({
      files: {
        '.config/opencode/opencode.json': {
          autoupdate: false,
          share: 'disabled',
          model: 'mock/mock-1',
          small_model: 'mock/mock-1',
          provider: {
            mock: {
              npm: '@ai-sdk/openai-compatible',
              name: 'mock',
              options: { baseURL: `${url}/v1`, apiKey: 'test-key' },
              models: {
                'mock-1': { name: 'mock-1', tool_call: true, limit: { context: 128_000, output: 8000 } },
              },
            },
          },
        },
      },
      environment: {
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      },
    }),
  },
  {
    name: 'qwen',
    package: '@qwen-code/qwen-code@0.15.10',
    bin: 'qwen',
    args: ['-p', 'hi', '--approval-mode', 'yolo'],
    settings: (url) => ({
      files: { '.qwen/settings.json': geminiSettings('openai') },
      environment: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'test-key', OPENAI_MODEL: 'mock-1' },
    }),
  },
  {
    name: 'pi',
    package: '@mariozechner/pi-coding-agent@0.73.1',
    bin: 'pi',
    args: ['-p', 'hi', '--provider', 'mock', '--model', 'mock-1'],
    settings: (url) => ({
      files: {
        '.pi/agent/models.json': {
          providers: {
            mock: {
              baseUrl: `${url}/v1`,
              apiKey: 'test-key',
              api: 'openai-completions',
              models: [{ id: 'mock-1', contextWindow: 128_000, maxTokens: 8000 }],
            },
          },
        },
      },
      environment: { PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1' },
    }),
  },
];

/** Installs what is missing. @returns why a peer could not be had, or undefined */
export function installPeer(peer: Peer, folder: string): string | undefined {
  const place = join(folder, peer.name);
  if (existsSync(join(place, 'node_modules', '.bin', peer.bin))) return undefined;
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'package.json'), '{"private":true}');
  try {
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--save-exact', peer.package], {
      cwd: place,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    return undefined;
  } catch (error) {
    return `could not be installed: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`;
  }
}

/** The version that is installed, as its package says. */
export function peerVersion(peer: Peer, folder: string): string {
  const name = peer.package.slice(0, peer.package.lastIndexOf('@'));
  const text = readFileSync(join(folder, peer.name, 'node_modules', name, 'package.json'), 'utf8');
  const manifest: { version?: string } = JSON.parse(text);
  return manifest.version ?? 'unknown';
}

export function writeSettings(home: string, files: Record<string, unknown>): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(home, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  }
}
