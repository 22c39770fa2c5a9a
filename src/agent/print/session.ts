import { randomUUID } from 'node:crypto';
import { formatDuration } from '../../contract/duration.ts';
import { addUsage, type Envelope, emptyUsage } from '../../contract/events.ts';
import { EXIT, type ExitCode } from '../../contract/outcome.ts';
import { VERSION } from '../../platform/version.ts';
import { branchMessages } from '../conversations/messages.ts';
import type { Conversation } from '../conversations/store.ts';
import { runTurn } from '../loop/run-turn.ts';
import type { LoopHooks, TurnEnd } from '../loop/types.ts';
import { type Effort, type Model, ModelError } from '../models/types.ts';
import type { Decision, PermissionRequest } from '../permissions/types.ts';
import type { Tool } from '../tools/types.ts';
import { type Caps, checkCaps, type PriceOf } from './caps.ts';
import type { Denials } from './denials.ts';
import type { Diagnostics } from './diagnostics.ts';
import { buildEnvelope } from './envelope.ts';
import { agyErrorLine, type Failure, failureOf, modelErrorText, RunError, TurnAborted } from './failures.ts';
import { PROGRAM } from './flags.ts';
import type { Output } from './output.ts';
import { createStepper } from './steps.ts';

/** What a session is made of; all of it is ready when the session begins. */
export interface SessionParts {
  conversation: Conversation;
  cwd: string;
  model: Model;
  system: string;
  tools: readonly Tool[];
  effort?: Effort | undefined;
  decide: (requests: readonly PermissionRequest[]) => Decision;
  denials: Denials;
  caps: Caps;
  priceOf: PriceOf;
  output: Output;
  diagnostics: Diagnostics;
  /** Longest wait for each turn in milliseconds; 0 is no limit. */
  timeoutMs: number;
  /** Turns that the conversation held before this process. */
  pastTurns: number;
  /** Milliseconds since the process began. */
  now: () => number;
}

export interface Session {
  /** Runs one turn to its result. Never rejects. */
  runPrompt(prompt: string): Promise<ExitCode>;
  /** Ends the session's protocol with a result that is no turn's (bad input on stdin). */
  refuse(error: string): void;
  /** Breaks off the running turn; false when none is running. */
  abort(reason: TurnAborted): boolean;
}

interface Ending {
  response: string;
  failure?: Failure;
}

function endingOf(end: TurnEnd, partial: string): Ending {
  const fail = (error: string, exit: ExitCode): Ending => ({
    response: end.text || partial,
    failure: { status: 'ERROR', error, exit },
  });
  if (end.reason === 'length') {
    return fail('the answer was cut off: the model reached its output limit', EXIT.error);
  }
  if (end.reason === 'content_filter') {
    return fail("the answer was withheld or cut off by the provider's content filter", EXIT.api);
  }
  if (end.text.trim() === '') return fail('the model ended its turn without an answer', EXIT.error);
  return { response: end.text };
}

export function createSession(parts: SessionParts): Session {
  const { conversation, diagnostics, output, denials } = parts;
  const stepper = createStepper(conversation, output.step);
  let turns = parts.pastTurns;
  let usage = emptyUsage();
  let running: AbortController | undefined;

  const envelope = (ending: Ending): Envelope =>
    buildEnvelope({
      conversationId: conversation.id,
      status: ending.failure?.status ?? 'SUCCESS',
      response: ending.response,
      error: ending.failure?.error,
      durationMs: parts.now(),
      turns,
      usage,
      denied: denials.all,
    });

  const hooks: LoopHooks = {
    async beforeModel(messages, callsMade) {
      checkCaps(parts.caps, callsMade, usage, parts.priceOf);
      return messages;
    },
    async beforeTool(tool, _call, prepared) {
      const decision = parts.decide(prepared.requests);
      return decision.verdict === 'allow' ? undefined : denials.refuse(tool, decision);
    },
  };

  const begin = (prompt: string): void => {
    if (turns === parts.pastTurns) {
      conversation.append({
        type: 'session',
        pid: process.pid,
        program: `${PROGRAM} ${VERSION}`,
        model: parts.model.id,
        cwd: parts.cwd,
      });
    }
    turns++;
    stepper.prompt(prompt);
  };

  const runLoop = async (prompt: string, signal: AbortSignal): Promise<TurnEnd> => {
    begin(prompt);
    let attempts = 0;
    try {
      return await runTurn({
        model: parts.model,
        system: parts.system,
        messages: branchMessages(conversation.branch),
        tools: parts.tools,
        effort: parts.effort,
        hooks,
        signal,
        onEvent(event) {
          if (event.type === 'reply_done') {
            usage = addUsage(usage, event.usage);
            attempts = 0;
          }
          if (event.type === 'attempt_failed') {
            attempts = event.attempt;
            diagnostics.say(`API error (attempt ${event.attempt}): ${modelErrorText(event.error)}`);
          }
          stepper.onEvent(event);
        },
      });
    } catch (error) {
      // The attempts that were tried again were shown as they failed; this is the last one.
      if (error instanceof ModelError && !signal.aborted) {
        stepper.onEvent({ type: 'attempt_failed', error, attempt: attempts + 1 });
      }
      throw error;
    }
  };

  /** The ending behind whatever a turn threw. */
  const brokenEnding = (error: unknown, signal: AbortSignal): Ending => {
    const reason: unknown = signal.aborted ? signal.reason : undefined;
    if (reason instanceof TurnAborted) {
      if (reason.kind === 'timeout') diagnostics.say(`[${PROGRAM}] ${reason.message}`);
      const message =
        reason.kind === 'timeout' ? `timeout waiting for response: ${reason.message}` : reason.message;
      return { response: stepper.text, failure: failureOf(new RunError(message)) };
    }
    return { response: stepper.text, failure: failureOf(error) };
  };

  const recordEnd = (ending: Ending): Ending => {
    try {
      conversation.append({
        type: 'turn_end',
        status: ending.failure?.status ?? 'SUCCESS',
        ...(ending.failure && { error: ending.failure.error }),
        usage,
        durationSeconds: parts.now() / 1000,
        ...(denials.all.length > 0 && { denied: [...denials.all] }),
      });
      return ending;
    } catch (error) {
      return ending.failure ? ending : { ...ending, failure: failureOf(error) };
    }
  };

  const report = (ending: Ending): ExitCode => {
    const notice = denials.takeNotice(ending.response !== '');
    if (notice !== undefined) diagnostics.say(notice);
    if (ending.failure) {
      diagnostics.error(ending.failure.error);
      if (ending.failure.agyError) {
        diagnostics.say(agyErrorLine(ending.failure.agyError, `${randomUUID()}-1`));
      }
    }
    output.result(envelope(ending));
    return ending.failure?.exit ?? EXIT.success;
  };

  return {
    async runPrompt(prompt) {
      const controller = new AbortController();
      running = controller;
      const stop = (): void =>
        controller.abort(
          new TurnAborted(
            'timeout',
            `print timeout after ${formatDuration(parts.timeoutMs)} with turn in progress; returning partial output`,
          ),
        );
      const timer = parts.timeoutMs > 0 ? setTimeout(stop, parts.timeoutMs) : undefined;
      let ending: Ending;
      try {
        ending = endingOf(await runLoop(prompt, controller.signal), stepper.text);
      } catch (error) {
        ending = brokenEnding(error, controller.signal);
      } finally {
        clearTimeout(timer);
        running = undefined;
      }
      return report(recordEnd(ending));
    },
    refuse(error) {
      diagnostics.error(error);
      output.result(envelope({ response: '', failure: { status: 'ERROR', error, exit: EXIT.error } }));
    },
    abort(reason) {
      running?.abort(reason);
      return running !== undefined;
    },
  };
}
