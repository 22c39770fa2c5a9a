import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UsageReport } from '../../src/backends/types.ts';
import { relayFindings } from '../../src/cli/doctor/relay-findings.ts';
import type { RelayHealth } from '../../src/relay/doctor/health.ts';
import { startCommand } from '../support/command.ts';
import { type ServerHouse, serverHouse } from '../support/mcp.ts';

const healthy: RelayHealth = {
  node: 'v20',
  system: 'linux (x64)',
  backend: 'agy',
  chosenBy: 'auto-default',
  programs: { agy: { path: '/bin/agy', version: '1.2.16' }, gemini: {}, baton: { path: '/baton-agent.js' } },
  usage: {
    groups: [
      {
        name: 'Models',
        buckets: [
          { name: 'Weekly', window: 'weekly', remaining: 0.9 },
          { name: 'Hours', window: '5h', remaining: 0.25, resetTime: '2026-12-01T10:00:00Z' },
          { name: 'Untold', window: '1h' },
        ],
      },
    ],
  },
  deadline: { ms: 2_700_000 },
};

function lines(changes: Partial<RelayHealth>): string[] {
  return relayFindings({ ...healthy, ...changes }).map(
    ({ topic, state, text }) => `${state} ${topic}: ${text}`,
  );
}

describe('what baton doctor says of the relay', () => {
  it.each<[string, Partial<RelayHealth>]>([
    ['all is well', {}],
    [
      'the backend is none',
      { backend: undefined, chosenBy: 'GEMINI_MCP_BACKEND', choiceProblem: '"x" is no backend' },
    ],
    [
      'the backend that was chosen is not there',
      { backend: 'gemini', chosenBy: 'GEMINI_MCP_BACKEND', usage: undefined },
    ],
    ['nothing is installed', { programs: { agy: {}, gemini: {}, baton: {} }, usage: undefined }],
    ['signed out', { usage: { problem: 'status', status: 'ERROR', detail: 'no login\nmore' } }],
    ['the question failed', { usage: { problem: 'failed', detail: 'agy -p /usage: timeout' } }],
    ['an odd deadline', { deadline: { ms: 1, problem: 'GEMINI_MCP_TIMEOUT="x" is no number' } }],
    [
      'all quota used up',
      {
        usage: {
          groups: [{ name: 'G', buckets: [{ name: 'W', window: 'w', remaining: 0 }] }],
        } satisfies UsageReport,
      },
    ],
  ])('%s', (_, changes) => {
    expect(lines(changes).join('\n')).toMatchSnapshot();
  });
});

describe('baton doctor', () => {
  let house: ServerHouse;
  beforeAll(() => {
    house = serverHouse();
  });
  afterAll(() => house.remove());

  const doctor = (environment: Record<string, string>) =>
    startCommand('baton', ['doctor', '--json'], { cwd: house.work, env: house.environment(environment) })
      .ended;

  it('ends with 0 when all works, with 1 and the way out when a choice cannot work', async () => {
    const good = await doctor({});
    expect(good.code).toBe(0);
    const { findings } = JSON.parse(good.stdout);
    expect(findings).toContainEqual(
      expect.objectContaining({ topic: 'agy account', state: 'good', text: expect.stringContaining('83%') }),
    );
    const wrong = await doctor({ GEMINI_MCP_BACKEND: 'gemni' });
    expect(wrong.code).toBe(1);
    expect(wrong.stdout).toContain('correct or unset GEMINI_MCP_BACKEND');
    const out = await doctor({ STANDIN_USAGE: 'signed-out' });
    expect(out.code).toBe(1);
    expect(out.stdout).toContain('Run agy once interactively to sign in.');
  });
});
