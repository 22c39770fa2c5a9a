// What one reply costs: `baton-agent -p hi` over each wire against `node -e 0`, wall time and peak memory.
//
//   node scripts/build.mjs && node bench/agent-start.mjs [rounds]
//
// The variants take turns in every round, so that a busy machine hits all of them; the median and the minimum are
// printed. The model is a stand-in server in this process, on loopback. Memory is measured in rounds of its own.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const rounds = Number(process.argv[2] ?? 15);
const folder = mkdtempSync(join(tmpdir(), 'agent-start-'));
const MODELS = {
  chat: 'openai/mock-1',
  responses: 'openai/gpt-6-mock',
  google: 'google/gemini-3-mock',
  anthropic: 'anthropic/claude-opus-4-6-mock',
};

async function loadServer() {
  const outfile = join(folder, 'server.mjs');
  await esbuild.build({
    entryPoints: [join(root, 'test/support/models/server.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
  });
  return import(pathToFileURL(outfile).href);
}

function run(args, environment) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(process.execPath, args, {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, BATON_STATE_DIR: join(folder, 'state'), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let errors = '';
    child.stdout.resume();
    child.stderr.on('data', (data) => {
      errors += data;
    });
    child.on('close', (code) => {
      if (code !== 0) reject(new Error(`${args.join(' ')}: exit ${code}\n${errors}`));
      else resolve(performance.now() - started);
    });
  });
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

const { startModelServer } = await loadServer();
const server = await startModelServer(() => ({ text: ['hello'] }));
const hook = join(folder, 'peak.cjs');
const peakFile = join(folder, 'peak');
writeFileSync(
  hook,
  `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(peakFile)}, String(process.resourceUsage().maxRSS / 1024)));`,
);
const bin = join(root, 'dist', 'baton-agent.js');
const variants = {
  'node -e 0': { args: ['-e', '0'], environment: {} },
  'baton-agent --version': { args: [bin, '--version'], environment: {} },
  ...Object.fromEntries(
    Object.entries(MODELS).map(([wire, model]) => [
      `baton-agent -p hi, ${wire}`,
      { args: [bin, '--model', model, '-p', 'hi'], environment: server.environment(wire) },
    ]),
  ),
};

try {
  const wall = Object.fromEntries(Object.keys(variants).map((name) => [name, []]));
  const peak = Object.fromEntries(Object.keys(variants).map((name) => [name, []]));
  for (let round = -1; round < rounds; round++) {
    for (const [name, { args, environment }] of Object.entries(variants)) {
      const ms = await run(args, environment);
      if (round >= 0) wall[name].push(ms);
    }
  }
  for (let round = 0; round < 3; round++) {
    for (const [name, { args, environment }] of Object.entries(variants)) {
      await run(['-r', hook, ...args], environment);
      peak[name].push(Number(readFileSync(peakFile, 'utf8')));
    }
  }
  const base = median(wall['node -e 0']);
  const basePeak = median(peak['node -e 0']);
  console.log(`Node ${process.version}, ${rounds} rounds`);
  for (const name of Object.keys(variants)) {
    const ms = median(wall[name]);
    const mb = median(peak[name]);
    console.log(
      `${name.padEnd(32)} ${ms.toFixed(0).padStart(5)} ms (min ${Math.min(...wall[name]).toFixed(0)}) ${(ms / base).toFixed(2)}x` +
        `   ${mb.toFixed(1)} MB ${(mb / basePeak).toFixed(2)}x`,
    );
  }
} finally {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}
