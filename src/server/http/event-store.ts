import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

interface StoredEvent {
  id: string;
  streamId: string;
  message: JSONRPCMessage;
  bytes: number;
}

/** Kept of one session; what is older is forgotten, and a client that asks for it gets what there is. */
const MAX_EVENTS = 2000;
const MAX_BYTES = 4 * 1024 * 1024;

/** The newest messages of a session, so that a client whose stream broke gets what it missed when it comes back. */
export function createEventStore(
  limits: { events: number; bytes: number } = { events: MAX_EVENTS, bytes: MAX_BYTES },
): EventStore {
  let kept: StoredEvent[] = [];
  let bytes = 0;
  let last = 0;
  const streamOf = (eventId: string): string => eventId.slice(0, eventId.lastIndexOf('_'));
  const numberOf = (eventId: string): number => Number(eventId.slice(eventId.lastIndexOf('_') + 1));

  return {
    storeEvent(streamId, message) {
      // The id names its stream, so it can be told even after the event itself is forgotten.
      const event: StoredEvent = {
        id: `${streamId}_${++last}`,
        streamId,
        message,
        bytes: JSON.stringify(message).length,
      };
      kept.push(event);
      bytes += event.bytes;
      while (kept.length > limits.events || (bytes > limits.bytes && kept.length > 1)) {
        bytes -= kept[0]?.bytes ?? 0;
        kept = kept.slice(1);
      }
      return Promise.resolve(event.id);
    },
    getStreamIdForEventId: (eventId) => Promise.resolve(streamOf(eventId) || undefined),
    async replayEventsAfter(lastEventId, { send }) {
      const streamId = streamOf(lastEventId);
      const from = numberOf(lastEventId);
      for (const event of kept) {
        // An empty message only opened its stream.
        if (event.streamId === streamId && numberOf(event.id) > from && Object.keys(event.message).length > 0)
          await send(event.id, event.message);
      }
      return streamId;
    },
  };
}
