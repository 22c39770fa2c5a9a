import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const BIN = fileURLToPath(new URL('../../dist/baton-agent.js', import.meta.url));
const isOldNode = !('enableCompileCache' in (await import('node:module')).default);

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'code-cache-'));
});

afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

/** A run that ends in an ordinary refusal: it loads the program, and nothing is asked. */
function run(environment: Record<string, string> = {}): Promise<string> {
  const env = { PATH: process.env.PATH ?? '', HOME: home, ...environment };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [BIN, '--model', 'openai/x', '-p', 'hi'],
      { cwd: home, env },
      (_e, _out, stderr) => resolve(stderr),
    );
  });
}

const REFUSAL = 'OPENAI_API_KEY';
const codeFolder = (): string => join(home, '.cache', 'baton', 'code');
const cacheFolder = (): string => join(codeFolder(), readdirSync(codeFolder())[0] ?? '');
const found = (): string[] => readdirSync(cacheFolder()).sort();

// Node 22 keeps compiled code by itself, in a form of its own.
describe.runIf(isOldNode)('compiled code', () => {
  it('is kept in a private folder by version, and used again', async () => {
    expect(await run()).toContain(REFUSAL);
    const files = found();
    expect(files.some((file) => file.startsWith('main-'))).toBe(true);
    expect(statSync(cacheFolder()).mode & 0o777).toBe(0o700);
    expect(cacheFolder()).toContain(`${process.version}-${process.arch}`);
    const times = files.map((file) => statSync(join(cacheFolder(), file)).mtimeMs);
    for (const file of files) expect(statSync(join(cacheFolder(), file)).mode & 0o777).toBe(0o600);

    expect(await run()).toContain(REFUSAL);
    expect(found()).toEqual(files);
    expect(files.map((file) => statSync(join(cacheFolder(), file)).mtimeMs)).toEqual(times);
  });

  it('that V8 refuses is made anew', async () => {
    await run();
    const [first = ''] = found();
    writeFileSync(join(cacheFolder(), first), 'no code cache');
    expect(await run()).toContain(REFUSAL);
    expect(statSync(join(cacheFolder(), first)).size).toBeGreaterThan(100);
  });

  it('is neither read nor written in a folder that others may write to', async () => {
    await run();
    const folder = cacheFolder();
    for (const file of readdirSync(folder)) rmSync(join(folder, file));
    chmodSync(folder, 0o777);
    expect(await run()).toContain(REFUSAL);
    expect(found()).toEqual([]);
  });

  it('is not kept when it is turned off, and its folder is not needed', async () => {
    expect(await run({ BATON_NO_CODE_CACHE: '1' })).toContain(REFUSAL);
    expect(() => statSync(codeFolder())).toThrow('ENOENT');
    mkdirSync(join(home, '.cache'));
    writeFileSync(join(home, '.cache', 'baton'), 'a file where the folder should be');
    expect(await run()).toContain(REFUSAL);
  });
});
