import { readFileSync } from 'node:fs';
import { addUsage, emptyUsage, type Usage } from '../../contract/events.ts';
import { storedConversations } from '../conversations/folder.ts';
import { readHistory } from '../conversations/history.ts';
import { type Answered, tabbed } from './answer.ts';

const WEEK_MS = 7 * 24 * 3600 * 1000;

interface ModelUse {
  model: string;
  turns: number;
  usage: Usage;
  /** US dollars of the turns whose price is known. */
  cost: number;
  /** Turns without a known price. */
  unpriced: number;
}

/** What each model used in the turns since a time, from the conversations kept here. */
export function usageByModel(stateDir: string, sinceMs: number): ModelUse[] {
  const uses = new Map<string, ModelUse>();
  for (const { file, modifiedMs } of storedConversations(stateDir)) {
    if (modifiedMs < sinceMs) continue;
    let model = 'unknown';
    const history = readHistory(readFileSync(file));
    // What a subagent used is counted in its parent's turn.
    if (history?.header.parentConversationId !== undefined) continue;
    // What a fork copied was used, and is counted, in the original.
    const copied = history?.header.forkedFrom?.recordId ?? 0;
    for (const record of history?.branch ?? []) {
      if (record.type === 'session') model = record.model;
      if (record.type !== 'turn_end' || record.id <= copied || Date.parse(record.at) < sinceMs) continue;
      const use = uses.get(model) ?? { model, turns: 0, usage: emptyUsage(), cost: 0, unpriced: 0 };
      use.turns++;
      use.usage = addUsage(use.usage, record.usage);
      if (record.costUsd === undefined) use.unpriced++;
      else use.cost += record.costUsd;
      uses.set(model, use);
    }
  }
  return [...uses.values()].sort((a, b) => b.usage.total_tokens - a.usage.total_tokens);
}

const costText = ({ cost, unpriced, turns }: ModelUse): string => {
  if (unpriced === turns) return 'unknown';
  return unpriced === 0
    ? `$${cost.toFixed(4)}`
    : `$${cost.toFixed(4)} and ${unpriced} turn(s) of unknown cost`;
};

/**
 * `/usage`. There is no account behind this agent and so no quota to read: `groups` is empty, `models` says what was
 * used. The shape is the one that callers written for agy read.
 */
export function answerUsage(stateDir: string): Answered {
  const uses = usageByModel(stateDir, Date.now() - WEEK_MS);
  return {
    text: tabbed([
      ['Quota', 'unknown', 'ask your provider'],
      ...uses.map((use) => [
        use.model,
        'last 7 days',
        `${use.turns} turns`,
        `${use.usage.total_tokens} tokens`,
        costText(use),
      ]),
    ]),
    answer: {
      name: 'usage',
      data: {
        description: 'Models are paid by key, so no quota is known here. models: use of the last 7 days.',
        groups: [],
        models: uses.map((use) => ({
          id: use.model,
          num_turns: use.turns,
          usage: use.usage,
          cost_usd: use.unpriced === use.turns ? 'unknown' : use.cost,
          turns_of_unknown_cost: use.unpriced,
        })),
      },
    },
  };
}
