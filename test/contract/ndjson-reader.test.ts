import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createNdjsonReader } from '../../src/contract/ndjson-reader.ts';

function read(chunks: Uint8Array[], maxLineBytes?: number) {
  const values: unknown[] = [];
  const reader = createNdjsonReader(
    (value) => values.push(value),
    maxLineBytes === undefined ? {} : { maxLineBytes },
  );
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return { values, counts: reader.counts };
}

const bytes = (text: string): Buffer => Buffer.from(text);

describe('the NDJSON reader', () => {
  it('gives the same values however the bytes are cut', () => {
    const line = fc.oneof(
      fc.json().map((json) => json),
      fc.constant(''),
      fc.constant('   '),
      fc.string({ unit: 'binary' }).filter((s) => !s.includes('\n')),
    );
    fc.assert(
      fc.property(
        fc.array(line),
        fc.array(fc.nat(64)),
        fc.boolean(),
        fc.boolean(),
        (lines, cuts, crlf, terminated) => {
          const text = lines.join(crlf ? '\r\n' : '\n') + (terminated && lines.length ? '\n' : '');
          const whole = bytes(text);
          const pieces: Uint8Array[] = [];
          let at = 0;
          for (const cut of cuts) {
            pieces.push(whole.subarray(at, at + cut));
            at = Math.min(whole.length, at + cut);
          }
          pieces.push(whole.subarray(at));
          const one = read([whole]);
          const many = read(pieces);
          expect(many).toEqual(one);
          expect(many.counts.consumed).toBe(whole.length);
        },
      ),
    );
  });

  it('keeps characters that are split over single-byte writes', () => {
    const text = '합니다€😀';
    const whole = bytes(`${JSON.stringify({ text })}\n`);
    expect(read([...whole].map((byte) => Uint8Array.of(byte))).values).toEqual([{ text }]);
  });

  it('takes CRLF, blank lines, junk, and an unterminated last line', () => {
    const { values, counts } = read([bytes('{"a":1}\r\n\r\n  \nbanner\n{"b":2}\nat x (y.js:1)\n{"c":3}')]);
    expect(values).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }]);
    expect(counts).toMatchObject({ values: 3, blank: 2, junk: 2, tooLong: 0 });
  });

  it('counts a last line that is cut off as junk', () => {
    expect(read([bytes('{"a":1}\n{"b":')]).counts).toMatchObject({ values: 1, junk: 1 });
  });

  it.each([
    ['just at the limit', 10, { values: 1, tooLong: 0 }],
    ['one byte over it', 9, { values: 0, tooLong: 1 }],
  ])('a line %s', (_name, limit, expected) => {
    const line = '"12345678"';
    for (const end of ['\n', '\r\n', ''])
      expect(read([bytes(line + end)], limit).counts).toMatchObject(expected);
  });

  it('goes on after a line that is too long, and does not keep it', () => {
    const values: unknown[] = [];
    const reader = createNdjsonReader((value) => values.push(value), { maxLineBytes: 1024 });
    const filler = Buffer.alloc(64 * 1024, 'x');
    const before = process.memoryUsage().arrayBuffers;
    for (let i = 0; i < 4096; i++) reader.push(filler);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
    reader.push(bytes('\n{"after":true}\n'));
    expect(values).toEqual([{ after: true }]);
    expect(reader.counts).toMatchObject({ tooLong: 1, values: 1 });
  });

  it('is not disturbed by a caller that reuses its buffer', () => {
    const values: unknown[] = [];
    const reader = createNdjsonReader((value) => values.push(value));
    const shared = Buffer.alloc(8);
    for (const part of ['{"a":"b', 'cd"}\n{"e', '":1}\n   ']) {
      shared.fill(' ');
      shared.write(part);
      reader.push(shared.subarray(0, part.length));
    }
    expect(values).toEqual([{ a: 'bcd' }, { e: 1 }]);
  });

  it('reads a line of 16 MiB', () => {
    const text = 'y'.repeat(16 * 1024 * 1024 - 2);
    expect(read([bytes(`"${text}"\n`)]).counts).toMatchObject({ values: 1, tooLong: 0 });
  });
});
