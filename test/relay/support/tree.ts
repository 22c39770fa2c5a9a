import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface Tree {
  /** Real path of the folder. */
  path: string;
  write(files: Record<string, string | Uint8Array>): void;
  /** Makes links: name → where it points, as given. */
  link(links: Record<string, string>): void;
  [Symbol.dispose](): void;
}

/** A temporary folder that is gone at the end of the block. */
export function makeTree(files: Record<string, string | Uint8Array> = {}): Tree {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'baton-tree-')));
  const tree: Tree = {
    path,
    write(more) {
      for (const [name, content] of Object.entries(more)) {
        mkdirSync(dirname(join(path, name)), { recursive: true });
        writeFileSync(join(path, name), content);
      }
    },
    link(links) {
      for (const [name, target] of Object.entries(links)) {
        mkdirSync(dirname(join(path, name)), { recursive: true });
        symlinkSync(target, join(path, name));
      }
    },
    [Symbol.dispose]() {
      rmSync(path, { recursive: true, force: true });
    },
  };
  tree.write(files);
  return tree;
}

/** The first bytes of a PNG, enough to be taken for one. */
export const PNG_HEAD = Uint8Array.from([
  0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 73, 72, 68, 82,
]);
