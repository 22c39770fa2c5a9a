// Builds dist/: the bins and their lazy parts.
//
// 1. esbuild bundles the entries as ESM with code splitting, so that each `await import()` in the source stays a file
//    of its own, read only when it is needed.
// 2. Each of those files is rewritten as CommonJS: Node starts a CommonJS entry faster, and V8's code cache can be
//    used on it (docs/decisions.md, "Build").
// 3. The supervisor is bundled on its own into one self-contained file: an upgrade of the package under a running
//    supervisor cannot pull code from under it.
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { bundlingPlugins } from './esbuild-plugins.mjs';
import { packChunks } from './pack-chunks.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, process.env.BATON_DIST ?? 'dist');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Bundled apart, for the two share little, and what is shared would be split into many small files to load. */
const programs = [
  { entries: { baton: 'src/cli/baton.ts', 'agy-mcp': 'src/cli/agy-mcp.ts' }, packs: [] },
  {
    entries: { 'baton-agent': 'src/agent/bin.ts' },
    packs: [{ program: 'src/agent/bin.ts', part: 'src/agent/print/main.ts', name: 'print' }],
  },
];

const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  minify: true,
  keepNames: true,
  legalComments: 'none',
  charset: 'utf8',
  logLevel: 'warning',
  external: ['fs-native-extensions'],
  define: { __BATON_VERSION__: JSON.stringify(version) },
  plugins: bundlingPlugins(root),
};

const usesMetaUrl = /import\.meta\.url/;
const metaUrlBanner = "const __metaUrl=require('node:url').pathToFileURL(__filename).href;";

async function toCommonJs(text) {
  const result = await esbuild.transform(text, {
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    minify: true,
    charset: 'utf8',
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': '__metaUrl' },
    banner: usesMetaUrl.test(text) ? metaUrlBanner : '',
  });
  return result.code;
}

/** Bundles entries that share their chunks, each file as CommonJS; returns esbuild's account of them. */
async function bundle({ entries, packs }) {
  const split = await esbuild.build({
    ...shared,
    entryPoints: entries,
    format: 'esm',
    splitting: true,
    outdir: dist,
    chunkNames: 'chunks/[name]-[hash]',
    metafile: true,
    write: false,
  });
  const isEntry = new Set(Object.keys(entries).map((name) => join(dist, `${name}.js`)));
  const codes = new Map();
  for (const file of split.outputFiles) {
    codes.set(relative(root, file.path), await toCommonJs(file.text.replace(/^#!.*\n/, '')));
  }
  for (const pack of packs) packChunks(split.metafile.outputs, codes, pack);
  for (const [name, code] of codes) {
    const path = join(root, name);
    writeFileSync(path, isEntry.has(path) ? `#!/usr/bin/env node\n${code}` : code);
    if (isEntry.has(path)) chmodSync(path, 0o755);
  }
  return split.metafile;
}

async function main() {
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(join(dist, 'chunks'), { recursive: true });
  const accounts = [];
  for (const program of programs) accounts.push(await bundle(program));
  await esbuild.build({
    ...shared,
    entryPoints: { supervisor: 'src/jobs/supervisor/bin.ts' },
    format: 'cjs',
    outdir: dist,
    define: { ...shared.define, 'import.meta.url': '__metaUrl' },
    banner: { js: metaUrlBanner },
  });
  writeFileSync(join(dist, 'package.json'), '{"type":"commonjs"}\n');
  if (process.env.BATON_METAFILE) {
    const outputs = Object.assign({}, ...accounts.map((account) => account.outputs));
    writeFileSync(process.env.BATON_METAFILE, JSON.stringify({ outputs }));
  }
}

await main();
