import { existsSync, statSync } from 'node:fs';
import { errorCode, errorMessage } from '../platform/errors.ts';
import { runShortCommand, type ShortOutcome } from '../platform/short-command.ts';
import { applyEnvironment } from './child-environment.ts';
import type { Environment } from './types.ts';

/** How a program is started: `leadingArgs` come before everything else. */
export interface Program {
  path: string;
  leadingArgs: readonly string[];
}

/**
 * Names one state of a file: it changes when the file is replaced or written to, which self-updating programs do.
 * The path alone where the file cannot be looked at.
 */
export function fileStamp(path: string): string {
  try {
    const { size, mtimeMs, ino } = statSync(path);
    return `${path}\0${size}\0${mtimeMs}\0${ino}`;
  } catch {
    return path;
  }
}

/** The problem of a question whose caller did not wait for the answer. */
export const CANCELLED = 'the caller gave up';

/** `slow`: the problem was waited for until a time limit, so asking again would cost as much. */
export type Answer<T> = { value: T } | { problem: string; slow?: boolean };

interface Entry<T> {
  answer: Answer<T>;
  /** When a failure is asked anew, in milliseconds of Date.now; undefined = never. */
  until?: number;
}

/**
 * Asks a program something once per state of its file. Callers that ask at the same time share one question, and one
 * that gives up does not end it for the others. A problem is asked anew each time, save a slow one, which is kept for
 * `slowProblemMs` (0 = not at all).
 */
export function createProbe<T>(slowProblemMs: number): {
  ask(key: string, question: () => Promise<Answer<T>>, signal?: AbortSignal): Promise<Answer<T>>;
} {
  const known = new Map<string, Entry<T>>();
  const open = new Map<string, Promise<Answer<T>>>();

  const askNow = async (key: string, question: () => Promise<Answer<T>>): Promise<Answer<T>> => {
    try {
      const answer = await question();
      if ('value' in answer) known.set(key, { answer });
      else if (answer.slow && slowProblemMs > 0)
        known.set(key, { answer, until: Date.now() + slowProblemMs });
      return answer;
    } finally {
      open.delete(key);
    }
  };

  return {
    async ask(key, question, signal) {
      const entry = known.get(key);
      if (entry && (entry.until === undefined || entry.until > Date.now())) return entry.answer;
      let asking = open.get(key);
      if (!asking) {
        asking = askNow(key, question);
        open.set(key, asking);
      }
      return signal ? unlessCancelled(asking, signal) : asking;
    },
  };
}

/** The answer, or a problem at once when the caller gives up; the question itself goes on for others. */
async function unlessCancelled<T>(asking: Promise<Answer<T>>, signal: AbortSignal): Promise<Answer<T>> {
  let giveUp: (() => void) | undefined;
  const cancelled = new Promise<Answer<T>>((resolve) => {
    giveUp = () => resolve({ problem: CANCELLED });
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  });
  try {
    return await Promise.race([asking, cancelled]);
  } finally {
    if (giveUp) signal.removeEventListener('abort', giveUp);
  }
}

/** Runs a short question to a program and tells a start that failed from an answer. */
export async function askProgram(
  program: Program,
  args: readonly string[],
  environment: Environment,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Answer<ShortOutcome>> {
  try {
    const value = await runShortCommand({
      program: program.path,
      args: [...program.leadingArgs, ...args],
      environment: applyEnvironment(environment, {}),
      timeoutMs,
      signal,
    });
    return { value };
  } catch (error) {
    const message = errorMessage(error);
    if (errorCode(error) !== 'ENOENT' || !existsSync(program.path)) return { problem: message };
    // The system names the wrong file here: the one it misses is the script's interpreter.
    return { problem: `${message} (the file is there, but the program that its first line names is not)` };
  }
}

/** The last piece of what a program printed, for a message: one line, bounded. */
export function briefly(text: string, limit = 300): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return line.length > limit ? `${line.slice(0, limit)}…` : line;
}
