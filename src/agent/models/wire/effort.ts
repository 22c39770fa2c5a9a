import { type EffortControl, familyOf } from '../families.ts';
import { type Effort, ModelError } from '../types.ts';

/** Thinking tokens for families that take a number. */
export const THINKING_BUDGET: Readonly<Record<Effort, number>> = { low: 2048, medium: 8192, high: 24_576 };

/** @throws {ModelError} `invalid_request` when the model has no control for its effort. */
export function assertEffortSupported(id: string, slug: string, effort: Effort | undefined): void {
  if (effort !== undefined && familyOf(slug)?.effort === 'none') {
    throw new ModelError(
      'invalid_request',
      `invalid model selection: an effort (${effort}) is not supported for model ${JSON.stringify(id)}`,
    );
  }
}

/** How a model's effort is steered; for a model that is not known, as the newest of that wire is. */
export function effortControl(slug: string, newest: EffortControl): EffortControl {
  return familyOf(slug)?.effort ?? newest;
}
