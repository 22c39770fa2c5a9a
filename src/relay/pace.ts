import { setImmediate } from 'node:timers/promises';

/** Called between small pieces of work; awaiting its answer lets timers and sockets of the process have their turn. */
export type Pace = () => Promise<void> | undefined;

/**
 * Keeps long work from holding the event loop: after `sliceMs` of work the next call waits for one turn of the loop.
 * @param signal when aborted, the next call rejects with its reason.
 */
export function createPace(signal?: AbortSignal, sliceMs = 8): Pace {
  let since = performance.now();
  async function rest(): Promise<void> {
    await setImmediate();
    signal?.throwIfAborted();
    since = performance.now();
  }
  return () => (signal?.aborted || performance.now() - since >= sliceMs ? rest() : undefined);
}
