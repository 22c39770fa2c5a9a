import { PassThrough, type Readable } from 'node:stream';

/** The end is passed on this long after it came at the latest: a server without its client is over within a second. */
const LONGEST_MS = 700;
const STEP_MS = 20;
/** Requests of the last chunk are taken up within this. */
const SETTLE_MS = 60;

/**
 * The same bytes, with the end held back a moment while requests that came before it are being answered: so a client
 * that writes its requests and closes the pipe still gets its answers.
 * @param busy whether something is being answered
 */
export function drainedInput(source: Readable, busy: () => boolean): Readable {
  const input = new PassThrough();
  source.on('data', (chunk: Buffer) => input.write(chunk));
  source.on('error', (error) => input.destroy(error));
  let ended = false;
  source.once('end', () => {
    if (ended) return;
    ended = true;
    const from = performance.now();
    const timer = setInterval(() => {
      const passed = performance.now() - from;
      if (passed < LONGEST_MS && (passed < SETTLE_MS || busy())) return;
      clearInterval(timer);
      input.end();
    }, STEP_MS);
  });
  return input;
}
