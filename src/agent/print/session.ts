import { randomUUID } from 'node:crypto';
import { formatDuration } from '../../contract/duration.ts';
import { addUsage, type Envelope, emptyUsage } from '../../contract/events.ts';
import { EXIT, type ExitCode } from '../../contract/outcome.ts';
import { VERSION } from '../../platform/version.ts';
import { branchMessages } from '../conversations/messages.ts';
import type { Conversation } from '../conversations/store.ts';
import { runTurn } from '../loop/run-turn.ts';
import type { LoopHooks, TurnEnd } from '../loop/types.ts';
import { costOf } from '../models/prices.ts';
import { type Effort, type Model, ModelError } from '../models/types.ts';
import type { Decision, PermissionRequest } from '../permissions/types.ts';
import type { StructuredOutput } from '../structured/structured-output.ts';
import type { Tool } from '../tools/types.ts';
import { type Caps, checkCaps } from './caps.ts';
import type { Denials } from './denials.ts';
import type { Diagnostics } from './diagnostics.ts';
import { buildEnvelope, toSeconds } from './envelope.ts';
import { agyErrorLine, type Failure, failureOf, modelErrorText, RunError, TurnAborted } from './failures.ts';
import { PROGRAM } from './flags.ts';
import type { Output } from './output.ts';
import type { ReadPrompt } from './slash.ts';
import { createStepper } from './steps.ts';

/** What a session is made of; all of it is ready when the session begins. */
export interface SessionParts {
  conversation: Conversation;
  cwd: string;
  model: Model;
  system: string;
  tools: readonly Tool[];
  effort?: Effort | undefined;
  /** @param isPlan nothing may change in this turn, whatever the run's mode is */
  decide: (requests: readonly PermissionRequest[], isPlan: boolean) => Decision;
  denials: Denials;
  caps: Caps;
  output: Output;
  diagnostics: Diagnostics;
  /** Longest wait for each turn in milliseconds; 0 is no limit. */
  timeoutMs: number;
  /** Turns that the conversation held before this process. */
  pastTurns: number;
  /** Set when the answer is held to a schema. */
  structured?: StructuredOutput | undefined;
  /** Milliseconds since the process began. */
  now: () => number;
}

export interface Session {
  /** Runs one turn to its result. Never rejects. */
  runPrompt(prompt: ReadPrompt): Promise<ExitCode>;
  /** Ends the session's protocol with a result that is no turn's (bad input on stdin). */
  refuse(error: string, exit: ExitCode): void;
  /** Breaks off the running turn; false when none is running. */
  abort(reason: TurnAborted): boolean;
  /** The session was broken off from outside: no further turn may begin. */
  isOver(): boolean;
}

interface Ending {
  response: string;
  structuredOutput?: unknown;
  failure?: Failure;
}

function structuredEnding(structured: StructuredOutput, partial: string): Ending {
  const answer = structured.answer();
  if (answer) return { response: `${JSON.stringify(answer.value)}\n`, structuredOutput: answer.value };
  const error = `the answer does not match the schema of --json-schema: ${structured.fault() ?? 'there is none'}`;
  return { response: partial, failure: { status: 'ERROR', error, exit: EXIT.error } };
}

function endingOf(end: TurnEnd, partial: string, structured: StructuredOutput | undefined): Ending {
  if (structured?.answer()) return structuredEnding(structured, partial);
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
  if (structured) return structuredEnding(structured, end.text || partial);
  if (end.text.trim() === '') return fail('the model ended its turn without an answer', EXIT.error);
  return { response: end.text };
}

/** A turn that was broken off has this long to end by itself, in milliseconds; then its answer goes out without it. */
const ABANDON_MS = 2000;

/** The turn's own end, or the reason of the abort when the turn does not end soon after it. */
function orAbandoned<T>(turn: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const onAbort = (): void => {
      timer = setTimeout(() => reject(signal.reason), ABANDON_MS);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    turn.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    });
  });
}

export function createSession(parts: SessionParts): Session {
  const { conversation, diagnostics, output, denials } = parts;
  const stepper = createStepper(conversation, output.step);
  let turns = parts.pastTurns;
  let usage = emptyUsage();
  let turnUsage = emptyUsage();
  let cost = parts.model.price && 0;
  let turnCost = cost;
  let turnStarted = 0;
  let isPlan = false;
  let running: AbortController | undefined;
  let over = false;
  /** Whether the turn of this signal has been given up, so that nothing of it may be shown any more. */
  const isAbandoned = (signal: AbortSignal): boolean => running?.signal !== signal;

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
      structuredOutput: ending.structuredOutput,
      jsonSchema: parts.structured?.schema,
    });

  const spend = (dollars: number | undefined): void => {
    if (dollars === undefined) return;
    cost = (cost ?? 0) + dollars;
    turnCost = (turnCost ?? 0) + dollars;
  };

  const hooks: LoopHooks = {
    async beforeModel(messages, callsMade) {
      checkCaps(parts.caps, callsMade, usage, cost);
      return messages;
    },
    async beforeTool(tool, _call, prepared) {
      const decision = parts.decide(prepared.requests, isPlan);
      return decision.verdict === 'allow' ? undefined : denials.refuse(tool, decision);
    },
  };

  let takesTools = true;
  hooks.planCall = () => ({ withoutTools: !takesTools });
  hooks.onToolsRefused = (error) => {
    if (!takesTools) return false;
    takesTools = false;
    parts.structured?.withoutTools();
    diagnostics.warn(`${parts.model.id} takes no tools; the run goes on without them (${error.message})`);
    return true;
  };
  if (parts.structured) {
    const { structured } = parts;
    hooks.planCall = () => structured.planCall();
    hooks.isAnswered = () => structured.answer() !== undefined || structured.isSpent();
    hooks.afterReply = (text) => structured.afterReply(text);
  }

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
    turnUsage = emptyUsage();
    turnCost = parts.model.price && 0;
    turnStarted = parts.now();
    parts.structured?.beginTurn();
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
          if (isAbandoned(signal)) return;
          if (event.type === 'reply_done') {
            usage = addUsage(usage, event.usage);
            turnUsage = addUsage(turnUsage, event.usage);
            spend(costOf(parts.model.price, event.usage));
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
        usage: turnUsage,
        durationSeconds: toSeconds(parts.now() - turnStarted),
        ...(denials.all.length > 0 && { denied: [...denials.all] }),
        ...(ending.structuredOutput !== undefined && { structuredOutput: ending.structuredOutput }),
        ...(turnCost !== undefined && { costUsd: turnCost }),
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
    async runPrompt({ text: prompt, isPlan: plan }) {
      isPlan = plan;
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
        const loop = runLoop(prompt, controller.signal);
        ending = endingOf(await orAbandoned(loop, controller.signal), stepper.text, parts.structured);
      } catch (error) {
        ending = brokenEnding(error, controller.signal);
      } finally {
        clearTimeout(timer);
        running = undefined;
      }
      return report(recordEnd(ending));
    },
    refuse(error, exit) {
      diagnostics.error(error);
      output.result(envelope({ response: '', failure: { status: 'ERROR', error, exit } }));
    },
    abort(reason) {
      over = true;
      running?.abort(reason);
      return running !== undefined;
    },
    isOver: () => over,
  };
}
