import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDuration } from '../src/index.js';

test('reads numbers and texts', () => {
  assert.equal(parseDuration(250), 250);
  assert.equal(parseDuration('90s'), 90_000);
  assert.equal(parseDuration('1.5h'), 5_400_000);
});

test('refuses what is no duration', () => {
  assert.throws(() => parseDuration('soon'), /invalid duration "soon"/);
  assert.throws(() => parseDuration(-1), /invalid duration/);
});
