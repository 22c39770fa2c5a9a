import { afterEach, describe, expect, test } from 'vitest';
import { chooseCut } from '../../../src/agent/context/compaction.ts';
import { branchMessages } from '../../../src/agent/conversations/messages.ts';
import type { ConversationRecord, NewRecord } from '../../../src/agent/conversations/records.ts';
import { type AgentHouse, agentHouse, stepsOf } from '../../support/agent.ts';
import type { ScriptedReply } from '../../support/models/script.ts';
import { type ModelCall, type ModelServer, startModelServer } from '../../support/models/server.ts';

function branchOf(records: NewRecord[]): ConversationRecord[] {
  return records.map((record, index) => ({
    id: index + 1,
    parentId: index,
    at: '2026-01-01T00:00:00Z',
    ...record,
  }));
}
const user = (text: string): NewRecord => ({ type: 'user', step: 0, text });
const call = (id: string): NewRecord => ({
  type: 'assistant',
  step: 0,
  blocks: [{ type: 'tool_call', id, name: 'view_file', arguments: {} }],
});
const result = (id: string, length: number): NewRecord => ({
  type: 'tool_result',
  step: 0,
  result: { id, name: 'view_file', output: 'x'.repeat(length), isError: false },
});
const says = (text: string): NewRecord => ({ type: 'assistant', step: 0, blocks: [{ type: 'text', text }] });

describe('the cut', () => {
  test('never parts a call from its result', () => {
    const branch = branchOf([
      user('a'),
      call('1'),
      result('1', 400),
      call('2'),
      result('2', 400),
      result('3', 400),
    ]);
    for (let keep = 1; keep < 500; keep += 7) {
      const cut = chooseCut(branch, keep);
      const kept = branch.find(({ id }) => id === cut?.firstKept);
      expect([undefined, 'assistant', 'user']).toContain(kept?.type);
    }
    // Room for the last result alone is room for its call too, or for nothing.
    expect(chooseCut(branch, 120)?.firstKept).toBe(4);
    expect(chooseCut(branch, 1)?.firstKept).toBe(4);
  });

  test('is none when all of it is to be kept, or nothing is old', () => {
    expect(chooseCut(branchOf([user('a'), says('b')]), 10_000)).toBeUndefined();
    expect(chooseCut(branchOf([user('a'.repeat(4000))]), 1)).toBeUndefined();
  });

  test('goes on from the last compaction', () => {
    const branch = branchOf([
      user('one'),
      says('old'),
      user('two'),
      says('x'.repeat(4000)),
      { type: 'compaction', step: 0, summary: 'what was', firstKept: 3 },
      user('three'),
      says('new'),
    ]);
    const cut = chooseCut(branch, 50);
    expect(cut?.firstKept).toBe(6);
    expect(cut?.old.map(({ id }) => id)).toEqual([5, 3, 4]);
    expect(branchMessages(branch)[0]).toMatchObject({
      role: 'user',
      text: expect.stringContaining('what was'),
    });
    expect(JSON.stringify(branchMessages(branch))).not.toContain('old');
  });
});

describe('a long run', () => {
  let server: ModelServer;
  let house: AgentHouse;
  afterEach(async () => {
    house.remove();
    await server.close();
  });

  const isSummary = ({ body }: ModelCall): boolean => body.tools === undefined;
  const bytes = (made: ModelCall): number => Buffer.byteLength(JSON.stringify(made.body));

  async function longRun(reply: (index: number) => ScriptedReply, environment = {}): Promise<string> {
    let index = 0;
    server = await startModelServer((made) =>
      isSummary(made) ? { text: 'NOTES: seven files were read' } : reply(index++),
    );
    house = agentHouse(server);
    for (let file = 0; file < 12; file++) house.write(`f${file}.txt`, `${'lorem ipsum '.repeat(300)}\n`);
    const run = await house.run(['-p', 'read them ALL, word for word', '--output-format', 'stream-json'], {
      environment: { BATON_CONTEXT_WINDOW: '9000', ...environment },
    });
    expect(run.envelope()).toMatchObject({ status: 'SUCCESS', response: 'all read' });
    const checkpoints = stepsOf(run).filter(({ step_type }) => step_type === 'checkpoint');
    expect(checkpoints.length).toBeGreaterThan(0);
    expect(checkpoints[0]).toMatchObject({
      state: 'DONE',
      usage: expect.any(Object),
      duration_seconds: expect.any(Number),
    });
    const sum = stepsOf(run).reduce((total, { usage }) => total + (usage?.total_tokens ?? 0), 0);
    expect(run.envelope().usage.total_tokens).toBe(sum);
    return run.envelope().conversation_id;
  }

  const readFile = (index: number): ScriptedReply =>
    index < 12
      ? {
          calls: [{ name: 'view_file', arguments: { AbsolutePath: `f${index}.txt` } }],
          usage: { input: 0, output: 5 },
        }
      : { text: 'all read' };

  test('stays within the window, keeps pairs whole and the prompt word for word', async () => {
    const id = await longRun(readFile);
    const asked = server.calls.filter((made) => !isSummary(made));
    for (const made of asked) expect(bytes(made) / 4).toBeLessThan(9000);
    const last = asked.at(-1)?.body.messages;
    const messages: {
      role: string;
      tool_calls?: { id: string }[];
      tool_call_id?: string;
      content?: unknown;
    }[] = Array.isArray(last) ? last : [];
    const called = messages.flatMap(({ tool_calls }) => (tool_calls ?? []).map((made) => made.id));
    const answered = messages.flatMap(({ tool_call_id }) => tool_call_id ?? []);
    expect(answered).toEqual(called);
    expect(JSON.stringify(messages)).toContain('NOTES: seven files were read');
    expect(JSON.stringify(messages)).toContain('read them ALL, word for word');
    // A later process goes on from the notes.
    const resumed = await house.run(['-p', 'and now?', '--conversation', id], {
      environment: { BATON_CONTEXT_WINDOW: '9000' },
    });
    expect(resumed).toMatchObject({ code: 0, stdout: 'all read' });
    expect(JSON.stringify(server.calls.at(-1)?.body.messages)).toContain('NOTES: seven files were read');
  });

  test('compacts when the model refuses a request as too long, window unknown', async () => {
    const id = await longRun(
      (index) =>
        index === 6
          ? {
              status: 400,
              body: {
                error: {
                  message: "This model's maximum context length is 5000 tokens",
                  code: 'context_length_exceeded',
                },
              },
            }
          : readFile(index),
      { BATON_CONTEXT_WINDOW: '' },
    );
    expect(id).not.toBe('');
    expect(server.calls.filter(isSummary)).toHaveLength(1);
  });

  test('a result that is larger than the window is cut, and says so', async () => {
    server = await startModelServer((_made, index) =>
      index === 0
        ? { calls: [{ name: 'view_file', arguments: { AbsolutePath: 'big.txt' } }] }
        : { text: 'seen' },
    );
    house = agentHouse(server);
    house.write('big.txt', `${'0123456789'.repeat(8)}\n`.repeat(800));
    const run = await house.run(['-p', 'x'], { environment: { BATON_CONTEXT_WINDOW: '8000' } });
    expect(run).toMatchObject({ code: 0, stdout: 'seen' });
    expect(run.stderr).toMatch(
      /notice: a result of view_file \(\d+ characters\) was cut: the model's window holds 8000 tokens/,
    );
    expect(JSON.stringify(server.calls[1]?.body.messages)).toContain('too long for the model');
  });
});
