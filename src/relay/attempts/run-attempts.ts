import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { findTurn } from '../../backends/agy/find-turn.ts';
import { geminiQuotaRetry } from '../../backends/gemini/gemini.ts';
import { signalGroup } from '../../platform/process-tree.ts';
import { logAttempt, type RetryReason } from './attempt-log.ts';
import { type AttemptEnd, runAttempt } from './one-attempt.ts';
import { runUnderPty } from './pty-attempt.ts';

export interface AttemptsOrder {
  reason: RetryReason;
  /** File that names the attempts after the first. */
  log: string;
  program: string;
  args: readonly string[];
}

/** What is running now, and whether this program was told to end: then nothing more is begun. */
interface Current {
  stop(signal: NodeJS.Signals): void;
  stopped: boolean;
}

function followSignals(): Current & { set(child: ChildProcess, isGroup: boolean): void } {
  let running: { child: ChildProcess; isGroup: boolean } | undefined;
  const current = {
    stopped: false,
    set(child: ChildProcess, isGroup: boolean): void {
      running = { child, isGroup };
    },
    stop(signal: NodeJS.Signals): void {
      current.stopped = true;
      const { pid } = running?.child ?? {};
      if (running?.isGroup && pid !== undefined) signalGroup(pid, signal);
      else running?.child.kill(signal);
    },
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.on(signal, () => current.stop(signal));
  return current;
}

/** The value behind a flag. */
function valueOf(args: readonly string[], flag: string): string | undefined {
  const at = args.indexOf(flag);
  return at === -1 ? undefined : args[at + 1];
}

/** The same command line with another model. */
export function withModel(args: readonly string[], model: string): string[] {
  const at = args.indexOf('-m');
  return at === -1 ? ['-m', model, ...args] : [...args.slice(0, at + 1), model, ...args.slice(at + 2)];
}

/** Whether the quota of the model was used up, and which one to try then. */
function nextModel(end: AttemptEnd, args: readonly string[]): string | undefined {
  const failed = end.code !== 0 || !end.printed;
  return failed
    ? geminiQuotaRetry(`${end.stderr}\n${end.held.toString('utf8')}`, valueOf(args, '-m'))
    : undefined;
}

/** Ends this program as its last attempt ended. */
function leave(end: Pick<AttemptEnd, 'code' | 'signal' | 'problem'>): void {
  if (end.problem !== undefined) process.stderr.write(`${end.problem}\n`);
  if (end.signal !== null) {
    process.removeAllListeners(end.signal);
    process.kill(process.pid, end.signal);
    return;
  }
  process.exitCode = end.code ?? 127;
}

async function withQuotaRetry(order: AttemptsOrder, input: Buffer): Promise<void> {
  const { program, args, log } = order;
  const current = followSignals();
  const onSpawn = (child: ChildProcess): void => current.set(child, false);
  const first = await runAttempt({ program, args, input, hold: true, onSpawn });
  const model = current.stopped ? undefined : nextModel(first, args);
  if (model === undefined) {
    process.stdout.write(first.held);
    leave(first);
    return;
  }
  logAttempt(log, { number: 2, reason: 'quota', model });
  leave(await runAttempt({ program, args: withModel(args, model), input, hold: false, onSpawn }));
}

/** Whether the run has left anything in the agent's store: then it had its turn, and is not made again. */
async function leftTrace(order: AttemptsOrder, sinceMs: number): Promise<boolean> {
  const prompt = valueOf(order.args, '-p')?.trim();
  const found = await findTurn({
    environment: process.env,
    conversationId: valueOf(order.args, '--conversation'),
    cwd: process.cwd(),
    sinceMs,
    isOurs: (text) => text.trim() === prompt,
  });
  return 'reply' in found || found.trace;
}

async function withPtyRetry(order: AttemptsOrder, input: Buffer): Promise<void> {
  const { program, args, log } = order;
  const current = followSignals();
  const startedAt = Date.now();
  const first = await runAttempt({
    program,
    args,
    input,
    hold: false,
    onSpawn: (child) => current.set(child, false),
  });
  const saidNothing = first.code === 0 && !first.printed && first.stderr.trim() === '';
  if (!saidNothing || current.stopped || (await leftTrace(order, startedAt))) {
    leave(first);
    return;
  }
  logAttempt(log, { number: 2, reason: 'pty' });
  const second = await runUnderPty(program, args, { onSpawn: (child) => current.set(child, true) });
  process.stdout.write(second.text);
  if (second.isCut) logAttempt(log, { number: 2, reason: 'pty', isCut: true });
  leave({ code: second.isCut || second.code === null ? 0 : second.code, signal: null });
}

/**
 * Runs an agent once, and a second time where the first attempt allows it: all of it one run of one job. Stdout, stderr
 * and the way it ends are those of the attempt that counts.
 */
export async function runAttempts(order: AttemptsOrder): Promise<void> {
  const input = readFileSync(0);
  await (order.reason === 'quota' ? withQuotaRetry(order, input) : withPtyRetry(order, input));
}
