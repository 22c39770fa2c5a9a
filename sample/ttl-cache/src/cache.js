import { now } from './clock.js';
import { parseDuration } from './duration.js';
import { createStats } from './stats.js';

const DEFAULT_MAX_ENTRIES = 500;

/**
 * A cache with a size limit (least recently read goes first) and a time to live.
 *
 * A Map keeps its keys in the order of insertion, so the entry that was not touched for longest is always the first.
 */
export function createCache({ maxEntries = DEFAULT_MAX_ENTRIES, ttl, onEvict } = {}) {
  const entries = new Map();
  const stats = createStats();
  const defaultTtl = ttl === undefined ? undefined : parseDuration(ttl);

  function isExpired(entry) {
    return entry.expiresAt !== undefined && entry.expiresAt <= now();
  }

  function evict(key, reason) {
    const entry = entries.get(key);
    entries.delete(key);
    stats.evicted(reason);
    onEvict?.(key, entry.value, reason);
  }

  function makeRoom() {
    while (entries.size >= maxEntries) {
      const [oldest] = entries.keys();
      evict(oldest, 'size');
    }
  }

  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) {
        stats.missed();
        return undefined;
      }
      if (isExpired(entry)) {
        evict(key, 'expired');
        stats.missed();
        return undefined;
      }
      // Read just now: move it to the end of the order.
      entries.delete(key);
      entries.set(key, { value: entry.value });
      stats.hit();
      return entry.value;
    },

    set(key, value, options = {}) {
      const life = options.ttl === undefined ? defaultTtl : parseDuration(options.ttl);
      entries.delete(key);
      makeRoom();
      entries.set(key, { value, expiresAt: life === undefined ? undefined : now() + life });
    },

    delete(key) {
      if (entries.has(key)) evict(key, 'deleted');
    },

    /** Drops what has expired; `get` does the same for the one entry it is asked for. */
    prune() {
      for (const [key, entry] of entries) if (isExpired(entry)) evict(key, 'expired');
    },

    get size() {
      return entries.size;
    },

    stats: () => stats.read(),
  };
}
