import type { ChildProcess } from 'node:child_process';
import { errorCode, errorMessage } from '../../platform/errors.ts';
import { findProcesses, signalGroup, signalProcess } from '../../platform/process-tree.ts';
import { randomBytes } from '../../platform/random.ts';
import { childEnvironment, RUN_MARK } from './child-environment.ts';
import { KeptOutput } from './kept-output.ts';
import { findShell } from './shell.ts';
import type { BackgroundTask, ToolOptions } from './types.ts';
import { waitAtMost } from './wait.ts';

/** Time between the polite and the forced end of a command. */
const GRACE_MS = 1_000;
/** After the command itself has ended: output that is still in the pipe. What its children write later is not waited for. */
const DRAIN_MS = 200;

/** Ending a command is not itself broken off. */
const NEVER = new AbortController().signal;

/** How a command ended. */
export type Ending =
  | { type: 'exited'; code: number }
  | { type: 'signalled'; signal: string }
  /** It could not be started at all. */
  | { type: 'not_started'; message: string };

export interface RunningCommand {
  readonly id: string;
  readonly commandLine: string;
  /** Its process, which leads a group; undefined when it was not started. */
  readonly leader: number | undefined;
  readonly output: KeptOutput;
  /** Set once it has ended. */
  ending: Ending | undefined;
  /** Resolves when it has ended and its output is in; never rejects. */
  readonly ended: Promise<Ending>;
  /** Called with each piece of new output. */
  onOutput: ((text: string) => void) | undefined;
  /** Ends it and its children. */
  kill(): Promise<void>;
}

function waitForEnd(child: ChildProcess): Promise<Ending> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      const cause =
        errorCode(error) === 'E2BIG' ? 'the command line is too long for the system' : errorMessage(error);
      resolve({ type: 'not_started', message: cause });
    });
    child.once('exit', (code, signal) => {
      resolve(code === null ? { type: 'signalled', signal: signal ?? 'unknown' } : { type: 'exited', code });
    });
  });
}

/** The commands of one run: all that were started, so that none outlives it. */
export class Commands {
  readonly #options: ToolOptions;
  readonly #mark = randomBytes(12).toString('hex');
  readonly #commands = new Map<string, RunningCommand>();
  #count = 0;
  #closed = false;

  constructor(options: ToolOptions) {
    this.#options = options;
  }

  get(id: string): RunningCommand | undefined {
    return this.#commands.get(id);
  }

  running(): BackgroundTask[] {
    return [...this.#commands.values()]
      .filter((command) => command.ending === undefined)
      .map(({ id, commandLine }) => ({ id, commandLine }));
  }

  /** Starts a command line. What goes wrong is its ending, not an exception. */
  async start(commandLine: string, cwd: string): Promise<RunningCommand> {
    const { spawn } = await import('node:child_process');
    const { operations, environment, conversationId, conversationFolder } = this.#options;
    const id = `${this.#mark.slice(0, 6)}-${++this.#count}`;
    const output = new KeptOutput(conversationFolder, `command-${id}`);
    if (this.#closed) throw new Error('the run has ended, so no command can be started');
    const plan = operations.launch({
      argv: findShell().argv(commandLine),
      cwd,
      environment: childEnvironment(environment, conversationId, this.#mark),
    });
    const [program = '', ...args] = plan.argv;
    let child: ChildProcess;
    let ended: Promise<Ending>;
    let leader: number | undefined;
    try {
      child = spawn(program, args, {
        cwd: plan.cwd,
        env: plan.environment,
        stdio: ['ignore', 'pipe', 'pipe'],
        // A group of its own, so that the command can be ended with its children.
        detached: process.platform !== 'win32',
        windowsHide: true,
      });
      ended = waitForEnd(child);
      leader = child.pid;
    } catch (error) {
      const ending: Ending = { type: 'not_started', message: errorMessage(error) };
      const failed: RunningCommand = {
        id,
        commandLine,
        leader,
        output,
        ending,
        ended: Promise.resolve(ending),
        onOutput: undefined,
        kill: async () => {},
      };
      return failed;
    }
    const command: RunningCommand = {
      id,
      commandLine,
      leader,
      output,
      ending: undefined,
      onOutput: undefined,
      ended: this.#follow(child, ended, output, (ending) => {
        command.ending = ending;
      }),
      kill: () => this.#kill(command),
    };
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        output.push(chunk);
        command.onOutput?.(chunk.toString('utf8'));
      });
      stream?.on('error', () => {});
    }
    this.#commands.set(id, command);
    return command;
  }

  async #follow(
    child: ChildProcess,
    exited: Promise<Ending>,
    output: KeptOutput,
    settle: (ending: Ending) => void,
  ): Promise<Ending> {
    const closed = new Promise<void>((resolve) => {
      child.once('close', () => resolve());
    });
    const ending = await exited;
    // A child of the command may hold the pipe for as long as it lives: wait for the end of the output only shortly.
    await waitAtMost(closed, NEVER, DRAIN_MS);
    // The pipe is read on, or that child would be stopped by a full one, but it holds this process no longer.
    unreference(child.stdout);
    unreference(child.stderr);
    void closed.then(() => output.close());
    settle(ending);
    return ending;
  }

  async #kill(command: RunningCommand): Promise<void> {
    const { leader } = command;
    if (leader === undefined || command.ending !== undefined) return;
    if (process.platform === 'win32') {
      const { spawn } = await import('node:child_process');
      spawn('taskkill.exe', ['/T', '/F', '/PID', String(leader)], { stdio: 'ignore', windowsHide: true });
      await command.ended;
      return;
    }
    const wholeTree = findProcesses({ leader });
    signalGroup(leader, 'SIGTERM');
    for (const found of wholeTree) signalProcess(found, 'SIGTERM');
    await waitAtMost(command.ended, NEVER, GRACE_MS);
    if (command.ending === undefined) signalGroup(leader, 'SIGKILL');
    for (const found of wholeTree) signalProcess(found, 'SIGKILL');
    await command.ended;
  }

  /** Resolves when no command runs any more, or when the signal fires. */
  async waitForAll(signal: AbortSignal): Promise<void> {
    await waitAtMost(Promise.all([...this.#commands.values()].map((command) => command.ended)), signal);
  }

  /** Ends every command, and what they left behind in the background. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#commands.size === 0) return;
    const commands = [...this.#commands.values()];
    this.#commands.clear();
    await Promise.all(commands.filter(({ ending }) => ending === undefined).map((command) => command.kill()));
    // Elsewhere than on Linux the mark cannot be looked up, and the group is all there is.
    if (process.platform === 'darwin')
      for (const { leader } of commands) if (leader) signalGroup(leader, 'SIGKILL');
    for (const found of findProcesses({ marker: `${RUN_MARK}=${this.#mark}` }))
      signalProcess(found, 'SIGKILL');
    for (const command of commands) command.output.close();
  }
}

/** Lets the process end although the stream is open (pipes of children are sockets, which the types do not say). */
function unreference(stream: unknown): void {
  if (
    typeof stream === 'object' &&
    stream !== null &&
    'unref' in stream &&
    typeof stream.unref === 'function'
  )
    stream.unref();
}
