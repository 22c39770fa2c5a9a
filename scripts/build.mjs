// Builds dist/: the bins and their lazy parts.
//
// 1. esbuild bundles the entries as ESM with code splitting, so that each `await import()` in the source stays a file
//    of its own, read only when it is needed.
// 2. Each of those files is rewritten as a CommonJS function (scripts/to-common-js.mjs): Node starts CommonJS faster, and
//    V8's code cache can be used on it (docs/decisions.md, "Build").
// 3. The bins are small files that load them, with compiled code from the user's cache (src/platform/chunks).
// 4. The supervisor is bundled on its own into one self-contained file: an upgrade of the package under a running
//    supervisor cannot pull code from under it.
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { bundlingPlugins } from './esbuild-plugins.mjs';
import { packSmall } from './pack-small.mjs';
import { toCommonJs, toModuleFunction } from './to-common-js.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, process.env.BATON_DIST ?? 'dist');
const chunks = join(dist, 'chunks');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

// The agent is bundled apart from the server: code that both use, split off into files of its own, would be one more file
// to load for each small part.
const programs = [
  { baton: 'src/cli/baton.ts', 'agy-mcp': 'src/cli/agy-mcp.ts' },
  { 'relay-attempts': 'src/relay/attempts/bin.ts' },
  { 'baton-agent': 'src/agent/bin.ts' },
];

// For profiles: names of functions and files as in the source.
const minify = !process.env.BATON_READABLE;

const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  minify,
  keepNames: false,
  legalComments: 'none',
  logLevel: 'warning',
  external: ['fs-native-extensions'],
  // The global `performance` loads node:perf_hooks (1 ms) when it is first named.
  define: { __BATON_VERSION__: JSON.stringify(version), 'performance.now': '__batonElapsedMs' },
  inject: [join(root, 'scripts/elapsed-ms.js')],
  plugins: bundlingPlugins(root),
  write: false,
};

/** The bin: loads its part of the build. */
async function writeBin({ name, entry, pack, buildId }) {
  const built = await esbuild.build({
    ...shared,
    keepNames: false,
    entryPoints: { [name]: 'src/platform/chunks/start.ts' },
    format: 'cjs',
    outdir: dist,
    inject: [],
    define: {
      __BUILD_ID__: JSON.stringify(buildId),
      __ENTRY__: JSON.stringify(`./${entry}`),
      __PACK__: JSON.stringify(pack),
    },
  });
  const path = join(dist, `${name}.js`);
  writeFileSync(path, `#!/usr/bin/env node\n${built.outputFiles[0].text}`);
  chmodSync(path, 0o755);
}

/**
 * Bundles entries that share their chunks.
 * @returns the files by name, the name of the one with the small parts, and esbuild's account of them all
 */
async function bundle(entries) {
  const { outputFiles, metafile } = await esbuild.build({
    ...shared,
    entryPoints: entries,
    format: 'esm',
    splitting: true,
    outdir: chunks,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    metafile: true,
  });
  const parts = new Map();
  for (const { path, text } of outputFiles)
    parts.set(basename(path), toModuleFunction(await toCommonJs(text, minify)));
  return { entries, ...packSmall(parts), outputs: metafile.outputs };
}

async function main() {
  const bundles = await Promise.all(programs.map(bundle));
  const supervisor = await esbuild.build({
    ...shared,
    entryPoints: { supervisor: 'src/jobs/supervisor/bin.ts' },
    format: 'esm',
    outdir: dist,
  });
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(chunks, { recursive: true });
  const hash = createHash('sha256').update(version);
  for (const { files } of bundles) {
    for (const [name, code] of files) {
      hash.update(name).update(code);
      writeFileSync(join(chunks, name), code);
    }
  }
  const buildId = `${version}-${hash.digest('hex').slice(0, 12)}`;
  for (const { entries, pack, outputs } of bundles) {
    for (const [name, source] of Object.entries(entries)) {
      const [file] = Object.entries(outputs).find(([, output]) => output.entryPoint === source);
      await writeBin({ name, entry: basename(file), pack, buildId });
    }
  }
  writeFileSync(join(dist, 'supervisor.js'), await toCommonJs(supervisor.outputFiles[0].text, minify));
  writeFileSync(join(dist, 'package.json'), '{"type":"commonjs"}\n');
  if (process.env.BATON_METAFILE) {
    const outputs = Object.assign({}, ...bundles.map((built) => built.outputs));
    writeFileSync(process.env.BATON_METAFILE, JSON.stringify({ outputs }));
  }
}

await main();
