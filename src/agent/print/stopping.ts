import { EXIT } from '../../contract/outcome.ts';

/** What a signal does at the moment; the program sets it as it goes from start to turns to its end. */
export interface Stopping {
  /** The handler that counts from now on. */
  whenStopped(handler: () => void): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Catches the signals that ask a program to end. The first one is handled by whoever is at work; a second one, when the
 * orderly end takes too long for somebody, ends the process at once.
 */
export function watchSignals(): Stopping {
  let current = (): void => process.exit(EXIT.error);
  let asked = 0;
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      asked++;
      if (asked > 1) process.exit(EXIT.error);
      current();
    });
  }
  return {
    whenStopped(handler) {
      current = handler;
    },
  };
}
