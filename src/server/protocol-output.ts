import { Writable } from 'node:stream';
import { format } from 'node:util';

/**
 * Keeps stdout for the protocol: from now on whatever else in this process prints to it (`console.log`, a dependency's
 * own `process.stdout.write`) comes out on stderr.
 * @returns the stream that still reaches stdout
 */
export function claimStdout(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  const claimed = new Writable({
    // Protocol messages are small against this; a client that does not read is felt only beyond it.
    highWaterMark: 1024 * 1024,
    decodeStrings: false,
    write: (chunk: string | Uint8Array, _encoding, callback) => {
      write(chunk, (error) => callback(error ?? null));
    },
  });
  stdout.on('error', (error) => claimed.destroy(error));
  stdout.write = stderr.write.bind(stderr);
  const toStderr = (...values: unknown[]): void => {
    stderr.write(`${format(...values)}\n`);
  };
  console.log = toStderr;
  console.info = toStderr;
  console.debug = toStderr;
  console.dir = toStderr;
  console.table = toStderr;
  return claimed;
}
