import { readArguments } from './arguments.ts';
import type { Commands } from './commands.ts';
import { failed, settle, succeeded } from './outcome.ts';
import { describeEnding } from './run-command.ts';
import type { CallContext, PreparedCall, Tool, ToolOutcome } from './types.ts';
import { waitAtMost } from './wait.ts';

const MAX_WAIT_S = 300;
const DEFAULT_CHARACTERS = 8_000;

interface Question {
  id: string;
  characters: number;
  waitSeconds: number;
}

async function answer(commands: Commands, question: Question, { signal }: CallContext): Promise<ToolOutcome> {
  const command = commands.get(question.id);
  if (!command) {
    const known = commands.running().map(({ id }) => id);
    const hint = known.length > 0 ? `; running are ${known.join(', ')}` : '; no command is running';
    return failed(`there is no command with the id ${JSON.stringify(question.id)}${hint}`);
  }
  if (command.ending === undefined && question.waitSeconds > 0) {
    await waitAtMost(command.ended, signal, question.waitSeconds * 1_000);
    signal.throwIfAborted();
  }
  const { text, fullOutputPath } = command.output.show(question.characters);
  const state =
    command.ending === undefined ? 'The command is still running.' : describeEnding(command.ending);
  return succeeded(`${state}\n${text === '' ? '(no output)' : text}`, {
    displayOutput: text,
    ...(fullOutputPath === undefined ? {} : { fullOutputPath }),
  });
}

function prepare(commands: Commands, raw: Record<string, unknown>): PreparedCall {
  const args = readArguments(raw);
  const question: Question = {
    id: args.text('CommandId'),
    characters: args.optionalInteger('OutputCharacterCount', 0) ?? DEFAULT_CHARACTERS,
    waitSeconds: Math.min(args.optionalInteger('WaitDurationSeconds', 0) ?? 0, MAX_WAIT_S),
  };
  return {
    requests: [],
    parameters: { CommandId: question.id },
    run: (context) => settle(context.signal, String, () => answer(commands, question, context)),
  };
}

export function createCommandStatus(commands: Commands): Tool {
  return {
    displayName: 'CommandStatus',
    declaration: {
      name: 'command_status',
      description: 'Shows whether a command in the background still runs, and its latest output.',
      parameters: {
        type: 'object',
        properties: {
          CommandId: { type: 'string', description: 'The id that run_command gave' },
          OutputCharacterCount: { type: 'integer', description: 'How much of the latest output to show' },
          WaitDurationSeconds: {
            type: 'integer',
            description: `Wait for its end up to so long (at most ${MAX_WAIT_S})`,
          },
        },
        required: ['CommandId'],
      },
    },
    prepare: async (args) => prepare(commands, args),
  };
}
