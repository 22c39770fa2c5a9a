import { expect, test } from 'vitest';
import { derivePrintTimeout, printTimeoutArgument } from '../../../src/backends/headless/print-timeout.ts';
import { relayDeadline } from '../../../src/relay/run/deadline.ts';

const MINUTE = 60_000;

test.each([
  [undefined, 45 * MINUTE, '2640s'],
  ['', 45 * MINUTE, '2640s'],
  ['0.5', 30_000, '15s'],
  ['1', MINUTE, '30s'],
  ['2', 2 * MINUTE, '60s'],
  ['2.5', 150_000, '90s'],
  [' 90 ', 90 * MINUTE, '5340s'],
  ['1e3', 1000 * MINUTE, '59940s'],
])('GEMINI_MCP_TIMEOUT=%j is %i ms, and agy is told %s', (value, ms, told) => {
  expect(relayDeadline({ GEMINI_MCP_TIMEOUT: value })).toEqual({ ms });
  expect(printTimeoutArgument(ms, true)).toBe(told);
});

test.each(['soon', '0', '-3', 'NaN', 'Infinity', '1h', '0x'])(
  'GEMINI_MCP_TIMEOUT=%j falls back to 45 minutes, and says so',
  (value) => {
    const deadline = relayDeadline({ GEMINI_MCP_TIMEOUT: value });
    expect(deadline.ms).toBe(45 * MINUTE);
    expect(deadline.problem).toContain(`GEMINI_MCP_TIMEOUT=${JSON.stringify(value)}`);
  },
);

test('TRAP 8: a time that no timer holds, and one that is none, are brought within', () => {
  for (const value of ['35792', '99999999', '1e308']) {
    const { ms, problem } = relayDeadline({ GEMINI_MCP_TIMEOUT: value });
    expect(ms).toBe(7 * 24 * 60 * MINUTE);
    expect(problem).toContain('more than a week');
  }
  expect(relayDeadline({ GEMINI_MCP_TIMEOUT: '0.0001' })).toMatchObject({ ms: 1000 });
});

test('row 24: the agent’s own limit is below ours, whatever ours is', () => {
  for (let ms = 1000; ms < 8 * 24 * 60 * MINUTE; ms = Math.round(ms * 1.7) + 1) {
    const own = derivePrintTimeout(ms);
    expect(own).toBeLessThan(ms);
    expect(own).toBeGreaterThan(0);
  }
});
