import { emptyUsage, type Usage } from '../../contract/events.ts';
import { errorMessage } from '../../platform/errors.ts';
import { branchMessages } from '../conversations/messages.ts';
import type { CompactionRecord, ConversationRecord } from '../conversations/records.ts';
import type { Message, Model, ToolDeclaration } from '../models/types.ts';
import type { ToolOutcome } from '../tools/types.ts';
import { messageTokens, overheadTokens, textTokens } from './estimate.ts';
import { mechanicalSummary, summarise } from './summarise.ts';

/** A conversation is compacted when the next request would take more than this part of the model's window. */
const FULL = 0.75;
/** What is kept word for word afterwards takes at most this part. */
const KEPT = 0.3;
/** One tool result takes at most this part. */
const RESULT = 0.25;
/** Results are cut to this many characters when nothing else makes a refused request shorter. */
const LAST_RESORT_CHARACTERS = 4000;

/** A finished compaction, for the conversation and the step. */
export interface Checkpoint {
  summary: string;
  firstKept: number;
  usage: Usage;
  durationMs: number;
}

export interface CompactorParts {
  model: Model;
  /** Tokens that fit in one request; undefined when not known: then only a refusal of the model compacts. */
  window: number | undefined;
  system: string;
  tools: readonly ToolDeclaration[];
  branch: () => readonly ConversationRecord[];
  /** Records and shows a compaction. */
  keep: (checkpoint: Checkpoint) => void;
  notice: (text: string) => void;
}

export interface Compactor {
  /** Shortens the conversation when the next request would come near the window; else gives the messages back. */
  beforeModel(messages: Message[], signal: AbortSignal): Promise<Message[]>;
  /** Shorter messages after the model refused them as too long; undefined when they cannot be made shorter. */
  onOverflow(messages: Message[], signal: AbortSignal): Promise<Message[] | undefined>;
  /** Learns from what a request really took. */
  observe(usage: Usage): void;
  /** A result that would not fit the window is cut, with a note in it. */
  limitResult(name: string, outcome: ToolOutcome): ToolOutcome;
}

const isMessage = (record: ConversationRecord): boolean =>
  record.type === 'user' || record.type === 'assistant' || record.type === 'tool_result';

function recordTokens(record: ConversationRecord): number {
  if (record.type === 'user') return messageTokens({ role: 'user', text: record.text });
  if (record.type === 'assistant') return messageTokens({ role: 'assistant', blocks: record.blocks });
  return record.type === 'tool_result' ? messageTokens({ role: 'tool', results: [record.result] }) : 0;
}

interface Cut {
  /** What the summary stands for, the last summary included. */
  old: ConversationRecord[];
  firstKept: number;
}

/**
 * Where to cut: what is kept starts at a prompt or a reply, never at a result, so that calls and results stay together.
 * Undefined when there is nothing before the cut.
 */
export function chooseCut(branch: readonly ConversationRecord[], keepTokens: number): Cut | undefined {
  const last: CompactionRecord | undefined = branch.findLast((record) => record.type === 'compaction');
  const live = branch.filter((record) => isMessage(record) && record.id >= (last?.firstKept ?? 0));
  let start = live.length;
  let tokens = 0;
  for (let at = live.length - 1; at >= 0; at--) {
    const record = live[at];
    if (!record) break;
    tokens += recordTokens(record);
    if (tokens > keepTokens) break;
    if (record.type !== 'tool_result') start = at;
  }
  // The newest reply stays with its results, even when they are more than should be kept.
  if (start === live.length) start = live.findLastIndex((record) => record.type !== 'tool_result');
  const first = live[start];
  if (!first || start <= 0) return undefined;
  return { old: [...(last ? [last] : []), ...live.slice(0, start)], firstKept: first.id };
}

/** The running prompt stays word for word, wherever the cut falls. */
function withPrompt(summary: string, branch: readonly ConversationRecord[], firstKept: number): string {
  const prompt = branch.findLast((record) => record.type === 'user' && !record.steering);
  if (prompt?.type !== 'user' || prompt.id >= firstKept) return summary;
  return `${summary}\n\nThe request that is being worked on, word for word:\n${prompt.text}`;
}

function cutText(text: string, characters: number, note: string): string {
  if (text.length <= characters) return text;
  const half = Math.floor(characters / 2);
  const left = text.length - 2 * half;
  return `${text.slice(0, half)}\n[${note}: ${left} characters left out here]\n${text.slice(-half)}`;
}

function shortenResults(messages: readonly Message[]): Message[] | undefined {
  let changed = false;
  const shorter = messages.map((message): Message => {
    if (message.role !== 'tool') return message;
    return {
      role: 'tool',
      results: message.results.map(({ image, ...result }) => {
        const output = cutText(result.output, LAST_RESORT_CHARACTERS, 'cut to fit the model');
        if (output !== result.output || image) changed = true;
        return { ...result, output };
      }),
    };
  });
  return changed ? shorter : undefined;
}

export function createCompactor(parts: CompactorParts): Compactor {
  const { model, window } = parts;
  const overhead = overheadTokens(parts.system, parts.tools);
  /** How many real tokens one of ours stands for with this model. */
  let scale = 1;
  let lastEstimate = 0;

  const estimate = (messages: readonly Message[]): number =>
    messages.reduce((sum, message) => sum + messageTokens(message), overhead);

  const compact = async (keepTokens: number, signal: AbortSignal): Promise<Message[] | undefined> => {
    const branch = parts.branch();
    const cut = chooseCut(branch, keepTokens);
    if (!cut) return undefined;
    const started = performance.now();
    const room = Math.floor((window ?? 32_000) * 0.5);
    let summary: string;
    let usage = emptyUsage();
    try {
      const made = await summarise(model, cut.old, room * 3, signal);
      summary = made.text;
      ({ usage } = made);
    } catch (error) {
      signal.throwIfAborted();
      summary = mechanicalSummary(cut.old);
      parts.notice(`the conversation was shortened without a summary: ${errorMessage(error)}`);
    }
    parts.keep({
      summary: withPrompt(summary, branch, cut.firstKept),
      firstKept: cut.firstKept,
      usage,
      durationMs: performance.now() - started,
    });
    return branchMessages(parts.branch());
  };

  return {
    async beforeModel(messages, signal) {
      let next = messages;
      if (window !== undefined && estimate(messages) * scale > window * FULL) {
        next = (await compact((window * KEPT) / scale, signal)) ?? messages;
      }
      lastEstimate = estimate(next);
      return next;
    },
    async onOverflow(messages, signal) {
      const shorter = await compact((estimate(messages) - overhead) * KEPT, signal);
      if (shorter) return shorter;
      const cut = shortenResults(messages);
      if (cut) parts.notice('tool results were cut, since the model refused the request as too long');
      return cut;
    },
    observe(usage) {
      const real = usage.input_tokens + usage.cache_read_tokens;
      if (real > 0 && lastEstimate > 0) scale = Math.min(3, Math.max(0.5, real / lastEstimate));
    },
    limitResult(name, outcome) {
      if (window === undefined) return outcome;
      const characters = Math.max(1000, Math.floor(window * RESULT * 3));
      if (outcome.output.length <= characters || textTokens(outcome.output) <= window * RESULT)
        return outcome;
      parts.notice(
        `a result of ${name} (${outcome.output.length} characters) was cut: the model's window holds ${window} tokens`,
      );
      return { ...outcome, output: cutText(outcome.output, characters, 'too long for the model') };
    },
  };
}
