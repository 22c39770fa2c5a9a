import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inlineReferences } from '../../src/relay/inline/inline.ts';
import { DEFAULT_LIMITS } from '../../src/relay/inline/limits.ts';
import type { Measure } from '../harness/bench.ts';
import { atMost, atMostTimes, row } from '../harness/rows.ts';
import { interleave } from '../harness/samples.ts';

const FOLDERS = 200;
const FILE_BYTES = 10_000;

function makeTree(root: string, files: number): void {
  const line = 'export const value = 1; // a line of a source file, as there are many\n';
  const text = line.repeat(Math.ceil(FILE_BYTES / line.length)).slice(0, FILE_BYTES);
  for (let folder = 0; folder < FOLDERS; folder++) {
    const path = join(root, `src/part-${folder % 20}/module-${folder}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < files / FOLDERS; file++)
      writeFileSync(join(path, `file-${file}.ts`), `// ${folder} ${file}\n${text}`);
  }
  const git = (...args: string[]): void => {
    execFileSync('git', ['-c', 'core.fsync=none', ...args], { cwd: root, stdio: 'ignore' });
  };
  git('init', '-q');
  git('add', '.');
}

/** What the work cannot do without: the names, and the bytes that fit the budget. */
async function plain(root: string): Promise<number> {
  const from = performance.now();
  const { stdout } = await promisify(execFile)('git', ['ls-files', '-z'], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  let left = DEFAULT_LIMITS.promptBytes;
  let count = 0;
  for (const name of stdout.split('\0')) {
    if (name === '' || left <= 0 || count === DEFAULT_LIMITS.files) break;
    left -= readFileSync(join(root, name)).length;
    count++;
  }
  return performance.now() - from;
}

/** `@.` in a large repository. */
export const inlining: Measure = {
  name: 'inlining',
  title: '`@.` over a repository of 20,000 files, 200 MB',
  async run(bench) {
    const files = bench.isQuick ? 2000 : 20_000;
    const root = bench.newFolder('tree');
    bench.say(`  making ${files} files`);
    makeTree(root, files);
    const blocked: number[] = [];
    const inline = async (): Promise<number> => {
      let last = performance.now();
      let longest = 0;
      const timer = setInterval(() => {
        longest = Math.max(longest, performance.now() - last - 1);
        last = performance.now();
      }, 1);
      const from = performance.now();
      const { input, refused } = await inlineReferences({
        prompt: 'What is in @. ?',
        root,
        rootKind: 'declared',
      });
      const ms = performance.now() - from;
      longest = Math.max(longest, performance.now() - last - 1);
      clearInterval(timer);
      if (refused !== undefined || input.length < 100_000) throw new Error(`nothing was inlined: ${refused}`);
      blocked.push(longest);
      return ms;
    };
    const values = await interleave(bench.rounds(9), { inline, plain: () => plain(root) });
    return [
      row(`\`@.\`, ${files} files`, 'ms', values('inline'), {
        against: { what: '`git ls-files` and reading what fits the budget', values: values('plain') },
        target: atMostTimes(1.5),
      }),
      row('the same: longest time the event loop was held', 'ms', blocked.slice(1), { target: atMost(50) }),
    ];
  },
};
