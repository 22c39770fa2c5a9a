import type { Usage } from '../../contract/events.ts';
import { CapReachedError } from '../loop/types.ts';

/** Limits that a run was given on its command line; nothing is limited by default. */
export interface Caps {
  /** Calls of the model in one turn. */
  maxTurns?: number | undefined;
  /** Tokens (`usage.total_tokens`) of the whole run. */
  maxTokens?: number | undefined;
  /** US dollars of the whole run. */
  maxCost?: number | undefined;
}

/**
 * Whether the next call of the model may be made. Only what was really used counts, so a cap just above the real need
 * never stops a run.
 * @param cost US dollars so far; undefined when the model's price is not known
 * @throws {CapReachedError} that names the flag, its value and what was reached
 */
export function checkCaps(caps: Caps, callsInTurn: number, used: Usage, cost: number | undefined): void {
  if (caps.maxTurns !== undefined && callsInTurn >= caps.maxTurns) {
    throw new CapReachedError(
      `stopped by --max-turns ${caps.maxTurns}: the model was called ${callsInTurn} times in this turn and has not ended it`,
    );
  }
  if (caps.maxTokens !== undefined && used.total_tokens >= caps.maxTokens) {
    throw new CapReachedError(
      `stopped by --max-tokens ${caps.maxTokens}: the run has used ${used.total_tokens} tokens`,
    );
  }
  if (caps.maxCost !== undefined && cost !== undefined && cost >= caps.maxCost) {
    throw new CapReachedError(
      `stopped by --max-cost ${caps.maxCost}: the run has cost $${cost.toFixed(6).replace(/0{1,4}$/, '')}`,
    );
  }
}
