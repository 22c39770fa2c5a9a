import { assert, integer, property } from 'fast-check';
import { expect, test } from 'vitest';
import { derivePrintTimeout, printTimeoutArgument } from '../../../src/backends/headless/print-timeout.ts';
import { parseDuration } from '../../../src/contract/duration.ts';

test.each([
  [2_700_000, '2640s', '44m0s'],
  [1_800_000, '1740s', '29m0s'],
  [120_001, '60.001s', '1m0.001s'],
  [120_000, '60s', '1m0s'],
  [30_000, '15s', '15s'],
  [31_000, '15s', '15s'],
  [3000, '1s', '1s'],
  [1000, '500ms', '500ms'],
  [1, '1ms', '1ms'],
  [86_400_000, '86340s', '23h59m0s'],
])('%d ms gives %s for the relay and %s for jobs', (timeoutMs, relay, job) => {
  expect(printTimeoutArgument(timeoutMs, true)).toBe(relay);
  expect(printTimeoutArgument(timeoutMs, false)).toBe(job);
});

test('it is below the run limit and above zero, whatever that is', () => {
  assert(
    property(integer({ min: 2, max: 86_400_000 }), (timeoutMs) => {
      const derived = derivePrintTimeout(timeoutMs);
      expect(derived).toBeGreaterThan(0);
      expect(derived).toBeLessThan(timeoutMs);
      for (const forRelay of [true, false]) {
        expect(Math.round(parseDuration(printTimeoutArgument(timeoutMs, forRelay)))).toBe(derived);
      }
    }),
  );
});
