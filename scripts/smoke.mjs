// Packs the package, installs the tarball into an empty prefix as a stranger would, and starts each bin from another
// folder with a poor environment. Prints one line per check; exit 1 when one failed.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'baton-smoke-'));
const elsewhere = join(folder, 'elsewhere');
const prefix = join(folder, 'prefix');
const environment = {
  PATH: process.env.PATH,
  HOME: join(folder, 'home'),
  BATON_STATE_DIR: join(folder, 'state'),
};
let failed = 0;
let passed = 0;

function check(name, ok, detail = '') {
  if (ok) passed++;
  else failed++;
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${name}${ok || !detail ? '' : `\n${detail}`}`);
}

const npm = (args, cwd) =>
  execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

function start(bin, args, input = '') {
  const path = join(prefix, 'node_modules', '.bin', bin);
  return spawnSync(path, args, {
    cwd: elsewhere,
    env: environment,
    input,
    encoding: 'utf8',
    timeout: 30_000,
  });
}

function size(path) {
  const stat = statSync(path);
  return stat.isDirectory()
    ? readdirSync(path).reduce((sum, name) => sum + size(join(path, name)), 0)
    : stat.size;
}

try {
  for (const path of [elsewhere, prefix, environment.HOME]) mkdirSync(path);
  const [packed] = JSON.parse(
    npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root),
  );
  const names = packed.files.map((file) => file.path);
  const strangers = names.filter(
    (name) => !/^(dist|sample)\/|^(README|CHANGELOG)\.md$|^LICENSE$|^package\.json$/.test(name),
  );
  check(
    `the tarball holds ${names.length} files, all of them meant`,
    strangers.length === 0,
    strangers.join('\n'),
  );
  npm(['init', '-y'], prefix);
  npm(['install', '--ignore-scripts', '--no-audit', '--no-fund', join(folder, packed.filename)], prefix);
  const installed = size(join(prefix, 'node_modules'));
  const packages = readdirSync(join(prefix, 'node_modules')).filter((name) => !name.startsWith('.')).length;
  check(
    `installed: ${(installed / 2 ** 20).toFixed(1)} MB in ${packages} packages (limit 40 MB)`,
    installed < 40 * 2 ** 20,
  );
  for (const bin of ['baton', 'baton-agent', 'agy-mcp']) {
    const version = start(bin, ['--version']);
    check(
      `${bin} --version`,
      version.status === 0 && version.stdout.trim().endsWith(packed.version),
      version.stdout + version.stderr,
    );
    const help = start(bin, ['--help']);
    check(`${bin} --help`, help.status === 0 && help.stdout.length > 200, help.stdout + help.stderr);
  }
  const initialize = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'smoke', version: '1' } } })}\n`;
  for (const { bin, args } of [
    { bin: 'baton', args: ['serve'] },
    { bin: 'agy-mcp', args: [] },
  ]) {
    const served = start(bin, args, initialize);
    const answered = served.status === 0 && served.stdout.includes('"serverInfo"');
    check(`${bin} answers initialize and ends with its input`, answered, served.stdout + served.stderr);
  }
  const demo = start('baton', ['demo']);
  check('baton demo', demo.status === 0 && /scripted model/.test(demo.stdout), demo.stdout + demo.stderr);
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
console.log(`smoke: ${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
