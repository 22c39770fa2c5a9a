import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUuid } from '../../platform/random.ts';
import { latestConversation } from '../conversations/folder.ts';
import { forkConversation, type OpenedConversation, resumeConversation } from '../conversations/resume.ts';
import {
  type Conversation,
  ConversationError,
  createConversation,
  ephemeralConversation,
} from '../conversations/store.ts';
import type { Diagnostics } from './diagnostics.ts';
import type { PrintOptions } from './options.ts';

type Asked = Pick<PrintOptions, 'conversation' | 'fork' | 'ephemeral' | 'cwd' | 'agent'>;

function openStored(asked: Asked, stateDir: string): OpenedConversation {
  const { conversation, fork, cwd, agent } = asked;
  const wanted = conversation.kind === 'id' ? conversation.id : latestConversation(stateDir, cwd);
  if (wanted === undefined) {
    throw new ConversationError(
      `there is no conversation of ${cwd} to continue; run without --continue, or name one with --conversation`,
    );
  }
  if (!fork) return resumeConversation(stateDir, wanted, cwd);
  return forkConversation(stateDir, wanted, { stateDir, id: randomUuid(), cwd, agent });
}

/**
 * The conversation of the run: a fresh one, the one named, the newest one of the folder, or a copy.
 * @throws {ConversationError}
 */
export function openConversation(asked: Asked, stateDir: string, diagnostics: Diagnostics): Conversation {
  const { cwd, agent } = asked;
  if (asked.conversation.kind === 'new') {
    const id = randomUuid();
    if (!asked.ephemeral) return createConversation({ stateDir, id, cwd, agent });
    return ephemeralConversation(id, join(tmpdir(), `baton-agent-${id}`));
  }
  const { conversation, history, notices } = openStored(asked, stateDir);
  for (const notice of notices) diagnostics.warn(notice);
  if (history.header.cwd !== cwd) {
    diagnostics.say(`notice: this conversation was started in ${history.header.cwd}; it goes on in ${cwd}`);
  }
  return conversation;
}
