import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { commandRequests } from '../permissions/command-requests.ts';
import { readArguments } from './arguments.ts';
import type { Commands, Ending, RunningCommand } from './commands.ts';
import { failed, settle, succeeded } from './outcome.ts';
import { resolveArgument } from './resolve-path.ts';
import { findShell } from './shell.ts';
import {
  type CallContext,
  type PreparedCall,
  type Tool,
  ToolInputError,
  type ToolOptions,
  type ToolOutcome,
} from './types.ts';

const DEFAULT_TIMEOUT_S = 300;
const MAX_TIMEOUT_S = 3_600;

interface Plan {
  commandLine: string;
  cwd: string;
  timeoutSeconds: number;
  /** After this, a command that still runs is left to the background. */
  backgroundAfterMs: number | undefined;
}

export function describeEnding(ending: Ending): string {
  switch (ending.type) {
    case 'exited':
      return ending.code === 0 ? 'The command completed.' : `The command exited with code ${ending.code}.`;
    case 'signalled':
      return `The command was ended by ${ending.signal}.`;
    case 'not_started':
      return `The command could not be started: ${ending.message}.`;
    default:
      return ending satisfies never;
  }
}

function finished(command: RunningCommand, ending: Ending): ToolOutcome {
  const { text, fullOutputPath } = command.output.show();
  const more = { displayOutput: text, ...(fullOutputPath === undefined ? {} : { fullOutputPath }) };
  const output = `${describeEnding(ending)}\n${text === '' ? '(no output)' : text}`;
  if (ending.type === 'not_started') return failed(describeEnding(ending));
  return succeeded(output, more);
}

function stopped(command: RunningCommand, why: string): ToolOutcome {
  const { text, fullOutputPath } = command.output.show();
  return failed(why, {
    output: `${why}\n${text === '' ? '(no output)' : `Output so far:\n${text}`}`,
    displayOutput: text,
    ...(fullOutputPath === undefined ? {} : { fullOutputPath }),
  });
}

type Happened = 'ended' | 'aborted' | 'timeout' | 'background';

/** Waits for the first thing that decides how the call ends. */
function waitForFirst(command: RunningCommand, plan: Plan, signal: AbortSignal): Promise<Happened> {
  return new Promise((resolve) => {
    const timers: NodeJS.Timeout[] = [];
    const finish = (what: Happened): void => {
      for (const timer of timers) clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      resolve(what);
    };
    const onAbort = (): void => finish('aborted');
    signal.addEventListener('abort', onAbort);
    if (plan.backgroundAfterMs === undefined)
      timers.push(setTimeout(() => finish('timeout'), plan.timeoutSeconds * 1_000));
    else timers.push(setTimeout(() => finish('background'), plan.backgroundAfterMs));
    void command.ended.then(() => finish('ended'));
    if (signal.aborted) onAbort();
  });
}

async function run(commands: Commands, plan: Plan, context: CallContext): Promise<ToolOutcome> {
  const command = await commands.start(plan.commandLine, plan.cwd);
  command.onOutput = context.onProgress;
  const happened = await waitForFirst(command, plan, context.signal);
  command.onOutput = undefined;
  switch (happened) {
    case 'ended':
      return finished(command, await command.ended);
    case 'aborted':
      await command.kill();
      return stopped(command, 'interrupted');
    case 'timeout':
      await command.kill();
      return stopped(
        command,
        `The command was ended after ${plan.timeoutSeconds} s. Give TimeoutSeconds (up to ${MAX_TIMEOUT_S}), or WaitMsBeforeAsync to leave it in the background.`,
      );
    case 'background': {
      const { text } = command.output.show();
      return succeeded(
        `The command runs on in the background; its id is ${command.id} (see command_status). It is ended with the run.\n` +
          (text === '' ? '(no output yet)' : `Output so far:\n${text}`),
        { displayOutput: text },
      );
    }
    default:
      return happened satisfies never;
  }
}

async function prepare(
  options: ToolOptions,
  commands: Commands,
  raw: Record<string, unknown>,
): Promise<PreparedCall> {
  const args = readArguments(raw);
  const commandLine = args.text('CommandLine');
  if (commandLine.trim() === '') throw new ToolInputError('the CommandLine is empty');
  if (commandLine.includes('\0')) throw new ToolInputError('the CommandLine holds a NUL character');
  const { given, path: cwd } = resolveArgument(args.optionalText('Cwd') || '.', options.workspace.base);
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    throw new ToolInputError(`Cwd ${given} is no folder`);
  const timeoutSeconds = Math.min(
    args.optionalInteger('TimeoutSeconds', 1) ?? DEFAULT_TIMEOUT_S,
    MAX_TIMEOUT_S,
  );
  const backgroundAfterMs = args.optionalInteger('WaitMsBeforeAsync', 0);
  const home = options.environment.HOME || homedir();
  const requests = await commandRequests(commandLine, { cwd, home, dialect: findShell().dialect });
  return {
    // A command may read all of the folder that it runs in.
    requests: [...requests, { action: 'read_file', path: cwd, given }],
    parameters: { CommandLine: commandLine },
    run: (context) =>
      settle(
        context.signal,
        (error) => (error instanceof Error ? error.message : String(error)),
        () => run(commands, { commandLine, cwd, timeoutSeconds, backgroundAfterMs }, context),
      ),
  };
}

export function createRunCommand(options: ToolOptions, commands: Commands): Tool {
  const sandbox =
    options.operations.sandbox === 'none' ? '' : ` It runs in a sandbox (${options.operations.sandbox}).`;
  return {
    displayName: 'RunCommand',
    declaration: {
      name: 'run_command',
      description:
        `Runs a command line in ${findShell().name} and gives its output and exit code. Nothing can be typed into it.${sandbox} ` +
        `It is ended after ${DEFAULT_TIMEOUT_S} s unless TimeoutSeconds says otherwise. Write plain commands: names of programs that come from variables are refused.`,
      parameters: {
        type: 'object',
        properties: {
          CommandLine: { type: 'string', description: 'The command line' },
          Cwd: {
            type: 'string',
            description: 'Absolute path of the folder to run in; the workspace when missing',
          },
          TimeoutSeconds: { type: 'integer', description: `When to end it, up to ${MAX_TIMEOUT_S}` },
          WaitMsBeforeAsync: {
            type: 'integer',
            description:
              'Wait so many milliseconds, then leave the command in the background (servers, watchers). It has no time limit there',
          },
        },
        required: ['CommandLine'],
      },
    },
    prepare: (args) => prepare(options, commands, args),
  };
}
