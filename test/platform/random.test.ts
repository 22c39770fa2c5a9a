import { describe, expect, it } from 'vitest';
import { randomBytes, randomUuid } from '../../src/platform/random.ts';

describe('random values', () => {
  it('are as long as asked for and differ', () => {
    for (const count of [1, 6, 16, 4096]) expect(randomBytes(count)).toHaveLength(count);
    expect(new Set(Array.from({ length: 200 }, () => randomBytes(8).toString('hex'))).size).toBe(200);
    expect(new Set(randomBytes(4096)).size).toBeGreaterThan(200);
  });

  it('make UUIDs of version 4', () => {
    const made = Array.from({ length: 200 }, randomUuid);
    for (const id of made) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
    expect(new Set(made).size).toBe(200);
  });
});
