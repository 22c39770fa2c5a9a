import { pathToFileURL } from 'node:url';
import { stateDir } from '../../platform/paths.ts';
import { randomUuid } from '../../platform/random.ts';
import { conversationFile } from '../conversations/folder.ts';
import { type Conversation, createConversation, ephemeralConversation } from '../conversations/store.ts';
import type { PrintOptions } from './options.ts';

/** Opens a conversation below the run's for each subagent, kept where the run's own is kept. */
export function subagentConversations(
  options: Pick<PrintOptions, 'cwd' | 'ephemeral'>,
  conversation: Conversation,
): {
  openConversation: (agent: string) => Conversation;
  logUri: (id: string) => string | undefined;
} {
  const state = stateDir(process.env);
  if (options.ephemeral) {
    return {
      openConversation: () => ephemeralConversation(randomUuid(), conversation.artifacts),
      logUri: () => undefined,
    };
  }
  return {
    openConversation: (agent) =>
      createConversation({
        stateDir: state,
        id: randomUuid(),
        cwd: options.cwd,
        agent,
        parentConversationId: conversation.id,
      }),
    logUri: (id) => pathToFileURL(conversationFile(state, id)).href,
  };
}
