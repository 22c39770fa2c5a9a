import { type Fields, isFields } from '../../contract/fields.ts';
import type { JobRecord } from '../../jobs/types.ts';
import { decodeRelayContext, type RelayContext } from '../replies/relay-context.ts';

/** What a relay job keeps in `job.json` for the form of its answer: the arguments of the call, and what was sent. */
export interface KeptCall {
  /** The arguments as they were checked. */
  given: Fields;
  context: RelayContext;
}

export function keepCall(call: KeptCall): Record<string, unknown> {
  return { given: call.given, context: { ...call.context } };
}

/** Reads it back, strictly; undefined = the job is no relay job of this version. */
export function keptCall(record: JobRecord): KeptCall | undefined {
  const given = record.arguments?.given;
  const context = decodeRelayContext(record.arguments?.context);
  return isFields(given) && context ? { given, context } : undefined;
}
