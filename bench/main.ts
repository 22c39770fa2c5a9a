import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createBench } from './harness/bench.ts';
import { describeMachine } from './harness/machine.ts';
import { type Measured, type Report, toMarkdown } from './harness/report.ts';
import { MEASURES } from './measures/index.ts';

const USAGE = `npm run bench -- [flags]

  --quick          few rounds: shows that everything works, not how fast it is
  --only NAME,...  these measures alone
  --list           their names
  --peers          install the peers (codex, claude, gemini, opencode, qwen, pi; about 1.5 GB) for this run and measure them
  --peers-in DIR   the same, kept in this folder for the next run
  --out DIR        where results.md and results.json go (default bench/results)
`;

/** @returns the exit code: 0 measured (whether or not targets are met), 1 a measure failed, 2 usage */
export async function main(root: string, argv: readonly string[]): Promise<number> {
  let flags: ReturnType<typeof readFlags>;
  try {
    flags = readFlags(argv);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return 2;
  }
  if (flags.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (flags.list) {
    for (const { name, title } of MEASURES) process.stdout.write(`${name.padEnd(16)} ${title}\n`);
    return 0;
  }
  const wanted = flags.only?.split(',');
  const unknown = wanted?.filter((name) => !MEASURES.some((measure) => measure.name === name)) ?? [];
  if (unknown.length > 0) {
    process.stderr.write(
      `no measure ${unknown.join(', ')}; there are: ${MEASURES.map(({ name }) => name).join(', ')}\n`,
    );
    return 2;
  }
  const folder = mkdtempSync(join(tmpdir(), 'baton-bench-'));
  const peers = flags['peers-in']
    ? resolve(flags['peers-in'])
    : flags.peers
      ? join(folder, 'peers')
      : undefined;
  const bench = createBench({ root, folder, isQuick: flags.quick === true, peers });
  const machine = describeMachine(root);
  const measured: Measured[] = [];
  let failed = 0;
  try {
    for (const measure of MEASURES) {
      if (wanted && !wanted.includes(measure.name)) continue;
      bench.say(`${measure.name}: ${measure.title}`);
      const from = performance.now();
      try {
        const results = await measure.run(bench);
        measured.push({ measure, results, seconds: Math.round((performance.now() - from) / 1000) });
      } catch (error) {
        failed++;
        const reason = error instanceof Error ? error.message : String(error);
        bench.say(`${measure.name} failed: ${reason}`);
        measured.push({
          measure,
          results: [{ what: measure.title, skipped: `failed: ${reason.split('\n')[0]}` }],
          seconds: 0,
        });
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const report: Report = {
    date: new Date().toISOString().slice(0, 16).replace('T', ' '),
    command: ['npm run bench', ...(argv.length > 0 ? ['--', ...argv] : [])].join(' '),
    machine,
    measured,
  };
  const out = resolve(flags.out ?? join(root, 'bench', 'results'));
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, 'results.json'), `${JSON.stringify(report, undefined, 2)}\n`);
  writeFileSync(join(out, 'results.md'), toMarkdown(report));
  process.stdout.write(toMarkdown(report));
  return failed > 0 ? 1 : 0;
}

function readFlags(argv: readonly string[]) {
  return parseArgs({
    args: [...argv],
    options: {
      quick: { type: 'boolean' },
      only: { type: 'string' },
      list: { type: 'boolean' },
      peers: { type: 'boolean' },
      'peers-in': { type: 'string' },
      out: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  }).values;
}
