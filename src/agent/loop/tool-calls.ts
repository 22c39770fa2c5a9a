import { errorMessage } from '../../platform/errors.ts';
import type { ToolCall, ToolResult } from '../models/types.ts';
import type { PreparedCall, Tool, ToolOutcome } from '../tools/types.ts';
import type { TurnOptions } from './types.ts';

function failure(message: string): ToolOutcome {
  return { output: message, isError: true, errorMessage: message };
}

type Ready = { call: ToolCall; tool: Tool; prepared: PreparedCall };
type Settled = { call: ToolCall; outcome: ToolOutcome; parameters: Record<string, unknown> };

const shownParameters = (call: ToolCall): Record<string, unknown> =>
  typeof call.arguments === 'string' ? { Arguments: call.arguments } : call.arguments;

/** Finds the tool and lets it check its arguments. What is wrong with a call is told to the model, not thrown. */
async function prepareCall(options: TurnOptions, call: ToolCall): Promise<Ready | Settled> {
  const refuse = (message: string): Settled => ({
    call,
    outcome: failure(message),
    parameters: shownParameters(call),
  });
  const tool = options.tools.find((candidate) => candidate.declaration.name === call.name);
  if (!tool) return refuse(`unknown tool: "${call.name}" — check spelling`);
  if (typeof call.arguments === 'string') {
    const start = call.arguments.slice(0, 200);
    return refuse(`the arguments of ${call.name} are no JSON object: ${start}; send the call again`);
  }
  try {
    return { call, tool, prepared: await tool.prepare(call.arguments) };
  } catch (error) {
    return refuse(errorMessage(error));
  }
}

/** A call that only looks may run beside others; one that changes something waits for those before it. */
function onlyReads(prepared: PreparedCall): boolean {
  return prepared.requests.every(({ action }) => action === 'read_file' || action === 'read_url');
}

/**
 * Runs the calls of one reply and gives their results in the order of the calls. Calls that only read run side by side;
 * any other runs alone, in its place, so that "write, then read" means what it says.
 * Never throws for a failing tool; throws what `onEvent` or a hook throws, after the running calls have ended.
 */
export async function runToolCalls(options: TurnOptions, calls: readonly ToolCall[]): Promise<ToolResult[]> {
  const now = options.now ?? (() => performance.now());
  const results = new Map<ToolCall, ToolResult>();
  const running = new Set<Promise<void>>();
  let broken: { error: unknown } | undefined;

  const finish = (call: ToolCall, given: ToolOutcome, started: number): void => {
    const outcome = options.hooks.afterTool?.(call, given) ?? given;
    const result: ToolResult = {
      id: call.id,
      name: call.name,
      output: outcome.output,
      isError: outcome.isError,
    };
    if (outcome.image) result.image = outcome.image;
    results.set(call, result);
    options.onEvent({ type: 'tool_done', call, result, outcome, durationMs: now() - started });
  };
  const runOne = async (ready: Ready): Promise<void> => {
    const { call, tool, prepared } = ready;
    const started = now();
    options.onEvent({ type: 'tool_started', call, parameters: prepared.parameters });
    const refused = await options.hooks.beforeTool?.(tool, call, prepared);
    const outcome = refused ?? (await runPrepared(prepared, options.signal));
    finish(call, outcome, started);
  };
  const drain = async (): Promise<void> => {
    await Promise.all(running);
    if (broken) throw broken.error;
  };

  for (const call of calls) {
    if (options.signal.aborted) break;
    const ready = await prepareCall(options, call);
    if ('outcome' in ready) {
      options.onEvent({ type: 'tool_started', call, parameters: ready.parameters });
      finish(call, ready.outcome, now());
      continue;
    }
    const alone = !onlyReads(ready.prepared);
    if (alone) await drain();
    const task = runOne(ready).catch((error: unknown) => {
      broken ??= { error };
    });
    running.add(task);
    void task.then(() => running.delete(task));
    if (alone) await drain();
  }
  await drain();
  options.signal.throwIfAborted();
  return calls.flatMap((call) => results.get(call) ?? []);
}

/** `run` promises not to reject; a tool that breaks the promise must not take the turn with it. */
async function runPrepared(prepared: PreparedCall, signal: AbortSignal): Promise<ToolOutcome> {
  try {
    return await prepared.run({ signal });
  } catch (error) {
    return failure(errorMessage(error));
  }
}
