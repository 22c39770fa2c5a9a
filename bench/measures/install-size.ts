import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Measure } from '../harness/bench.ts';
import { PEERS } from '../harness/peers.ts';
import { atMost, type Result, row } from '../harness/rows.ts';

function bytesOf(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return 0;
  return stat.isDirectory()
    ? readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0)
    : stat.size;
}

/** Packages below a node_modules, nested ones included. */
function packagesIn(folder: string): number {
  if (!existsSync(folder)) return 0;
  let count = 0;
  for (const name of readdirSync(folder)) {
    if (name.startsWith('.')) continue;
    const path = join(folder, name);
    if (name.startsWith('@')) count += packagesIn(path);
    else if (existsSync(join(path, 'package.json'))) count += 1 + packagesIn(join(path, 'node_modules'));
  }
  return count;
}

/** What an installation takes, as npm makes it. */
export const installSize: Measure = {
  name: 'install-size',
  title: 'Installed size',
  async run(bench) {
    const folder = bench.newFolder('install');
    const npm = (args: string[], cwd: string): string =>
      execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    const [packed]: { filename: string }[] = JSON.parse(
      npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], bench.root),
    );
    const prefix = join(folder, 'prefix');
    mkdirSync(prefix);
    npm(['init', '-y'], prefix);
    npm(
      ['install', '--no-audit', '--no-fund', '--prefer-offline', join(folder, packed?.filename ?? '')],
      prefix,
    );
    const modules = join(prefix, 'node_modules');
    const results: Result[] = [
      row('Baton', 'MB', bytesOf(modules) / 1e6, { target: atMost(40) }),
      row('Baton: packages', 'count', packagesIn(modules)),
      row('Baton: download', 'MB', bytesOf(join(folder, packed?.filename ?? '')) / 1e6),
    ];
    for (const { name } of PEERS) {
      const peer = bench.peers && join(bench.peers, name, 'node_modules');
      if (!peer || !existsSync(peer)) results.push({ what: name, skipped: 'not installed: use --peers' });
      else {
        results.push(
          row(name, 'MB', bytesOf(peer) / 1e6),
          row(`${name}: packages`, 'count', packagesIn(peer)),
        );
      }
    }
    return results;
  },
};
