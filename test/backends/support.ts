import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** The stand-in agy; its directives and variables are described at its top. */
export const STAND_IN = fileURLToPath(new URL('../programs/agy-stand-in.mjs', import.meta.url));

/** A folder of the running test, gone when it ends. */
export function testFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-backends-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes a shell script that can be executed; replaces one that is there. */
export function shellScript(path: string, body: string): string {
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { force: true });
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** An environment with system programs and a home of its own, in which nothing else is set. */
export function bareEnvironment(home: string, more: Record<string, string> = {}): Record<string, string> {
  return { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: home, ...more };
}
