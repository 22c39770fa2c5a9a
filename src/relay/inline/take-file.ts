import { relativeName } from '../jail/inside.ts';
import { type OpenFile, openInside } from '../jail/open-file.ts';
import type { Block } from './blocks.ts';
import type { InlinedFile } from './inlined-file.ts';
import { type Content, readContent } from './read-content.ts';
import type { LineRange } from './references.ts';
import { isPrivateKey, isSystemFile, looksSecret } from './secrets.ts';
import { isRepositoryData } from './skipped.ts';
import type { WalkContext } from './walk.ts';

/** What is left of the budgets of one prompt, and what it holds so far. */
export interface Intake {
  filesLeft: number;
  bytesLeft: number;
  /** By real path, for whole files; by real path and lines for parts of one. */
  taken: Map<string, InlinedFile>;
}

export interface Wanted {
  label: string;
  realPath: string;
  range?: LineRange;
  /** The caller named it, so it is sent even when its name looks like a secret. */
  named: boolean;
}

export type Taken =
  | { kind: 'block'; block: Block }
  | { kind: 'image'; realPath: string }
  /** It is in the prompt already. */
  | { kind: 'known' }
  /** Reported; `full` = nothing more will fit, `misfit` = this one was too big. */
  | { kind: 'left-out' | 'full' | 'misfit' };

/** A named file turned out to lead outside when it was opened: the whole call is refused. */
export class OutsideError extends Error {
  override name = 'OutsideError';
}

const leftOut: Taken = { kind: 'left-out' };

/**
 * Opens a file, decides by what was opened, and reads as much of it as the budgets allow.
 * @throws {OutsideError} when a file that the caller named leads outside.
 */
export async function takeFile(context: WalkContext, intake: Intake, wanted: Wanted): Promise<Taken> {
  const { report } = context;
  if (isTaken(intake, wanted.realPath, wanted.range)) return { kind: 'known' };
  if (intake.filesLeft <= 0) {
    report.add('omittedFiles', wanted.label);
    return { kind: 'full' };
  }
  const opened = await openInside(context.root, wanted.realPath);
  if ('file' in opened) {
    try {
      return await readInto(context, intake, wanted, opened.file);
    } catch {
      report.add('unreadable', wanted.label);
      return leftOut;
    } finally {
      await opened.file.handle.close();
    }
  }
  if (opened.problem === 'outside' && wanted.named)
    throw new OutsideError(
      `Refusing @file reference resolving outside the project directory: "@${wanted.label}". Only files within ${context.root.realPath} may be referenced.`,
    );
  // It was there a moment ago.
  report.add(opened.problem === 'missing' ? 'unreadable' : opened.problem, wanted.label);
  return leftOut;
}

async function readInto(
  context: WalkContext,
  intake: Intake,
  wanted: Wanted,
  file: OpenFile,
): Promise<Taken> {
  const { report, limits, root } = context;
  const { label, range } = wanted;
  if (isTaken(intake, file.realPath, range)) return { kind: 'known' };
  if (isSystemFile(file.realPath)) {
    report.add('system', label);
    return leftOut;
  }
  const real = relativeName(root.realPath, file.realPath);
  // `.git/config` may hold tokens in the addresses of remotes.
  const secret = looksSecret(label) || looksSecret(real) || isRepositoryData(real);
  if (secret && (!wanted.named || root.wide)) return withheld(context, wanted);
  if (!range && Math.min(file.stat.size, limits.fileBytes) > intake.bytesLeft)
    return misfit(context, intake, label);
  const content = await readContent(file, limits.fileBytes, range, limits.scanBytes);
  if (content.kind === 'image') {
    report.add('image', file.realPath);
    return { kind: 'image', realPath: file.realPath };
  }
  if (content.kind !== 'text') {
    report.add(content.kind === 'binary' ? 'binary' : 'noLines', range ? rangeLabel(label, range) : label);
    return leftOut;
  }
  if (isPrivateKey(content.text) && (!wanted.named || root.wide)) return withheld(context, wanted);
  if (content.bytes > intake.bytesLeft) return misfit(context, intake, label);
  if (secret) report.add('namedSecret', label);
  if (content.damaged) report.add('encoding', label);
  if (content.truncated) report.add('truncated', label);
  keep(intake, wanted, file, content);
  return { kind: 'block', block: blockOf(wanted, content) };
}

function isTaken(intake: Intake, realPath: string, range: LineRange | undefined): boolean {
  return intake.taken.has(realPath) || (range !== undefined && intake.taken.has(keyOf(realPath, range)));
}

function keyOf(realPath: string, range: LineRange | undefined): string {
  return range ? `${realPath}\0${range.from}-${range.to}` : realPath;
}

function rangeLabel(label: string, range: LineRange): string {
  return `${label}:${range.from}-${range.to}`;
}

function withheld(context: WalkContext, wanted: Wanted): Taken {
  context.report.add(wanted.named ? 'refusedSecret' : 'secret', wanted.label);
  return leftOut;
}

function misfit(context: WalkContext, intake: Intake, label: string): Taken {
  context.report.add('omittedBytes', label);
  return { kind: intake.bytesLeft <= 0 ? 'full' : 'misfit' };
}

function keep(intake: Intake, wanted: Wanted, file: OpenFile, content: Content & { kind: 'text' }): void {
  intake.filesLeft -= 1;
  intake.bytesLeft -= content.bytes;
  intake.taken.set(keyOf(file.realPath, wanted.range), {
    path: wanted.label,
    realPath: file.realPath,
    ...content.fingerprint,
    ranges: wanted.range ? [wanted.range] : [],
  });
}

function blockOf(wanted: Wanted, content: Content & { kind: 'text' }): Block {
  const { label, range } = wanted;
  const block: Block = { label, text: content.text };
  if (range) {
    const count = content.text.split('\n').length;
    block.lines = { from: range.from, to: Math.min(range.to, range.from + count - 1) };
  }
  if (content.truncated) block.cut = { shown: content.bytes, size: content.fingerprint.size };
  return block;
}
