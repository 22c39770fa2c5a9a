// Writing, without a buffer of our own: what was written is with the reader, however this process ends.
import { writeSync } from 'node:fs';

function writeAll(fd, data) {
  for (let at = 0; at < data.length; ) {
    try {
      at += writeSync(fd, data, at);
    } catch (error) {
      if (error.code === 'EPIPE') return;
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

export function out(text) {
  writeAll(1, Buffer.from(text));
}

/** One write for each byte, so that a reader sees characters cut in two. */
export function outByteByByte(text) {
  for (const byte of Buffer.from(text)) writeAll(1, Buffer.from([byte]));
}

export function err(text) {
  writeAll(2, Buffer.from(text));
}

export function line(value) {
  out(`${JSON.stringify(value)}\n`);
}

export function noUsage() {
  return { input_tokens: 0, output_tokens: 0, thinking_tokens: 0, cache_read_tokens: 0, total_tokens: 0 };
}
