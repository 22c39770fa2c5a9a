import { addUsage, emptyUsage, type Usage } from '../../contract/events.ts';
import { costOf } from '../models/prices.ts';
import type { TokenPrice } from '../models/types.ts';

/** What a session and its running turn have used. Costs are US dollars, undefined when the price is not known. */
export interface Ledger {
  readonly total: Usage;
  readonly turn: Usage;
  readonly totalCost: number | undefined;
  readonly turnCost: number | undefined;
  beginTurn(): void;
  /** Counts one call of the model. */
  spend(usage: Usage): void;
  /** Counts what a subagent used. */
  spendElsewhere(usage: Usage, cost: number | undefined): void;
}

export function createLedger(price: TokenPrice | undefined): Ledger {
  const free = price === undefined ? undefined : 0;
  let total = emptyUsage();
  let turn = emptyUsage();
  let totalCost: number | undefined = free;
  let turnCost: number | undefined = free;

  const add = (usage: Usage, cost: number | undefined): void => {
    total = addUsage(total, usage);
    turn = addUsage(turn, usage);
    // One part of unknown cost makes the sum unknown, never smaller.
    totalCost = totalCost === undefined || cost === undefined ? undefined : totalCost + cost;
    turnCost = turnCost === undefined || cost === undefined ? undefined : turnCost + cost;
  };

  return {
    get total() {
      return total;
    },
    get turn() {
      return turn;
    },
    get totalCost() {
      return totalCost;
    },
    get turnCost() {
      return turnCost;
    },
    beginTurn() {
      turn = emptyUsage();
      turnCost = free;
    },
    spend: (usage) => add(usage, costOf(price, usage)),
    spendElsewhere: add,
  };
}
