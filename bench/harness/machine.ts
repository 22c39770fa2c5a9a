import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';

/** What the figures depend on. */
export interface Machine {
  cpu: string;
  cores: number;
  memoryGb: number;
  system: string;
  node: string;
  v8: string;
  baton: string;
  commit: string;
  /** Load average of the last minute at the start: near 0 means a quiet machine. */
  load: number;
}

function commitOf(root: string): string {
  try {
    const text = execFileSync('git', ['describe', '--always', '--dirty'], { cwd: root, encoding: 'utf8' });
    return text.trim();
  } catch {
    return 'unknown';
  }
}

function versionOf(root: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown';
}

export function describeMachine(root: string): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    system: `${platform()} ${release()} ${arch()}`,
    node: process.version,
    v8: process.versions.v8,
    baton: versionOf(root),
    commit: commitOf(root),
    load: Math.round((loadavg()[0] ?? 0) * 100) / 100,
  };
}
