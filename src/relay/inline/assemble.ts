import { type Block, chooseMark, renderBlock, renderFooter } from './blocks.ts';
import type { Contribution } from './collect.ts';
import type { ReportLine } from './report.ts';

/** A reference's place in the prompt and what it brings. */
export interface Piece {
  /** Index of the `@`, and the index behind the reference. */
  start: number;
  end: number;
  contribution: Contribution;
}

/**
 * Writes the prompt for the agent. Sentences stay whole: a reference loses its `@`, and the contents follow the line
 * that it stands on.
 */
export function assemble(prompt: string, pieces: readonly Piece[], report: readonly ReportLine[]): string {
  const blocks = pieces.flatMap((piece) => piece.contribution.blocks);
  const mark = chooseMark([prompt, ...blocks.flatMap((block) => [block.label, block.text])]);
  const parts: string[] = [];
  let waiting: Block[] = [];
  let at = 0;

  function copyTo(end: number): void {
    while (waiting.length > 0) {
      const newline = prompt.indexOf('\n', at);
      if (newline === -1 || newline >= end) break;
      parts.push(prompt.slice(at, newline + 1));
      at = newline + 1;
      flush();
    }
    parts.push(prompt.slice(at, end));
    at = end;
  }

  function flush(): void {
    for (const block of waiting) parts.push(renderBlock(block, mark));
    waiting = [];
  }

  for (const piece of pieces) {
    copyTo(piece.start);
    parts.push(textOf(prompt, piece));
    at = piece.end;
    waiting.push(...piece.contribution.blocks);
  }
  copyTo(prompt.length);
  const footer = renderFooter(report, mark, blocks.length > 0);
  if (waiting.length > 0 || footer !== '')
    parts.push(prompt.endsWith('\n') && waiting.length === 0 ? '' : '\n');
  flush();
  parts.push(footer);
  return parts.join('');
}

function textOf(prompt: string, piece: Piece): string {
  const { shown, verbatim } = piece.contribution;
  if (shown !== undefined) return shown;
  const typed = prompt.slice(piece.start, piece.end);
  if (verbatim) return typed;
  // A lone dot would read as the end of the sentence.
  return typed === '@.' ? './' : typed.slice(1);
}
