import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decodeEnvelope, decodeEvent } from '../../src/contract/decode-event.ts';
import type { Envelope, InitPayload, StepUpdate, StreamEvent } from '../../src/contract/events.ts';
import type { ModelServer } from './models/server.ts';

export const agentProgram = fileURLToPath(new URL('../../dist/baton-agent.js', import.meta.url));

/** A finished run of baton-agent. */
export interface AgentRun {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** The lines of stdout as events; throws on a line that is none. */
  events(): StreamEvent[];
  /** The one object of `json` output, or the payload of the last `result` event. */
  envelope(): Envelope;
}

/** A run that is going on. */
export interface RunningAgent {
  child: ChildProcessWithoutNullStreams;
  /** Resolves with the first event (not seen by an earlier call) that fits, or rejects when the run ends without one. */
  waitFor(fits: (event: StreamEvent) => boolean): Promise<StreamEvent>;
  send(value: unknown): void;
  ended: Promise<AgentRun>;
}

export interface RunOptions {
  /** Written to stdin, which is then closed. Undefined closes it at once. */
  stdin?: string | Buffer;
  environment?: Record<string, string | undefined>;
  cwd?: string;
}

/** Folders and environment of a person who has never used the program. */
export interface AgentHouse {
  /** The workspace: the folder that runs work in. */
  folder: string;
  home: string;
  stateDir: string;
  /** What every run gets. */
  environment: Record<string, string | undefined>;
  write(path: string, text: string): string;
  run(args: string[], options?: RunOptions): Promise<AgentRun>;
  start(args: string[], options?: RunOptions): RunningAgent;
  remove(): void;
}

function decodeLine(line: string): StreamEvent {
  const event = decodeEvent(JSON.parse(line));
  if (!event) throw new Error(`no event: ${line}`);
  return event;
}

function finishedRun(
  stdout: string,
  stderr: string,
  code: number | null,
  signal: NodeJS.Signals | null,
): AgentRun {
  const lines = stdout.split('\n').filter((line) => line !== '');
  return {
    code,
    signal,
    stdout,
    stderr,
    events: () => lines.map(decodeLine),
    envelope() {
      const last = lines.at(-1) ?? '';
      const value: unknown = JSON.parse(last);
      const event = decodeEvent(value);
      const envelope = event?.event === 'result' ? event.result : decodeEnvelope(value);
      if (!envelope) throw new Error(`no envelope in: ${stdout}\nstderr: ${stderr}`);
      return envelope;
    },
  };
}

export function agentHouse(server?: ModelServer): AgentHouse {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'baton-agent-')));
  const folder = join(root, 'workspace');
  const home = join(root, 'home');
  const stateDir = join(root, 'state');
  mkdirSync(folder);
  mkdirSync(home);
  const base: Record<string, string | undefined> = {
    PATH: process.env.PATH,
    HOME: home,
    BATON_STATE_DIR: stateDir,
    ...(server && { ...server.environment('chat'), BATON_MODEL: 'openai/mock-1' }),
  };

  const start = (args: string[], options: RunOptions = {}): RunningAgent => {
    const child = spawn(process.execPath, [agentProgram, ...args], {
      cwd: options.cwd ?? folder,
      env: { ...base, ...options.environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    const seen: StreamEvent[] = [];
    let taken = 0;
    let rest = '';
    let hasEnded = false;
    const wake = new Set<() => void>();
    const wakeAll = (): void => {
      for (const call of wake) call();
    };
    child.stdin.on('error', () => {});
    child.stderr.on('data', (piece: Buffer) => err.push(piece));
    child.stdout.on('data', (piece: Buffer) => {
      out.push(piece);
      const lines = (rest + piece.toString('utf8')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        try {
          seen.push(decodeLine(line));
        } catch {
          // Other formats than stream-json; they are read at the end.
        }
      }
      wakeAll();
    });
    const ended = new Promise<AgentRun>((resolve) => {
      child.on('close', (code, signal) => {
        hasEnded = true;
        wakeAll();
        resolve(
          finishedRun(Buffer.concat(out).toString('utf8'), Buffer.concat(err).toString('utf8'), code, signal),
        );
      });
    });
    return {
      child,
      ended,
      send: (value) => void child.stdin.write(`${JSON.stringify(value)}\n`),
      waitFor: (fits) =>
        new Promise((resolve, reject) => {
          const look = (): void => {
            for (; taken < seen.length; taken++) {
              const event = seen[taken];
              if (!event || !fits(event)) continue;
              taken++;
              wake.delete(look);
              resolve(event);
              return;
            }
            if (hasEnded) reject(new Error(`the run ended first: ${Buffer.concat(err).toString('utf8')}`));
          };
          wake.add(look);
          look();
        }),
    };
  };

  return {
    folder,
    home,
    stateDir,
    environment: base,
    write(path, text) {
      const file = join(folder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      return file;
    },
    start,
    async run(args, options = {}) {
      const running = start(args, options);
      running.child.stdin.end(options.stdin);
      return running.ended;
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** `{"event":"user",…}` as a driver sends it. */
export function userEvent(text: string): object {
  return { event: 'user', message: { content: text } };
}

export function stepsOf(run: AgentRun): StepUpdate[] {
  return run.events().flatMap((event) => (event.event === 'step_update' ? [event.step_update] : []));
}

export function resultsOf(run: AgentRun): Envelope[] {
  return run.events().flatMap((event) => (event.event === 'result' ? [event.result] : []));
}

export function initOf(run: AgentRun): InitPayload & { id: string } {
  const [first] = run.events();
  if (first?.event !== 'init') throw new Error(`the first event is no init: ${run.stdout}`);
  return { ...first.init, id: first.conversation_id };
}
