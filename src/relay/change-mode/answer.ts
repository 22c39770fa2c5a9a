import { errorMessage } from '../../platform/errors.ts';
import { digestOf, isCacheKey } from '../chunk-cache/cache-key.ts';
import type { ChunkCache } from '../chunk-cache/chunk-cache.ts';
import type { InlinedFile } from '../inline/inlined-file.ts';
import { openRoot } from '../jail/root.ts';
import { createPace } from '../pace.ts';
import { printable } from '../printable.ts';
import { checkEdits } from './check.ts';
import { chunkEdits } from './chunk.ts';
import {
  cacheMissText,
  chunkIndexOf,
  invalidIndexText,
  invalidKeyText,
  type KeyParameter,
} from './chunk-index.ts';
import type { Edit } from './edit.ts';
import { parseEdits } from './parse.ts';
import { renderChunk, renderNextStep, totalsOf } from './render.ts';

/** A reply in change mode: the body stands alone, the notices beside it. */
export interface ChangeModeReply {
  body: string;
  notices: string[];
}

export interface ChangeModeRun {
  /** The model's text. */
  reply: string;
  /** Project folder, and the files that were sent with the prompt. */
  root: string;
  sent: readonly InlinedFile[];
  /** Whatever else the answer depends on: prompt, backend, model, effort, … */
  request: Readonly<Record<string, unknown>>;
  /** The chunk that the caller asked for; absent, or out of range, is the first. */
  chunkIndex?: unknown;
  cache: ChunkCache;
  signal?: AbortSignal;
}

/** Turns the text of a finished change mode run into the reply: edits read, held against the files, cut and rendered. */
export async function answerChangeMode(run: ChangeModeRun): Promise<ChangeModeReply> {
  const parsed = parseEdits(run.reply);
  if (parsed.edits.length === 0)
    return {
      body: `No edits found in Gemini's response. Please ensure Gemini uses the OLD/NEW format. \n\n${run.reply}`,
      notices: parsed.problems.map(leftOut),
    };
  const root = await openRoot(run.root);
  const checked = await checkEdits(parsed.edits, { root, sent: run.sent, pace: createPace(run.signal) });
  const failed = [...parsed.problems.map((problem) => printable(problem)), ...checked.failed];
  if (checked.good.length === 0)
    return {
      body: ['Edit validation failed:', ...failed].join('\n'),
      notices: checked.stale.map(staleNotice),
    };
  const notices = [...failed.map(leftOut), ...checked.stale.map(staleNotice)];
  const chunks = chunkEdits(checked.good);
  const totals = totalsOf(checked.good);
  if (chunks.length === 1)
    return { body: renderChunk(checked.good, { index: 1, count: 1 }, totals), notices };
  const digest = digestOf({ request: run.request, root: root.realPath, sent: run.sent, chunks });
  let cacheKey: string;
  try {
    cacheKey = run.cache.put({ digest, root: root.realPath, sent: [...run.sent], chunks });
  } catch (error) {
    // Without a cache nothing could be fetched later, so everything comes at once.
    notices.push(
      `The edits could not be kept for fetching in chunks (${errorMessage(error)}), so all of them are here.`,
    );
    return { body: renderChunk(checked.good, { index: 1, count: 1 }, totals), notices };
  }
  const asked = chunkIndexOf(run.chunkIndex);
  const index = asked !== undefined && asked <= chunks.length ? asked : 1;
  if (run.chunkIndex !== undefined && index !== asked)
    notices.push(
      `There is no chunk ${JSON.stringify(run.chunkIndex)} of ${chunks.length}; this is the first.`,
    );
  return {
    body: renderChunk(chunks[index - 1] ?? [], { index, count: chunks.length, cacheKey }, totals),
    notices,
  };
}

/**
 * A chunk of an earlier answer, without a model turn. Its edits are held against the files as they are now.
 * @param parameter the name of the key's parameter in the tool that asks.
 */
export async function replayChunk(
  asked: { key: unknown; index: unknown; parameter: KeyParameter },
  cache: ChunkCache,
  signal?: AbortSignal,
): Promise<ChangeModeReply> {
  if (!isCacheKey(asked.key)) return { body: invalidKeyText(asked.parameter, asked.key), notices: [] };
  const entry = cache.get(asked.key);
  if (!entry) return { body: cacheMissText(asked.key), notices: [] };
  const index = chunkIndexOf(asked.index);
  const chunk = index === undefined ? undefined : entry.chunks[index - 1];
  if (index === undefined || !chunk)
    return { body: invalidIndexText(asked.index, entry.chunks.length), notices: [] };
  const place = { index, count: entry.chunks.length, cacheKey: asked.key };
  const checked = await checkEdits(chunk.map(asParsed), {
    root: await openRoot(entry.root),
    sent: entry.sent,
    pace: createPace(signal),
  });
  const stale = checked.stale.map(staleNotice);
  if (checked.good.length === 0) {
    const next = renderNextStep(place);
    const body = ['Edit validation failed:', ...checked.failed].join('\n');
    return { body: next === '' ? body : `${body}\n\n${next}`, notices: stale };
  }
  const body = renderChunk(checked.good, place, totalsOf(entry.chunks.flat()));
  return { body, notices: [...checked.failed.map(leftOut), ...stale] };
}

function asParsed(edit: Edit): { path: string; line?: number; readings: { old: string; new: string }[] } {
  const { path, line } = edit;
  return { path, ...(line !== undefined && { line }), readings: [{ old: edit.old, new: edit.new }] };
}

function leftOut(reason: string): string {
  return `An edit was left out: ${reason}.`;
}

function staleNotice(file: string): string {
  return `${printable(file)} is stale: it has changed since it was sent to the model (by edits of an earlier chunk, perhaps).`;
}
