#!/usr/bin/env node
// Turns names in a folder back and forth between what lies inside it and what lies outside, as fast as it can, until
// its stdin ends. Arguments: the folder, the folder outside.
import { renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, outside] = process.argv.slice(2);
let running = true;
process.stdin.on('end', () => {
  running = false;
});
process.stdin.resume();

function swap(name, make) {
  const next = join(folder, `.next-${name}`);
  make(next);
  renameSync(next, join(folder, name));
}

function turn() {
  for (let round = 0; round < 50; round += 1) {
    swap('flip.txt', (next) => symlinkSync(join(outside, 'secret.txt'), next));
    swap('flip.txt', (next) => writeFileSync(next, 'INSIDE'));
    swap('way', (next) => symlinkSync(outside, next));
    swap('way', (next) => symlinkSync(join(folder, 'real'), next));
    // A real folder that becomes a link for a moment: a real path that was right when it was asked for.
    renameSync(join(folder, 'solid'), join(folder, '.solid'));
    symlinkSync(outside, join(folder, 'solid'));
    unlinkSync(join(folder, 'solid'));
    renameSync(join(folder, '.solid'), join(folder, 'solid'));
  }
  if (running) setImmediate(turn);
}
process.stdout.write('ready\n');
turn();
