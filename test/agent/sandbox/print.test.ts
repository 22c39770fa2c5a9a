import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findBubblewrap } from '../../../src/agent/sandbox/bubblewrap.ts';
import { type AgentHouse, agentHouse, stepsOf } from '../../support/agent.ts';
import type { ScriptedReply } from '../../support/models/script.ts';
import { startModelServer } from '../../support/models/server.ts';

const program = process.platform === 'linux' ? findBubblewrap(process.env.PATH, []) : undefined;
const works =
  program !== undefined &&
  spawnSync(program, [
    '--unshare-user',
    '--unshare-pid',
    '--ro-bind',
    '/',
    '/',
    '--proc',
    '/proc',
    '--',
    '/bin/true',
  ]).status === 0;
if (!works) console.warn('SKIPPED: runs with --sandbox need a bubblewrap that works');

async function openHouse(replies: ScriptedReply[]): Promise<AgentHouse> {
  const server = await startModelServer(replies);
  const house = agentHouse(server);
  onTestFinished(async () => {
    house.remove();
    await server.close();
  });
  return house;
}

const command = (CommandLine: string): ScriptedReply => ({
  calls: [{ name: 'run_command', arguments: { CommandLine } }],
});
const FLAGS = ['-p', 'x', '--output-format', 'stream-json', '--dangerously-skip-permissions'];

describe.skipIf(!works)('baton-agent --sandbox', () => {
  test('runs commands in the sandbox, which the model is told', async () => {
    const house = await openHouse([
      command('echo in >in.txt; echo out >"$HOME/out.txt"; echo "$TMPDIR"; ls "$HOME"'),
      { text: 'done' },
    ]);
    const run = await house.run([...FLAGS, '--sandbox']);
    expect(run.code).toBe(0);
    const step = stepsOf(run).find(({ state, step_type }) => step_type === 'tool' && state === 'DONE');
    expect(step?.tool_info?.output).toMatch(/No such file or directory|Read-only file system/);
    expect(step?.tool_info?.output).toContain('/tmp\n');
    expect(readFileSync(join(house.folder, 'in.txt'), 'utf8')).toBe('in\n');
    expect(existsSync(join(house.home, 'out.txt'))).toBe(false);
  });

  test('without the flag, the same command reaches its place', async () => {
    const house = await openHouse([command('echo out >"$HOME/out.txt"'), { text: 'done' }]);
    expect((await house.run(FLAGS)).code).toBe(0);
    expect(readFileSync(join(house.home, 'out.txt'), 'utf8')).toBe('out\n');
  });
});

describe.skipIf(works)('baton-agent --sandbox where there is none', () => {
  test('refuses before anything is sent to the model', async () => {
    const house = await openHouse([{ text: 'done' }]);
    const run = await house.run([...FLAGS, '--sandbox']);
    expect(run.code).toBe(1);
    expect(run.envelope().error).toContain('--sandbox');
    expect(run.envelope().error).toContain('Commands are not run without it');
  });
});
