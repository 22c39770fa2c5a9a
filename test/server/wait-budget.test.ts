import { describe, expect, it } from 'vitest';
import { CLIENTS, callLimitMs } from '../../src/server/clients.ts';
import type { ToolCall } from '../../src/server/tool-call.ts';
import { parseWait, waitBudgetMs } from '../../src/server/wait-budget.ts';

const MINUTE = 60_000;

function call(changes: Partial<ToolCall> & { name?: string; token?: boolean } = {}): ToolCall {
  return {
    signal: new AbortController().signal,
    client: changes.name === undefined ? undefined : { name: changes.name, version: '1' },
    progress: changes.token ? { report: () => {} } : undefined,
    clientKey: 'stdio',
    arrivedAt: 0,
    environment: {},
    ...changes,
  };
}

describe('how long a call waits', () => {
  it('is two minutes by default and ten at most', () => {
    expect(parseWait(undefined)).toBe(2 * MINUTE);
    expect(parseWait('')).toBe(2 * MINUTE);
    expect(parseWait('1h')).toBe(10 * MINUTE);
    expect(parseWait('90s')).toBe(90_000);
  });

  it.each([
    // A client nobody knows, without progress, may hang up after a minute.
    ['stranger', false, 10 * MINUTE, 50_000],
    [undefined, false, 10 * MINUTE, 50_000],
    ['stranger', true, 10 * MINUTE, 10 * MINUTE],
    ['stranger', false, 5000, 5000],
    // Progress does not help these two.
    ['claude-code', true, 2 * MINUTE, 90_000],
    ['codex-mcp-client', true, 10 * MINUTE, 100_000],
    // It does help this one.
    ['opencode', true, 10 * MINUTE, 10 * MINUTE],
    ['opencode', false, 10 * MINUTE, 50_000],
    ['gemini-cli-mcp-client-baton', false, 10 * MINUTE, 8 * MINUTE],
  ])('for %s with progress %s, wanting %i ms, is %i ms', (name, token, wanted, expected) => {
    expect(waitBudgetMs(wanted, call({ name, token }), 0)).toBe(expected);
  });

  it('counts what the call has taken already against the client’s patience, not against the wish', () => {
    expect(waitBudgetMs(10 * MINUTE, call({ name: 'claude-code' }), 3000)).toBe(87_000);
    expect(waitBudgetMs(1000, call({ name: 'claude-code' }), 3000)).toBe(1000);
    expect(waitBudgetMs(1000, call({ name: 'claude-code' }), 100_000)).toBe(0);
  });

  it('follows the operator instead, when he says something that makes sense', () => {
    const capped = (cap: string) => call({ name: 'stranger', environment: { AGY_MCP_SYNC_WAIT_CAP: cap } });
    expect(waitBudgetMs(10 * MINUTE, capped('5m'), 0)).toBe(5 * MINUTE);
    expect(waitBudgetMs(10 * MINUTE, capped('20s'), 0)).toBe(20_000);
    for (const nonsense of ['soon', '0s', '-1m', ''])
      expect(waitBudgetMs(10 * MINUTE, capped(nonsense), 0)).toBe(50_000);
  });

  it('says for every fact about a client where it comes from', () => {
    for (const row of CLIENTS) {
      expect(row.source.length).toBeGreaterThan(20);
      expect(row.limitSilentMs).toBeLessThanOrEqual(row.limitWithProgressMs ?? Infinity);
    }
    expect(callLimitMs('Visual Studio Code', true)).toBeUndefined();
  });
});
