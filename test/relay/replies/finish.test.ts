import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JobStatus } from '../../../src/jobs/types.ts';
import { createChunkCache } from '../../../src/relay/chunk-cache/chunk-cache.ts';
import { inlineReferences } from '../../../src/relay/inline/inline.ts';
import { finishRelayRun, type RelayRun } from '../../../src/relay/replies/finish.ts';
import { decodeRelayContext } from '../../../src/relay/replies/relay-context.ts';
import type { Reply } from '../../../src/relay/replies/reply.ts';
import { isRelayRunTool, RELAY_RUN_TOOLS } from '../../../src/relay/replies/run-tools.ts';
import { makeTree, PNG_HEAD, type Tree } from '../support/tree.ts';

function run(
  tree: Tree,
  tool: RelayRun['tool'],
  over: Partial<RelayRun> = {},
  status: Partial<JobStatus> = {},
): RelayRun {
  return {
    tool,
    status: {
      job_id: 'job-1',
      kind: tool,
      state: 'done',
      elapsed_ms: 10,
      result: 'Text.',
      conversation_id: 'c-1',
      notices: ['from the job'],
      ...status,
    },
    args: {},
    context: { root: tree.path, sent: [], notices: ['from inlining'] },
    backend: 'agy',
    ownFolders: [join(tree.path, 'brain')],
    startedAt: Date.now() - 5000,
    cache: createChunkCache(join(tree.path, 'cache')),
    ...over,
  };
}

function first(reply: Reply): string {
  const item = reply.content[0];
  return item?.type === 'text' ? item.text : '';
}

test('each tool has its form, whoever asks for the answer', async () => {
  using tree = makeTree();
  const notices = '⚠️ from inlining\n⚠️ from the job\n\n';
  expect(first(await finishRelayRun(run(tree, 'gemini-ask')))).toBe(
    `${notices}Gemini response:\nText.\n\n🧵 conversationId: c-1 (pass it back to continue this thread)`,
  );
  expect(first(await finishRelayRun(run(tree, 'gemini-plan')))).toBe(`${notices}Text.`);
  expect(first(await finishRelayRun(run(tree, 'gemini-brainstorm')))).toBe(`${notices}Text.`);
  for (const tool of RELAY_RUN_TOOLS) {
    expect(isRelayRunTool(tool)).toBe(true);
    expect(
      first(await finishRelayRun(run(tree, tool, {}, { state: 'running', result: undefined }))),
    ).toContain('agy_wait');
    const failed = await finishRelayRun(
      run(
        tree,
        tool,
        { args: { changeMode: true } },
        { state: 'failed', error: 'no quota', result: undefined },
      ),
    );
    expect([failed.isError, first(failed)]).toEqual([true, `Error executing ${tool}: no quota`]);
  }
  expect(isRelayRunTool('agy_run')).toBe(false);
});

test('change mode and images are finished from what was kept with the job', async () => {
  using tree = makeTree({ 'a.ts': 'one\n', 'brain/x.png': PNG_HEAD });
  const { files } = await inlineReferences({
    prompt: '@a.ts',
    root: tree.path,
    rootKind: 'declared',
    home: '/x',
  });
  const kept: unknown = JSON.parse(JSON.stringify({ root: tree.path, sent: files, notices: [] }));
  const context = decodeRelayContext(kept);
  if (!context) throw new Error('not decoded');
  const edit = '**FILE: a.ts:1**\n```\nOLD:\none\nNEW:\ntwo\n```';
  const edits = await finishRelayRun(
    run(tree, 'gemini-ask', { args: { changeMode: true }, context }, { result: edit }),
  );
  expect(first(edits)).toMatch(/^\[CHANGEMODE OUTPUT - Gemini has analyzed/);
  expect(edits.content[1]).toEqual({ type: 'text', text: '⚠️ from the job' });

  const image = await finishRelayRun(
    run(tree, 'gemini-image', { args: { prompt: 'p', outputPath: 'out/y' } }),
  );
  expect(first(image)).toContain('`out/y.png`');
  const blocked = await finishRelayRun(
    run(tree, 'gemini-image', { args: { prompt: 'p', outputPath: 'a.ts/y.png' } }),
  );
  expect(first(blocked)).toContain('The image is not copied into the project: Invalid outputPath');
});

test('a context that is not ours is not used', () => {
  for (const value of [
    undefined,
    {},
    { root: 1, sent: [], notices: [] },
    { root: '/', sent: [{}], notices: [] },
    { root: '/', sent: [], notices: [1] },
  ])
    expect(decodeRelayContext(value)).toBeUndefined();
});
