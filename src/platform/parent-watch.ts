const POLL_MS = 300;

/**
 * Calls back once when the process that started this one is gone: stdin may be held open by others, and a wrapper that
 * was killed passes no signal on. Does not keep the process alive.
 * @returns how to end the watch
 */
export function watchParent(onGone: () => void): () => void {
  const parent = process.ppid;
  // Started by process 1 itself (a container's first program): there is no parent to lose.
  if (parent <= 1) return () => {};
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, POLL_MS);
  timer.unref();
  return () => clearInterval(timer);
}
