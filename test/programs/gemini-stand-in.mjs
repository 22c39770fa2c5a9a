#!/usr/bin/env node
/**
 * A stand-in for the legacy Gemini CLI: `-m <model>`, `-s`, the prompt with `-p` or on stdin, plain text on stdout.
 * Answers `<model> said: <prompt>`. STANDIN_GEMINI=pro-quota refuses every model but flash for quota, all-quota refuses
 * all; STANDIN_LOG gets one JSON line for each start.
 */
import { appendFileSync, readFileSync } from 'node:fs';

const args = process.argv.slice(2);
const valueOf = (flag) => (args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined);
if (process.env.STANDIN_LOG) {
  appendFileSync(process.env.STANDIN_LOG, `${JSON.stringify({ argv: args, cwd: process.cwd() })}\n`);
}
if (args.includes('--version')) {
  process.stdout.write('0.9.0\n');
} else if (args.includes('--help')) {
  process.stdout.write('Usage: gemini [options]\n  -m, --model\n  -s, --sandbox\n  -p, --prompt\n');
} else {
  const model = valueOf('-m') ?? 'gemini-2.5-pro';
  const how = process.env.STANDIN_GEMINI ?? '';
  if (how === 'all-quota' || (how === 'pro-quota' && model !== 'gemini-2.5-flash')) {
    process.stderr.write("Quota exceeded for quota metric 'Gemini 2.5 Pro Requests' and limit\n");
    process.exitCode = 1;
  } else {
    process.stdout.write(`${model} said: ${valueOf('-p') ?? readFileSync(0, 'utf8')}\n`);
  }
}
