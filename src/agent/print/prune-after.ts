import { errorMessage } from '../../platform/errors.ts';
import { stateDir } from '../../platform/paths.ts';
import { isPruneDue } from '../conversations/folder.ts';
import type { Conversation } from '../conversations/store.ts';
import type { Diagnostics } from './diagnostics.ts';

/** Keeps the conversations of this user within their limit, `BATON_CONVERSATIONS_MAX`. A new one is when they grow. */
export async function pruneAfter(conversation: Conversation, diagnostics: Diagnostics): Promise<void> {
  const state = stateDir(process.env);
  if (conversation.branch.length === 0 || !isPruneDue(state)) return;
  const { pruneNow, parseSize, DEFAULT_MAX_BYTES } = await import('../conversations/prune.ts');
  const given = process.env.BATON_CONVERSATIONS_MAX ?? '';
  const maxBytes = given === '' ? DEFAULT_MAX_BYTES : parseSize(given);
  if (maxBytes === undefined) {
    diagnostics.warn(`BATON_CONVERSATIONS_MAX=${JSON.stringify(given)} is no size; give one such as 500MB`);
    return;
  }
  try {
    const count = pruneNow(state, maxBytes, conversation.id).removed.length;
    if (count > 0)
      diagnostics.say(`notice: ${count} old conversation(s) were removed to keep within ${maxBytes} bytes`);
  } catch (error) {
    diagnostics.warn(`old conversations could not be removed: ${errorMessage(error)}`);
  }
}
