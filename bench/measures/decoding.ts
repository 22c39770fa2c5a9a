import { decodeEvent } from '../../src/contract/decode-event.ts';
import { createNdjsonReader } from '../../src/contract/ndjson-reader.ts';
import { emptySummary, foldEvent } from '../../src/jobs/event-summary.ts';
import type { Measure } from '../harness/bench.ts';
import { eventLines } from '../harness/events.ts';
import { atLeastTimes, row } from '../harness/rows.ts';
import { interleave } from '../harness/samples.ts';

const CHUNK_BYTES = 256 * 1024;

function decode(bytes: Buffer): number {
  const summary = emptySummary();
  const reader = createNdjsonReader((value) => {
    const event = decodeEvent(value);
    if (event) foldEvent(summary, event);
  });
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) reader.push(bytes.subarray(at, at + CHUNK_BYTES));
  reader.end();
  return summary.events;
}

function parse(bytes: Buffer): number {
  let count = 0;
  for (const line of bytes.toString('utf8').split('\n')) {
    if (line === '') continue;
    JSON.parse(line);
    count++;
  }
  return count;
}

/** Reading a run's events: lines, decoding, summary. */
export const decoding: Measure = {
  name: 'decoding',
  title: 'Event decoding',
  async run(bench) {
    const events = bench.isQuick ? 10_000 : 60_000;
    const bytes = Buffer.from(eventLines(events));
    const speed = (work: (given: Buffer) => number) => (): Promise<number> => {
      const from = performance.now();
      if (work(bytes) !== events) throw new Error('not all events were read');
      return Promise.resolve(bytes.length / 1e6 / ((performance.now() - from) / 1000));
    };
    const values = await interleave(bench.rounds(15), { decode: speed(decode), parse: speed(parse) });
    return [
      row(
        `${events} events, ${Math.round(bytes.length / 1e6)} MB: read, decoded, summed up`,
        'MB/s',
        values('decode'),
        {
          against: { what: '`JSON.parse` of each line', values: values('parse') },
          target: atLeastTimes(0.8),
        },
      ),
    ];
  },
};
