// Holds the direction of imports between the folders of src/ (docs/architecture.md): a folder may import from itself
// and from the ones named in its row, nothing else. Type imports count. Prints each wrong arrow; exit 1 when there is one.

import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';
import { globSync } from './glob.mjs';

const allowed = {
  platform: [],
  contract: ['platform'],
  backends: ['contract', 'platform'],
  jobs: ['backends', 'contract', 'platform'],
  relay: ['jobs', 'backends', 'contract', 'platform'],
  server: ['relay', 'jobs', 'backends', 'contract', 'platform'],
  web: ['relay', 'jobs', 'backends', 'contract', 'platform'],
  cli: ['server', 'web', 'relay', 'jobs', 'backends', 'contract', 'platform'],
  agent: ['contract', 'platform'],
};

const src = fileURLToPath(new URL('../src', import.meta.url));
const wrong = [];
const seen = new Set();

function importsOf(file, text) {
  const { module } = parseSync(file, text);
  const names = module.staticImports.map((i) => i.moduleRequest.value);
  for (const e of module.staticExports)
    for (const x of e.entries) if (x.moduleRequest) names.push(x.moduleRequest.value);
  for (const d of module.dynamicImports) {
    const argument = text.slice(d.moduleRequest.start, d.moduleRequest.end);
    names.push(argument.replace(/^['"`]|['"`]$/g, ''));
  }
  return names;
}

for (const file of globSync(src, /\.ts$/)) {
  const from = relative(src, file).split(/[\\/]/)[0];
  if (!(from in allowed)) {
    wrong.push(`${relative(src, file)}: folder src/${from} is not in the table of scripts/check-arrows.mjs`);
    continue;
  }
  for (const name of importsOf(file, readFileSync(file, 'utf8'))) {
    if (!name.startsWith('.')) continue;
    const target = relative(src, resolve(dirname(file), name));
    const to = target.split(/[\\/]/)[0];
    if (target.startsWith('..')) {
      if (!target.endsWith('package.json'))
        wrong.push(`${relative(src, file)} imports ${name}, outside src/`);
      continue;
    }
    seen.add(`${from} -> ${to}`);
    if (to !== from && !allowed[from].includes(to))
      wrong.push(`${relative(src, file)} (${from}) imports ${name} (${to})`);
  }
}
for (const line of wrong) console.error(`wrong arrow: ${line}`);
console.log(`${seen.size} arrows between folders, ${wrong.length} wrong`);
process.exitCode = wrong.length ? 1 : 0;
