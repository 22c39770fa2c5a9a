import { expect, test } from 'vitest';
import { isAtLeast, parseVersion } from '../../src/backends/version.ts';

test.each([
  // A line that is nothing but the version.
  ['1.2.3', '1.2.3'],
  ['1.2.3\n', '1.2.3'],
  ['1.2.3\r\n', '1.2.3'],
  ['agy 1.4.0', '1.4.0'],
  ['AGY 1.4.0', '1.4.0'],
  ['agy version 1.4.0', '1.4.0'],
  ['version: 1.4.0', '1.4.0'],
  ['v1.4.0', '1.4.0'],
  ['agy v1.4.0', '1.4.0'],
  ['1.4.0-rc.2', '1.4.0'],
  ['1.4.0+build.77', '1.4.0'],
  ['1.4.0-rc.1+g12ab', '1.4.0'],
  ['agy 1.4.0 (linux/amd64)', '1.4.0'],
  ['0.0.1', '0.0.1'],
  ['\u001b[32m1.2.3\u001b[0m', '1.2.3'],
  // It wins over versions of other things, wherever they stand.
  ['Update available: 1.3.0\n1.2.3', '1.2.3'],
  ['warning: node 22.1.0 is old\n1.2.3\n', '1.2.3'],
  ['1.2.3\nA new version 9.9.9 is available', '1.2.3'],
  ['config /opt/agy-0.9.1/settings.json\n1.2.3', '1.2.3'],
  ['listening on 127.0.0.1\n1.2.3', '1.2.3'],
  ['1.2.3\n1.2.4', '1.2.3'],
  // A version that stands alone in a line wins over one that is a part of something.
  ['The version of agy is 1.2.3.', '1.2.3'],
  ['agy (Antigravity CLI) 1.2.3', '1.2.3'],
  ['Antigravity CLI, version 1.2.3, built today', '1.2.3'],
  ['  1.2.3', '1.2.3'],
  ['loaded /opt/agy-0.9.1/plugin; agy is 1.2.3', '1.2.3'],
  ['127.0.0.1 says 1.2.3', '1.2.3'],
  ['built with go1.22.1 as 1.2.3', '1.2.3'],
  ['agy-1.2.3 of 10.11.12.13', '1.2.3'],
  ['(1.2.3)', '1.2.3'],
  ['"1.2.3"', '1.2.3'],
  // When nothing better is there, a part of something is still an answer.
  ['/opt/agy-1.2.3/bin/agy', '1.2.3'],
  ['agy/1.2.3', '1.2.3'],
  ['1.2.3.4', '1.2.3'],
  ['C:\\agy\\1.2.3\\agy.exe', '1.2.3'],
  ['go1.22.1', '1.22.1'],
  // Dates, numbers that fit nowhere and things that are no version.
  ['2026.10.16', undefined],
  ['2026.10.16\n1.2.3', '1.2.3'],
  ['released 2026.10.16 as 1.2.3', '1.2.3'],
  ['1000.0.0', undefined],
  ['999.0.0', '999.0.0'],
  ['99999999999999999999.1.1', undefined],
  ['1.99999999999999999999.1', undefined],
  ['1.2', undefined],
  ['version one', undefined],
  ['', undefined],
])('reads %j as %s', (output, version) => {
  expect(parseVersion(output)?.join('.')).toBe(version);
});

test.each([
  [[1, 1, 10], true],
  [[1, 1, 9], false],
  [[1, 1, 11], true],
  [[1, 2, 0], true],
  [[1, 0, 99], false],
  [[2, 0, 0], true],
  [[0, 99, 99], false],
] as const)('compares %j with the floor as numbers, not as text', (version, expected) => {
  expect(isAtLeast(version, [1, 1, 10])).toBe(expected);
});
