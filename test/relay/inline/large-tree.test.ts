import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { inlineReferences } from '../../../src/relay/inline/inline.ts';
import { makeTree, type Tree } from '../support/tree.ts';

/** 20,000 small files: 100 folders of 150, and one of 5,000. */
function grow(tree: Tree): void {
  for (let folder = 0; folder < 101; folder += 1) {
    const path = join(tree.path, `folder-${String(folder).padStart(3, '0')}`);
    mkdirSync(path);
    const files = folder === 100 ? 5000 : 150;
    for (let file = 0; file < files; file += 1)
      writeFileSync(join(path, `file-${file}.ts`), `export const n = ${file};\n`);
  }
}

/** Runs something while a timer counts how often the event loop came round, and how long it was held at most. */
async function watched<T>(run: () => Promise<T>): Promise<{ value: T; turns: number; longestMs: number }> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  delay.enable();
  try {
    const value = await run();
    return { value, turns, longestMs: delay.max / 1e6 };
  } finally {
    delay.disable();
    clearInterval(timer);
  }
}

test('TRAP 2.4: 20,000 files are walked lazily, to the budget, and the event loop stays free', async () => {
  using tree = makeTree();
  grow(tree);
  const base = { root: tree.path, rootKind: 'declared', home: '/nowhere' } as const;

  const budget = await watched(() => inlineReferences({ ...base, prompt: 'Review @.' }));
  expect(budget.value.files).toHaveLength(1000);
  expect(budget.value.notices.join()).toContain('./ was not gone through to its end');
  // The walk went in the order of names and stopped at the limit: nothing behind it was looked at.
  expect(budget.value.files.at(-1)?.path).toMatch(/^folder-006\//);

  const glob = await watched(() => inlineReferences({ ...base, prompt: 'Find @**/nothing-*.zzz' }));
  expect(glob.value.files).toEqual([]);
  const all = await watched(() => inlineReferences({ ...base, prompt: '@**/file-4999.ts' }));
  expect(all.value.files.map((file) => file.path)).toEqual(['folder-100/file-4999.ts']);

  const signs = await watched(() => inlineReferences({ ...base, prompt: `${'a@'.repeat(2_000_000)} @x` }));
  expect(signs.value.files).toEqual([]);

  for (const run of [budget, glob, all, signs]) {
    expect(run.turns).toBeGreaterThan(10);
    // The promise is 50 ms; a busy machine gets some more.
    expect(run.longestMs).toBeLessThan(250);
  }
});
