import { formatDuration } from '../../contract/duration.ts';
import type { Envelope, StepUpdate } from '../../contract/events.ts';
import { EXIT, type ExitCode } from '../../contract/outcome.ts';
import { randomUuid } from '../../platform/random.ts';
import { VERSION } from '../../platform/version.ts';
import { createCompactor } from '../context/compaction.ts';
import { branchMessages } from '../conversations/messages.ts';
import type { Conversation } from '../conversations/store.ts';
import { runTurn } from '../loop/run-turn.ts';
import type { LoopEvent, TurnEnd } from '../loop/types.ts';
import { type Effort, type Model, ModelError } from '../models/types.ts';
import type { Decision, PermissionRequest } from '../permissions/types.ts';
import type { StructuredOutput } from '../structured/structured-output.ts';
import type { Tool } from '../tools/types.ts';
import type { Caps } from './caps.ts';
import type { Denials } from './denials.ts';
import type { Diagnostics } from './diagnostics.ts';
import { brokenEnding, type Ending, endingOf } from './ending.ts';
import { buildEnvelope, toSeconds } from './envelope.ts';
import { agyErrorLine, failureOf, modelErrorText, TurnAborted } from './failures.ts';
import { PROGRAM } from './flags.ts';
import type { Ledger } from './ledger.ts';
import type { Output } from './output.ts';
import type { Redact } from './redact.ts';
import type { ReadPrompt } from './slash.ts';
import { createStepper } from './steps.ts';
import { createHooks } from './turn-hooks.ts';

/** What a session is made of; all of it is ready when the session begins. */
export interface SessionParts {
  conversation: Conversation;
  cwd: string;
  model: Model;
  system: string;
  tools: readonly Tool[];
  effort?: Effort | undefined;
  decide: (requests: readonly PermissionRequest[]) => Decision;
  /** Takes secrets out of what tools return. */
  redact: Redact;
  /** The model was found to take no tools. */
  onNoTools: (message: string) => void;
  denials: Denials;
  caps: Caps;
  ledger: Ledger;
  /** Tokens that fit in one request of the model, where known. */
  contextWindow: number | undefined;
  output: Output;
  diagnostics: Diagnostics;
  /** Longest wait for each turn in milliseconds; 0 is no limit. */
  timeoutMs: number;
  /** Turns that the conversation held before this process. */
  pastTurns: number;
  /** Set when the answer is held to a schema. */
  structured?: StructuredOutput | undefined;
  /** A turn begins. */
  onTurn: (prompt: ReadPrompt) => void;
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
  const { conversation, diagnostics, output, denials, ledger, structured, model } = parts;
  const show = (update: StepUpdate): void => output.step(update);
  const stepper = createStepper(conversation, show);
  let turns = parts.pastTurns;
  let turnStarted = 0;
  let running: AbortController | undefined;
  let over = false;

  const compactor = createCompactor({
    model,
    window: parts.contextWindow,
    system: parts.system,
    tools: parts.tools.map((tool) => tool.declaration),
    branch: () => conversation.branch,
    keep(checkpoint) {
      ledger.spend(checkpoint.usage);
      stepper.checkpoint(checkpoint);
    },
    notice: (text) => diagnostics.say(`notice: ${text}`),
  });
  const hooks = createHooks({
    caps: parts.caps,
    ledger,
    compactor,
    denials,
    decide: parts.decide,
    structured,
    redact: parts.redact,
    onNoTools: parts.onNoTools,
    signal: () => running?.signal ?? AbortSignal.abort(),
  });

  const envelope = (ending: Ending): Envelope =>
    buildEnvelope({
      conversationId: conversation.id,
      status: ending.failure?.status ?? 'SUCCESS',
      response: ending.response,
      error: ending.failure?.error,
      durationMs: parts.now(),
      turns,
      usage: ledger.total,
      denied: denials.all,
      structuredOutput: ending.structuredOutput,
      jsonSchema: structured?.schema,
    });

  const begin = (prompt: string): void => {
    if (turns === parts.pastTurns) {
      conversation.append({
        type: 'session',
        pid: process.pid,
        program: `${PROGRAM} ${VERSION}`,
        model: model.id,
        cwd: parts.cwd,
      });
    }
    turns++;
    ledger.beginTurn();
    turnStarted = parts.now();
    structured?.beginTurn();
    stepper.prompt(prompt);
  };

  const runLoop = async (prompt: string, signal: AbortSignal): Promise<TurnEnd> => {
    begin(prompt);
    let attempts = 0;
    const onEvent = (event: LoopEvent): void => {
      // A turn that was given up must not show anything any more.
      if (running?.signal !== signal) return;
      if (event.type === 'reply_done') {
        ledger.spend(event.usage);
        compactor.observe(event.usage);
        attempts = 0;
      } else if (event.type === 'attempt_failed') {
        attempts = event.attempt;
        diagnostics.say(`API error (attempt ${event.attempt}): ${modelErrorText(event.error)}`);
      }
      stepper.onEvent(event);
    };
    try {
      return await runTurn({
        model,
        system: parts.system,
        messages: branchMessages(conversation.branch),
        tools: parts.tools,
        effort: parts.effort,
        hooks,
        signal,
        onEvent,
      });
    } catch (error) {
      // The attempts that were tried again were shown as they failed; this is the last one.
      if (error instanceof ModelError && !signal.aborted) {
        stepper.onEvent({ type: 'attempt_failed', error, attempt: attempts + 1 });
      }
      throw error;
    }
  };

  const recordEnd = (ending: Ending): Ending => {
    const { failure, structuredOutput } = ending;
    try {
      conversation.append({
        type: 'turn_end',
        status: failure?.status ?? 'SUCCESS',
        ...(failure && { error: failure.error }),
        usage: ledger.turn,
        durationSeconds: toSeconds(parts.now() - turnStarted),
        ...(denials.all.length > 0 && { denied: [...denials.all] }),
        ...(structuredOutput !== undefined && { structuredOutput }),
        ...(ledger.turnCost !== undefined && { costUsd: ledger.turnCost }),
      });
      return ending;
    } catch (error) {
      return failure ? ending : { ...ending, failure: failureOf(error) };
    }
  };

  const report = (ending: Ending): ExitCode => {
    const { failure } = ending;
    const notice = denials.takeNotice(ending.response !== '');
    if (notice !== undefined) diagnostics.say(notice);
    if (failure) diagnostics.error(failure.error);
    if (failure?.agyError) diagnostics.say(agyErrorLine(failure.agyError, `${randomUuid()}-1`));
    output.result(envelope(ending));
    return failure?.exit ?? EXIT.success;
  };

  const runToEnding = async (prompt: string, controller: AbortController): Promise<Ending> => {
    const { signal } = controller;
    const after = formatDuration(parts.timeoutMs);
    const timeout = `print timeout after ${after} with turn in progress; returning partial output`;
    const stop = (): void => {
      diagnostics.say(`[${PROGRAM}] ${timeout}`);
      controller.abort(new TurnAborted('timeout', timeout));
    };
    const timer = parts.timeoutMs > 0 ? setTimeout(stop, parts.timeoutMs) : undefined;
    try {
      return endingOf(await orAbandoned(runLoop(prompt, signal), signal), stepper.text, structured);
    } catch (error) {
      return brokenEnding(error, stepper.text, signal);
    } finally {
      clearTimeout(timer);
    }
  };

  return {
    async runPrompt(prompt) {
      const controller = new AbortController();
      running = controller;
      parts.onTurn(prompt);
      const ending = await runToEnding(prompt.text, controller);
      running = undefined;
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
