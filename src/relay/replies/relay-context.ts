import { isFields } from '../../contract/fields.ts';
import { type InlinedFile, isInlinedFile } from '../inline/inlined-file.ts';

/**
 * What a relay run's answer needs besides the arguments of the call. It is kept with the job, so that any process can
 * give the answer in its form later. JSON-safe.
 */
export interface RelayContext {
  /** Project folder, absolute. */
  root: string;
  /** What was sent with the prompt; empty unless edits are to be checked against it. */
  sent: InlinedFile[];
  /** What inlining had to say. */
  notices: string[];
}

/** Reads a kept context strictly; undefined = it is none of ours. */
export function decodeRelayContext(value: unknown): RelayContext | undefined {
  if (!isFields(value)) return undefined;
  const { root, sent, notices } = value;
  if (typeof root !== 'string' || !Array.isArray(sent) || !Array.isArray(notices)) return undefined;
  if (!sent.every(isInlinedFile) || !notices.every((notice) => typeof notice === 'string')) return undefined;
  return { root, sent, notices };
}
