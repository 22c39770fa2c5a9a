import { expect, test } from 'vitest';
import { selectBackend } from '../../src/backends/select.ts';

const BEFORE = new Date('2026-06-17T23:59:59Z');
const AFTER = new Date('2026-06-18T00:00:00Z');
const MONTHS_BEFORE = new Date('2026-03-01T00:00:00Z');

interface Row {
  environment?: Record<string, string>;
  requested?: string;
  forRelay?: boolean;
  today?: Date;
  want: string;
  notice?: RegExp;
}

const rows: Row[] = [
  { want: 'agy' },
  { today: MONTHS_BEFORE, want: 'agy' },
  { forRelay: true, today: AFTER, want: 'agy', notice: /retired on 2026-06-18/ },
  { forRelay: true, today: BEFORE, want: 'gemini', notice: /in about 1 day/ },
  { forRelay: true, today: MONTHS_BEFORE, want: 'gemini' },
  { forRelay: true, environment: { GEMINI_MCP_BACKEND: 'agy' }, today: BEFORE, want: 'agy' },
  { forRelay: true, environment: { GEMINI_MCP_BACKEND: ' Antigravity ' }, want: 'agy' },
  { forRelay: true, environment: { GEMINI_MCP_BACKEND: 'gemini' }, today: AFTER, want: 'gemini' },
  { environment: { GEMINI_MCP_BACKEND: 'gemini' }, want: 'agy' },
  { environment: { BATON_BACKEND: 'baton' }, want: 'baton' },
  { forRelay: true, environment: { BATON_BACKEND: 'baton', GEMINI_MCP_BACKEND: 'gemini' }, want: 'baton' },
  { forRelay: true, environment: { BATON_BACKEND: 'gemini' }, want: 'gemini' },
  { environment: { BATON_BACKEND: 'agy' }, requested: 'baton', want: 'baton' },
  { forRelay: true, environment: { BATON_BACKEND: 'agy' }, requested: 'GEMINI', want: 'gemini' },
];

test.each(rows)('chooses $want for $environment $requested relay=$forRelay $today', (row) => {
  const { backend, notice } = selectBackend(row.environment ?? {}, row);
  expect(backend.name).toBe(row.want);
  expect(notice ?? '').toMatch(row.notice ?? /^$/);
});

test.each([
  [{ GEMINI_MCP_BACKEND: 'gemni' }, { forRelay: true }, /GEMINI_MCP_BACKEND "gemni" is no backend/],
  [{ BATON_BACKEND: 'claude' }, {}, /BATON_BACKEND "claude" is no backend: want agy, gemini, baton/],
  [{}, { requested: 'x' }, /^backend "x" is no backend/],
  [{ BATON_BACKEND: 'gemini' }, {}, /BATON_BACKEND "gemini" serves the gemini-\* tools only/],
  [{}, { requested: 'gemini' }, /backend "gemini" serves the gemini-\* tools only/],
])('refuses %j with %j', (environment, options, message) => {
  expect(() => selectBackend(environment, options)).toThrow(message);
});
