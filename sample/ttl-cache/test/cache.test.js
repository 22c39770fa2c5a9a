import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCache } from '../src/index.js';

test('gives back what was set', () => {
  const cache = createCache();
  cache.set('a', 1);
  assert.equal(cache.get('a'), 1);
  assert.equal(cache.get('b'), undefined);
});

test('forgets the entry that was not read for longest', () => {
  const cache = createCache({ maxEntries: 2 });
  cache.set('a', 1);
  cache.set('b', 2);
  cache.get('a');
  cache.set('c', 3);
  assert.equal(cache.get('b'), undefined);
  assert.equal(cache.get('a'), 1);
});

test('forgets an entry when its time is over', async () => {
  const cache = createCache({ ttl: 20 });
  cache.set('a', 1);
  await sleep(40);
  assert.equal(cache.get('a'), undefined);
});
