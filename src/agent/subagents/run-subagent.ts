import { addUsage, emptyUsage, type Usage } from '../../contract/events.ts';
import { errorMessage } from '../../platform/errors.ts';
import { createCompactor } from '../context/compaction.ts';
import { branchMessages } from '../conversations/messages.ts';
import type { Conversation } from '../conversations/store.ts';
import { runTurn } from '../loop/run-turn.ts';
import type { Effort, Model } from '../models/types.ts';
import type { Ledger } from '../print/ledger.ts';
import { createStepper } from '../print/steps.ts';
import { createHooks, type HookParts } from '../print/turn-hooks.ts';
import type { Tool } from '../tools/types.ts';

export interface SubagentRun {
  conversation: Conversation;
  model: Model;
  contextWindow: number | undefined;
  effort: Effort | undefined;
  system: string;
  prompt: string;
  tools: readonly Tool[];
  /** Rights, caps and counters are the parent's: a subagent has no more of anything. */
  hooks: Omit<HookParts, 'compactor' | 'signal' | 'structured'>;
  ledger: Ledger;
  notice: (text: string) => void;
  signal: AbortSignal;
}

export interface SubagentResult {
  text: string;
  usage: Usage;
  /** Why there is no answer. */
  failure?: string;
}

/**
 * Runs one subagent to its answer. Its steps are kept in a conversation of its own and not shown. Never rejects: a
 * failure is told to the model that asked.
 */
export async function runSubagent(run: SubagentRun): Promise<SubagentResult> {
  const { conversation, model, signal, ledger, system, tools } = run;
  let usage = emptyUsage();
  const spend = (used: Usage): void => {
    usage = addUsage(usage, used);
    ledger.spend(used);
  };
  const stepper = createStepper(conversation, () => {});
  const compactor = createCompactor({
    model,
    window: run.contextWindow,
    system,
    tools: tools.map((tool) => tool.declaration),
    branch: () => conversation.branch,
    keep(checkpoint) {
      spend(checkpoint.usage);
      stepper.checkpoint(checkpoint);
    },
    notice: run.notice,
  });
  const started = performance.now();
  let text = '';
  let failure: string | undefined;
  try {
    stepper.prompt(run.prompt);
    const end = await runTurn({
      model,
      system,
      messages: branchMessages(conversation.branch),
      tools,
      effort: run.effort,
      hooks: createHooks({ ...run.hooks, compactor, structured: undefined, signal: () => signal }),
      signal,
      onEvent(event) {
        if (event.type === 'reply_done') {
          spend(event.usage);
          compactor.observe(event.usage);
        }
        stepper.onEvent(event);
      },
    });
    text = end.text;
    if (end.reason !== 'stop') failure = `its answer was cut off (${end.reason})`;
    else if (text.trim() === '') failure = 'it ended without an answer';
  } catch (error) {
    ({ text } = stepper);
    failure = errorMessage(error);
  }
  try {
    conversation.append({
      type: 'turn_end',
      status: failure === undefined ? 'SUCCESS' : 'ERROR',
      ...(failure !== undefined && { error: failure }),
      usage,
      durationSeconds: (performance.now() - started) / 1000,
    });
    conversation.close();
  } catch (error) {
    failure ??= errorMessage(error);
  }
  return { text, usage, ...(failure !== undefined && { failure }) };
}
