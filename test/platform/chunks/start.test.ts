import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const dist = fileURLToPath(new URL('../../../dist/', import.meta.url));
const preload = fileURLToPath(new URL('../../programs/preload-loaded-files.cjs', import.meta.url));
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'baton-start-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

interface Chunk {
  file: string;
  fromCache: boolean;
}

/** Starts `baton serve`, says hello and goes: a start that loads large parts. Returns what it loaded. */
function serveOnce(environment: Record<string, string | undefined> = {}, node: string[] = []): Chunk[] {
  const hello = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  };
  const list = join(home, 'chunks');
  const run = spawnSync(process.execPath, [...node, '--require', preload, join(dist, 'baton.js'), 'serve'], {
    cwd: home,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      LOADED_FILES: '/dev/null',
      LOADED_CHUNKS: list,
      ...environment,
    },
    input: `${JSON.stringify(hello)}\n`,
    encoding: 'utf8',
    timeout: 30_000,
  });
  expect({ status: run.status, signal: run.signal }).toEqual({ status: 0, signal: null });
  expect(run.stdout).toContain('"serverInfo"');
  return JSON.parse(readFileSync(list, 'utf8')) as Chunk[];
}

const fromCache = (chunks: Chunk[]): number => chunks.filter((chunk) => chunk.fromCache).length;

function cacheFolder(): string {
  const code = join(home, '.cache', 'baton', 'code');
  const [build] = readdirSync(code);
  return join(code, build!);
}

describe('the start of a program', () => {
  it('makes compiled code in the first run and uses it in the second', () => {
    expect(fromCache(serveOnce())).toBe(0);
    const files = readdirSync(cacheFolder());
    expect(files.length).toBeGreaterThan(0);
    expect(cacheFolder()).toContain(`-node-${process.versions.node}-${process.arch}`);
    expect(fromCache(serveOnce())).toBe(files.length);
  });

  it('starts with damaged code as with none, and mends it', () => {
    serveOnce();
    const count = readdirSync(cacheFolder()).length;
    for (const name of readdirSync(cacheFolder())) {
      const path = join(cacheFolder(), name);
      const bytes = readFileSync(path);
      writeFileSync(path, bytes.fill(0, bytes.length >> 1));
    }
    expect(fromCache(serveOnce())).toBe(0);
    expect(fromCache(serveOnce())).toBe(count);
  });

  it('keeps code made under other flags of V8 apart, which would be refused', () => {
    const run = (): number => fromCache(serveOnce({}, ['--no-flush-bytecode']));
    serveOnce();
    expect(run()).toBe(0);
    expect(readdirSync(join(home, '.cache', 'baton', 'code'))).toHaveLength(2);
    expect(run()).toBeGreaterThan(0);
    expect(fromCache(serveOnce())).toBeGreaterThan(0);
  });

  it('starts with code that V8 refuses', () => {
    serveOnce();
    const [plain] = readdirSync(join(home, '.cache', 'baton', 'code'));
    serveOnce({}, ['--no-flush-bytecode']);
    const flagged = readdirSync(join(home, '.cache', 'baton', 'code')).find((name) => name !== plain);
    const code = join(home, '.cache', 'baton', 'code');
    for (const name of readdirSync(join(code, plain!)))
      writeFileSync(join(code, plain!, name), readFileSync(join(code, flagged!, name)));
    expect(fromCache(serveOnce())).toBe(0);
  });

  it('uses nothing that others could have written', () => {
    serveOnce();
    chmodSync(cacheFolder(), 0o777);
    expect(fromCache(serveOnce())).toBe(0);
  });

  it.each<[string, Record<string, string | undefined>]>([
    ['when it is turned off', { BATON_NO_CODE_CACHE: '1' }],
    ['without a home', { HOME: undefined, BATON_STATE_DIR: '/nonexistent/state' }],
    ['when coverage is measured', { NODE_V8_COVERAGE: '' }],
  ])('keeps nothing %s', (_when, environment) => {
    if ('NODE_V8_COVERAGE' in environment) environment.NODE_V8_COVERAGE = join(home, 'coverage');
    serveOnce(environment);
    expect(existsSync(join(home, '.cache'))).toBe(false);
  });

  it('says which file is missing of an incomplete installation', () => {
    const copy = join(home, 'baton.js');
    writeFileSync(copy, readFileSync(join(dist, 'baton.js')));
    const run = spawnSync(process.execPath, [copy, '--version'], { env: { HOME: home }, encoding: 'utf8' });
    expect(run.status).toBe(1);
    expect(run.stderr).toMatch(/chunks\/small-\w+\.js/);
  });
});
