import { randomBytes as cryptoBytes } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';

/**
 * Random bytes from the kernel, fit for names that nobody may guess. Loading `node:crypto` for them costs 2 ms of every
 * start, a tenth of the whole on a fast machine; it is asked where there is no `/dev/urandom`.
 */
export function randomBytes(count: number): Buffer {
  const bytes = Buffer.allocUnsafe(count);
  let fd: number | undefined;
  try {
    fd = openSync('/dev/urandom', 'r');
    if (readSync(fd, bytes, 0, count, null) === count) return bytes;
  } catch {
    // Windows, or a sandbox without /dev.
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
  return cryptoBytes(count);
}

/** A random UUID (version 4, RFC 9562). */
export function randomUuid(): string {
  const bytes = randomBytes(16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
