import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ServerHouse, serverHouse } from '../support/mcp.ts';
import { type ModelServer, startModelServer } from '../support/models/server.ts';

/** Jobs of our own agent, against a stand-in model server on loopback. */
let house: ServerHouse;
let models: ModelServer | undefined;
beforeEach(() => {
  house = serverHouse({ AGY_MCP_AGY_PATH: undefined, BATON_BACKEND: 'baton', BATON_MODEL: 'openai/mock-1' });
});
afterEach(async () => {
  await models?.close();
  models = undefined;
  await house.remove();
});

describe('BATON_BACKEND=baton', () => {
  it('answers with tools about a folder, and tells steps, usage and conversation', async () => {
    writeFileSync(join(house.work, 'note.txt'), 'swordfish\n');
    models = await startModelServer([
      { calls: [{ name: 'view_file', arguments: { AbsolutePath: join(house.work, 'note.txt') } }] },
      { text: 'It says swordfish.', usage: { input: 50, output: 7 } },
    ]);
    const session = await house.connect({ environment: models.environment('chat') });
    const reply = await session.call('agy_run_sync', { prompt: 'Read the note.', cwd: house.work });
    expect(reply.value).toMatchObject({
      state: 'done',
      result: 'It says swordfish.',
      model: 'openai/mock-1',
    });
    expect(reply.value.usage).toMatchObject({ output_tokens: 17 });
    const again = await session.call('list_sessions', { dir: house.work });
    expect(again.value.sessions).toEqual([
      { workspace: house.work, conversation_id: reply.value.conversation_id },
    ]);
  });

  it('keeps the bounds of a run, and says which one stopped it', async () => {
    models = await startModelServer(() => ({
      calls: [{ name: 'list_dir', arguments: { DirectoryPath: house.work } }],
    }));
    const session = await house.connect({ environment: models.environment('chat') });
    const reply = await session.call('agy_run_sync', {
      prompt: 'Go on for ever.',
      cwd: house.work,
      max_turns: 2,
    });
    expect(reply.value).toMatchObject({ state: 'failed' });
    expect(reply.value.error).toContain('--max-turns 2');
    expect(models.calls).toHaveLength(2);
  });

  it('a run that may only plan changes nothing', async () => {
    models = await startModelServer([
      {
        calls: [
          { name: 'write_to_file', arguments: { TargetFile: join(house.work, 'x'), CodeContent: 'y' } },
        ],
      },
      { text: 'I may not.' },
    ]);
    const session = await house.connect({
      environment: { ...models.environment('chat'), BATON_RIGHTS: 'plan' },
    });
    const reply = await session.call('agy_run_sync', { prompt: 'Write x.', cwd: house.work });
    expect(reply.value).toMatchObject({ state: 'done', result: 'I may not.' });
    expect(JSON.stringify(reply.value.denied_actions)).toContain('write');
  });
});
