import { describe, expect, it } from 'vitest';
import { formatDuration, formatElapsed, parseDuration } from '../../src/contract/duration.ts';

describe('Go durations', () => {
  it.each([
    ['0', 0],
    ['0s', 0],
    ['90s', 90_000],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['250ms', 250],
    ['1h0m0.5s', 3_600_500],
    ['-2m', -120_000],
    ['+5s', 5000],
    ['.5s', 500],
    ['1µs', 0.001],
    ['1us', 0.001],
    ['5m0s', 300_000],
  ])('%s is %d ms', (text, ms) => {
    expect(parseDuration(text)).toBeCloseTo(ms, 9);
  });

  it.each([
    ['', 'time: invalid duration ""'],
    ['bogus', 'time: invalid duration "bogus"'],
    ['10', 'time: missing unit in duration "10"'],
    ['30000', 'time: missing unit in duration "30000"'],
    ['1x', 'time: unknown unit "x" in duration "1x"'],
    ['5 m', 'time: unknown unit " m" in duration "5 m"'],
    ['.', 'time: invalid duration "."'],
    ['1h-5m', 'time: unknown unit "h-" in duration "1h-5m"'],
    ['-', 'time: invalid duration "-"'],
  ])('%s is refused as Go refuses it', (text, message) => {
    expect(() => parseDuration(text)).toThrow(message);
  });

  it.each([
    [0, '0s'],
    [300_000, '5m0s'],
    [65_000, '1m5s'],
    [3_600_000, '1h0m0s'],
    [1500, '1.5s'],
    [250, '250ms'],
    [0.5, '500µs'],
    [-90_000, '-1m30s'],
    [90_061_500, '25h1m1.5s'],
  ])('%d ms is written %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it('an age is in whole seconds and never negative', () => {
    expect([1499, 1500, -5, 59_999].map(formatElapsed)).toEqual(['1s', '2s', '0s', '1m0s']);
  });
});
