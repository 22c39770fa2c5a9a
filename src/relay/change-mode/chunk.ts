import type { Edit } from './edit.ts';

/** Most characters of one chunk, so that a client does not cut the reply by itself. */
const chunkCharacters = 20_000;
/** What the text around an edit takes. */
const frameCharacters = 250;

export function editSize(edit: Edit): number {
  return frameCharacters + 2 * edit.path.length + edit.old.length + edit.new.length;
}

/**
 * Cuts a set of edits into chunks. An edit is never cut: one that is too large is a chunk by itself. The edits of a file
 * stay in their order, and together where they fit; files come in the order in which they are first mentioned.
 */
export function chunkEdits(edits: readonly Edit[], limit = chunkCharacters): Edit[][] {
  const chunks: Edit[][] = [];
  let current: Edit[] = [];
  let size = 0;

  function close(): void {
    if (current.length > 0) chunks.push(current);
    current = [];
    size = 0;
  }

  for (const group of byFile(edits)) {
    const groupSize = group.reduce((sum, edit) => sum + editSize(edit), 0);
    if (size + groupSize > limit) close();
    for (const edit of group) {
      if (size + editSize(edit) > limit) close();
      current.push(edit);
      size += editSize(edit);
    }
  }
  close();
  return chunks;
}

function byFile(edits: readonly Edit[]): Edit[][] {
  const groups = new Map<string, Edit[]>();
  for (const edit of edits) {
    const group = groups.get(edit.path);
    if (group) group.push(edit);
    else groups.set(edit.path, [edit]);
  }
  return [...groups.values()];
}
