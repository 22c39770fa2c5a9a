import { errorMessage } from '../../platform/errors.ts';
import { openRoot, type Root, type RootKind } from '../jail/root.ts';
import { createPace } from '../pace.ts';
import { assemble } from './assemble.ts';
import { type Collected, collect, type Named } from './collect.ts';
import type { InlinedFile } from './inlined-file.ts';
import { DEFAULT_LIMITS, type InlineLimits } from './limits.ts';
import { findReferences } from './references.ts';
import { createReport, type Report } from './report.ts';
import { resolveReference, resolveWithoutRoot } from './resolve.ts';
import { OutsideError } from './take-file.ts';

export interface InlineRequest {
  prompt: string;
  /** Absolute path of the project folder; not used when `rootKind` is `none`. */
  root: string;
  rootKind: RootKind;
  limits?: Partial<InlineLimits>;
  signal?: AbortSignal;
  /** The user's home folder, when it is not the process's. */
  home?: string;
}

export interface Inlined {
  /** The prompt for the agent: file contents behind the lines that name them. The prompt itself when there are none. */
  input: string;
  /** What the caller should know: everything left out, cut or withheld. */
  notices: string[];
  /** What was sent, to check edits against later. */
  files: InlinedFile[];
  /** Set = the call must not be made, and nothing of any file is in `input`. The text is for the caller. */
  refused?: string;
}

interface Placed {
  start: number;
  end: number;
  named: Named;
}

/**
 * Puts the contents of the files that a prompt references with `@` into it. A reference that leads outside the root
 * refuses the whole call; prose with an `@` in it is left alone. Files are judged by what was opened, not by their
 * names. Folders and globs are walked lazily, in the order of names, until a limit is reached.
 * @throws {Error} the signal's reason when it is aborted.
 */
export async function inlineReferences(request: InlineRequest): Promise<Inlined> {
  const limits = { ...DEFAULT_LIMITS, ...request.limits };
  const report = createReport(limits);
  const untouched: Inlined = { input: request.prompt, notices: [], files: [] };
  const looked = await lookUp(request, limits, report);
  if ('refused' in looked) return { ...untouched, refused: looked.refused };
  const { root, placed } = looked;
  if (!root || placed.length === 0) return { ...untouched, notices: noticesOf(report, undefined) };
  const context = { root, limits, report, pace: createPace(request.signal), entries: { count: 0 } };
  let collected: Collected;
  try {
    collected = await collect(
      context,
      placed.map((item) => item.named),
    );
  } catch (error) {
    if (error instanceof OutsideError) return { ...untouched, refused: error.message };
    throw error;
  }
  const pieces = placed.map(({ start, end }, index) => ({
    start,
    end,
    contribution: collected.contributions[index] ?? { blocks: [] },
  }));
  const input = assemble(request.prompt, pieces, report.lines());
  return { input, notices: noticesOf(report, root), files: collected.files };
}

/**
 * Only looks whether the references of a prompt are allowed, for a CLI that inlines them itself.
 * @returns the text of the refusal, or undefined.
 */
export async function checkReferences(request: InlineRequest): Promise<string | undefined> {
  const limits = { ...DEFAULT_LIMITS, ...request.limits };
  const looked = await lookUp(request, limits, createReport(limits));
  return 'refused' in looked ? looked.refused : undefined;
}

async function lookUp(
  request: InlineRequest,
  limits: InlineLimits,
  report: Report,
): Promise<{ root?: Root; placed: Placed[] } | { refused: string }> {
  const placed: Placed[] = [];
  const pace = createPace(request.signal);
  let root: Root | undefined;
  let examined = 0;
  let behind = 0;
  for (const reference of findReferences(request.prompt)) {
    await pace();
    // A pause only, or an `@` within the name that was just found.
    if (!reference || reference.start < behind) continue;
    if (examined >= limits.references) {
      report.add('unexamined', reference.likely.pattern);
      break;
    }
    examined += 1;
    if (request.rootKind !== 'none' && !root) {
      try {
        root = await openRoot(request.root, request.home);
      } catch (error) {
        return { refused: errorMessage(error) };
      }
    }
    const resolved = root
      ? await resolveReference(root, reference, report)
      : resolveWithoutRoot(reference, report);
    if (resolved.kind === 'refused') return { refused: resolved.message };
    if (resolved.kind === 'prose') continue;
    placed.push({ start: reference.start, end: resolved.end, named: resolved });
    behind = resolved.end;
  }
  return { placed, ...(root && { root }) };
}

function noticesOf(report: Report, root: Root | undefined): string[] {
  const notices = report.lines().map((line) => `Inlining: ${line.text}.`);
  if (root?.wide)
    notices.unshift(
      `The project folder is ${root.realPath}: in so wide a folder only files that are named are sent. Set BATON_ROOT to the project to send folders and globs.`,
    );
  return notices;
}
