import type { ServerCore } from '../core.ts';
import type { PromptArgument } from '../prompts/prompt.ts';

const MOST = 100;
const MODELS_KEPT_MS = 60_000;

const lists = new WeakMap<ServerCore, { at: number; models: Promise<string[]> }>();

/** Models of the relay's backend and its short names, asked for at most once a minute; the names alone where it cannot be asked. */
export async function relayModelIds(core: ServerCore): Promise<string[]> {
  const known = lists.get(core);
  if (known && performance.now() - known.at < MODELS_KEPT_MS) return known.models;
  const models = core
    .relayBackend(undefined)
    .then(({ backend }) => backend.listModels(core.environment))
    .then((list) => list.map(({ id }) => id))
    .catch((): string[] => [])
    .then((ids) => ['flash', 'pro', ...ids]);
  lists.set(core, { at: performance.now(), models });
  return models;
}

/** Ids of the conversations that can be gone on with, the most recent first. */
export async function conversationIds(core: ServerCore): Promise<string[]> {
  try {
    const { backend } = await core.relayBackend(undefined);
    const entries = await backend.listConversations(core.environment, MOST);
    return entries.map((entry) => entry.conversation_id);
  } catch {
    // A backend that cannot be asked offers nothing; the call itself says why.
    return [];
  }
}

const place = (core: ServerCore) => ({
  environment: core.environment,
  serverFolder: core.cwd,
  http: core.http,
});

type Values = NonNullable<PromptArgument['values']>;

/** Files and folders behind an `@` at the end of a prompt. */
export const references: Values = async (core, begun) => {
  const { completeReference } = await import('../../relay/listings/complete-path.ts');
  return completeReference(begun, place(core)).catch(() => []);
};

export const paths: Values = async (core, begun) => {
  const { completePath } = await import('../../relay/listings/complete-path.ts');
  return completePath(begun, place(core)).catch(() => []);
};

export const folders: Values = async (core, begun) => {
  const { completePath } = await import('../../relay/listings/complete-path.ts');
  return completePath(begun, place(core), 'folders').catch(() => []);
};
