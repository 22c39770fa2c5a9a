import { printable } from '../printable.ts';
import type { Block } from './blocks.ts';
import { createIgnoreRules, type IgnoreRules } from './ignore-rules.ts';
import type { InlinedFile } from './inlined-file.ts';
import type { Resolved } from './resolve.ts';
import { isRepositoryData } from './skipped.ts';
import { type Intake, takeFile } from './take-file.ts';
import { type WalkContext, walk } from './walk.ts';

/** A reference that names something. */
export type Named = Exclude<Resolved, { kind: 'prose' | 'refused' }>;
type NamedFile = Extract<Named, { kind: 'file' }>;
type Expansion = Exclude<Named, { kind: 'file' }>;

/** What one reference brings into the prompt. */
export interface Contribution {
  blocks: Block[];
  /** Stands in the sentence instead of what was typed. */
  shown?: string;
  /** The reference stays as it was typed, `@` included. */
  verbatim?: boolean;
}

export interface Collected {
  /** One for each reference, in their order. */
  contributions: Contribution[];
  files: InlinedFile[];
}

/** An expansion gives up after so many files that do not fit into what is left of the prompt. */
const mostMisfits = 100;

/**
 * Reads what the references name: first the files that were named, so that no expansion takes their place, then the
 * expansions, each in the order of the prompt. A file is read once; lines of it are not added to the whole.
 */
export async function collect(context: WalkContext, named: readonly Named[]): Promise<Collected> {
  const intake: Intake = {
    filesLeft: context.limits.files,
    bytesLeft: context.limits.promptBytes,
    taken: new Map(),
  };
  const contributions: Contribution[] = named.map(() => ({ blocks: [] }));
  const order = [
    ...indexesOf(named, (item) => item.kind === 'file' && !item.range),
    ...indexesOf(named, (item) => item.kind === 'file' && item.range !== undefined),
    ...indexesOf(named, (item) => item.kind !== 'file'),
  ];
  const rules = createIgnoreRules(context.root);
  for (const index of order) {
    const item = named[index];
    if (!item) continue;
    contributions[index] =
      item.kind === 'file'
        ? await takeNamed(context, intake, item)
        : await expand(context, intake, rules, item);
    await context.pace();
  }
  return { contributions, files: filesOf(intake) };
}

function indexesOf(named: readonly Named[], wanted: (item: Named) => boolean): number[] {
  return named.flatMap((item, index) => (wanted(item) ? [index] : []));
}

async function takeNamed(context: WalkContext, intake: Intake, item: NamedFile): Promise<Contribution> {
  const taken = await takeFile(context, intake, { ...item, named: true });
  if (taken.kind === 'block') return { blocks: [taken.block] };
  if (taken.kind !== 'image') return { blocks: [] };
  const path = printable(taken.realPath);
  return { blocks: [], shown: /\s/.test(path) ? `"${path}"` : path };
}

async function expand(
  context: WalkContext,
  intake: Intake,
  shared: IgnoreRules,
  item: Expansion,
): Promise<Contribution> {
  const { report, root } = context;
  const refusal = root.wide ? 'wideFolder' : isRepositoryData(item.base) ? 'repository' : undefined;
  if (refusal) {
    report.add(refusal, item.label);
    return { blocks: [] };
  }
  const fresh = item.base !== '' && (await shared.ignores(item.base, true));
  const rules = fresh ? createIgnoreRules(root, item.base) : shared;
  const blocks: Block[] = [];
  const reported = report.size();
  let met = 0;
  let misfits = 0;
  for await (const file of walk(context, rules, item.base, item.kind === 'glob' ? item.glob : undefined)) {
    met += 1;
    const taken = await takeFile(context, intake, {
      label: file.name,
      realPath: file.realPath,
      named: false,
    });
    if (taken.kind === 'block') blocks.push(taken.block);
    if (taken.kind === 'misfit') misfits += 1;
    if (taken.kind === 'full' || misfits >= mostMisfits) {
      report.add('stopped', item.label);
      break;
    }
  }
  if (met > 0 || report.size() > reported) return { blocks };
  report.add(item.kind === 'glob' ? 'noMatch' : 'empty', item.label);
  return { blocks, verbatim: item.kind === 'glob' };
}

/** One entry for each file, with all the lines that were taken of it. */
function filesOf(intake: Intake): InlinedFile[] {
  const files = new Map<string, InlinedFile>();
  for (const taken of intake.taken.values()) {
    const known = files.get(taken.realPath);
    if (!known) files.set(taken.realPath, { ...taken, ranges: [...taken.ranges] });
    // Of two parts, the one that was read further says more about later changes.
    else
      Object.assign(known, taken.readBytes > known.readBytes ? taken : {}, {
        ranges: [...known.ranges, ...taken.ranges],
      });
  }
  return [...files.values()];
}
