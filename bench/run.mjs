// Measures speed and size: npm run bench -- [--quick] [--only NAME,NAME] [--peers[=FOLDER]] [--list] [--out FOLDER]
//
// The measures are TypeScript and use parts of src/ and of the tests' stand-ins; Node 20 runs no TypeScript, so they are
// bundled first. Packages stay outside the bundle: peers are measured as they are installed.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
if (!existsSync(join(root, 'dist', 'baton.js'))) {
  console.error('There is no dist/ to measure: run npm run build first.');
  process.exit(1);
}
// It alone adds 85 ms to every start of Node where it is set.
delete process.env.NODE_EXTRA_CA_CERTS;
const outfile = join(root, 'bench', '.built', 'main.mjs');
await esbuild.build({
  entryPoints: [join(root, 'bench', 'main.ts')],
  outfile,
  bundle: true,
  packages: 'external',
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  logLevel: 'warning',
  define: { __BATON_VERSION__: JSON.stringify('0.0.0-bench') },
});
const { main } = await import(pathToFileURL(outfile).href);
process.exitCode = await main(root, process.argv.slice(2));
