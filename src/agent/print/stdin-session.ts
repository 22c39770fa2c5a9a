import { EXIT, type ExitCode } from '../../contract/outcome.ts';
import { errorMessage } from '../../platform/errors.ts';
import type { Diagnostics } from './diagnostics.ts';
import type { Session } from './session.ts';
import type { ReadPrompt } from './slash.ts';
import { LineTooLongError, readLines } from './stdin-lines.ts';
import { readStreamMessage, type StreamMessage } from './stream-message.ts';

/** What a leading slash means in a stream of prompts. */
export interface SlashRules {
  /** Why the prompt cannot be a turn; undefined when it can. */
  refuse(prompt: string): string | undefined;
  expand(prompt: string): ReadPrompt;
}

async function* messages(stdin: AsyncIterable<unknown>): AsyncGenerator<StreamMessage> {
  try {
    for await (const line of readLines(stdin)) yield readStreamMessage(line);
  } catch (error) {
    const why =
      error instanceof LineTooLongError ? error.message : `stdin cannot be read: ${errorMessage(error)}`;
    yield { kind: 'bad', error: `failed to decode stream input: ${why}`, exit: EXIT.error };
  }
}

/**
 * Runs the prompts of stdin as turns of one conversation, one after another, until stdin ends. Lines that come during a
 * turn wait in the pipe. A failed turn does not end the session: the next prompt is taken, and the worst exit code of
 * its turns is the session's. A message that cannot be taken ends it, after the turns before it.
 */
export async function runStdinSession(
  session: Session,
  stdin: AsyncIterable<unknown>,
  diagnostics: Diagnostics,
  slash: SlashRules,
): Promise<ExitCode> {
  let worst: ExitCode = EXIT.success;
  for await (const message of messages(stdin)) {
    if (message.kind === 'unknown') {
      diagnostics.warn(message.warning);
      continue;
    }
    if (message.kind === 'bad') {
      session.refuse(message.error, message.exit);
      return message.exit;
    }
    const refusal = slash.refuse(message.text);
    if (refusal !== undefined) {
      session.refuse(refusal, EXIT.usage);
      return EXIT.usage;
    }
    const exit = await session.runPrompt(slash.expand(message.text));
    if (exit > worst) worst = exit;
    if (session.isOver()) break;
  }
  return worst;
}
