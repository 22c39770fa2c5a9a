/** One `notifications/progress` as a tool makes it. */
export interface ProgressUpdate {
  /** Rises from one to the next; here, seconds. */
  progress: number;
  message: string;
}

export interface ProgressReporter {
  /** Sends one update, unless the one before it still waits for a client that does not read. Never throws. */
  report(update: ProgressUpdate): void;
}

/**
 * Progress over one request. The protocol wants `progress` to rise, so an update that would not is lifted by a little.
 * @param send writes the notification; its failures are of no interest to the call.
 */
export function createProgressReporter(send: (update: ProgressUpdate) => Promise<void>): ProgressReporter {
  let last = Number.NEGATIVE_INFINITY;
  let pending = false;
  const settled = (): void => {
    pending = false;
  };
  return {
    report({ progress, message }) {
      if (pending) return;
      last = progress > last ? progress : last + 0.001;
      pending = true;
      send({ progress: last, message }).then(settled, settled);
    },
  };
}
