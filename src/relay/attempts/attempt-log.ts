import { appendFileSync, readFileSync } from 'node:fs';
import { isFields, parseJson } from '../../contract/fields.ts';
import { errorCode } from '../../platform/errors.ts';

/** Why a run was tried once more. `pty` = it had printed nothing and left no trace; `quota` = the model's quota was used up. */
export const RETRY_REASONS = ['pty', 'quota'] as const;
export type RetryReason = (typeof RETRY_REASONS)[number];

/** One line for each attempt of a job after its first. */
export interface Attempt {
  /** From 2. */
  number: number;
  reason: RetryReason;
  /** The model of this attempt, when it is another one. */
  model?: string;
  /** It was ended at its own limit; what it had printed counts. */
  isCut?: true;
}

export function logAttempt(path: string, attempt: Attempt): void {
  appendFileSync(path, `${JSON.stringify(attempt)}\n`);
}

/** The further attempts of a job; none when there is no such file. */
export function readAttempts(path: string): Attempt[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
  return text.split('\n').flatMap((line) => {
    const value = parseJson(line);
    if (!isFields(value) || typeof value.number !== 'number') return [];
    const reason = RETRY_REASONS.find((known) => known === value.reason);
    if (!reason) return [];
    return [
      {
        number: value.number,
        reason,
        ...(typeof value.model === 'string' && { model: value.model }),
        ...(value.isCut === true && { isCut: true as const }),
      },
    ];
  });
}
