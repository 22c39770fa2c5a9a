import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createTools } from '../../../src/agent/tools/create-tools.ts';
import type { Operations, PreparedCall, ToolOptions, ToolOutcome } from '../../../src/agent/tools/types.ts';
import { createWorkspace } from '../../../src/agent/tools/workspace.ts';

export const plain: Operations = { launch: (plan) => plan, sandbox: 'none' };

export interface Bench {
  /** The workspace folder. */
  root: string;
  /** A folder beside it, outside the workspace. */
  outside: string;
  options: ToolOptions;
  write(name: string, content: string | Uint8Array): string;
  prepare(tool: string, args: Record<string, unknown>): Promise<PreparedCall>;
  /** Prepares and runs a call, as if everything were allowed. */
  run(tool: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<ToolOutcome>;
}

/** A temporary workspace with all tools over it; removed when the test has finished. */
export function createBench(more: Partial<ToolOptions> = {}): Bench {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'baton-tools-')));
  const root = join(top, 'workspace');
  const outside = join(top, 'outside');
  mkdirSync(root);
  mkdirSync(outside);
  const options: ToolOptions = {
    workspace: createWorkspace([root]),
    operations: plain,
    environment: { PATH: process.env.PATH, HOME: top },
    conversationId: 'conversation-1',
    conversationFolder: join(top, 'conversation'),
    ...more,
  };
  const set = createTools(options);
  onTestFinished(async () => {
    await set.close();
    rmSync(top, { recursive: true, force: true });
  });
  const prepare = async (name: string, args: Record<string, unknown>): Promise<PreparedCall> => {
    const tool = set.tools.find((candidate) => candidate.declaration.name === name);
    if (!tool) throw new Error(`no tool ${name}`);
    return await tool.prepare(args);
  };
  return {
    root,
    outside,
    options,
    prepare,
    write(name, content) {
      const path = join(root, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      return path;
    },
    run: async (name, args, signal = new AbortController().signal) =>
      await (await prepare(name, args)).run({ signal }),
  };
}
