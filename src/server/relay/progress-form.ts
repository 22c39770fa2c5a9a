import type { RelayRunTool } from '../../relay/replies/run-tools.ts';
import { type ProgressForm, progressMessage } from '../waiting.ts';

/** Relay calls are kept alive by one notification in this time. */
export const KEEPALIVE_MS = 25_000;

/** Keepalives of a relay call: its own first words, then how its run stands. */
export function relayProgress(tool: RelayRunTool, startMessage: string): ProgressForm {
  return {
    intervalMs: KEEPALIVE_MS,
    tellsQueueAtOnce: false,
    message(seen, tick) {
      const isFirst = tick === 0 && seen.status.state !== 'queued';
      return `${isFirst ? `${startMessage} ` : ''}${tool}: ${progressMessage(seen)}`;
    },
  };
}
