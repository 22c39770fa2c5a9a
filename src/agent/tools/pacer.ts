import { setImmediate } from 'node:timers/promises';

const SLICE_MS = 12;

/**
 * Cuts long synchronous work (which is several times faster than the same through promises) into slices, so that
 * timers, signals and the stream of a model are served in between. Also the place where an abort is noticed.
 */
export interface Pacer {
  /** Whether the slice is used up: then `await pause()`. */
  due(): boolean;
  /** Lets everything else run. Throws when the call was aborted. */
  pause(): Promise<void>;
}

export function createPacer(signal: AbortSignal): Pacer {
  let start = performance.now();
  return {
    due: () => performance.now() - start > SLICE_MS,
    async pause() {
      await setImmediate();
      signal.throwIfAborted();
      start = performance.now();
    },
  };
}
