import type { Transport } from '@modelcontextprotocol/server';
import { isFields } from '../../contract/fields.ts';

/** The addresses that a `subscriptions/listen` request asks to be told of; empty for any other message. */
export function listenedResources(message: unknown): string[] {
  if (!isFields(message) || message.method !== 'subscriptions/listen' || !isFields(message.params)) return [];
  const { notifications } = message.params;
  const uris: unknown = isFields(notifications) ? notifications.resourceSubscriptions : undefined;
  return Array.isArray(uris) ? uris.filter((uri): uri is string => typeof uri === 'string') : [];
}

/** Lets somebody see each message that a transport brings, before the one it is for. */
export function tapMessages(transport: Transport, see: (message: unknown) => void): void {
  let receiver: Transport['onmessage'];
  Object.defineProperty(transport, 'onmessage', {
    get: () => receiver,
    set(given: Transport['onmessage']) {
      receiver =
        given &&
        ((message, extra) => {
          see(message);
          given(message, extra);
        });
    },
  });
}
