/** Waits for something that never fails, but no longer than until the signal fires or the time is over. */
export async function waitAtMost(
  what: Promise<unknown>,
  signal: AbortSignal,
  milliseconds?: number,
): Promise<void> {
  if (signal.aborted) return;
  let timer: NodeJS.Timeout | undefined;
  let onAbort: () => void = () => {};
  const stopped = new Promise<void>((resolve) => {
    onAbort = resolve;
    signal.addEventListener('abort', onAbort);
    if (milliseconds !== undefined) timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([what, stopped]);
  clearTimeout(timer);
  signal.removeEventListener('abort', onAbort);
}
