import { EXIT, type ExitCode } from '../../contract/outcome.ts';
import { stateDir } from '../../platform/paths.ts';
import type { Answered } from '../commands/answer.ts';
import { findPlaces } from '../context/places.ts';
import { showAnswer } from './answer-command.ts';
import type { Diagnostics } from './diagnostics.ts';
import { earlyEnvelope } from './envelope.ts';
import { RunError } from './failures.ts';
import { type FlagValues, PROGRAM, type SUBCOMMANDS } from './flags.ts';
import { readOptions } from './options.ts';
import type { Output } from './output.ts';

type Subcommand = Exclude<(typeof SUBCOMMANDS)[number]['name'], 'help'>;

function refuseWords(name: string, words: readonly string[]): void {
  const [word] = words;
  if (word === undefined) return;
  const flag = /^--?([^=]+)/.exec(word)?.[1];
  throw new RunError(
    flag === undefined
      ? `unexpected argument ${JSON.stringify(word)}`
      : `flags provided but not defined: -${flag} (flags come before the subcommand: ${PROGRAM} --${flag} … ${name})`,
  );
}

async function answer(
  name: Subcommand,
  words: readonly string[],
  values: FlagValues,
  here: string,
  diagnostics: Diagnostics,
): Promise<Answered> {
  if (name === 'conversations') {
    const { answerConversations } = await import('../commands/conversations.ts');
    return answerConversations(stateDir(process.env), words, here);
  }
  refuseWords(name, words);
  if (name === 'models') {
    const { answerModels } = await import('../commands/models.ts');
    diagnostics.say('Fetching available models...');
    const answered = await answerModels(process.env, new AbortController().signal);
    if (answered.text !== '') return answered;
    for (const notice of answered.notices ?? []) diagnostics.warn(notice);
    throw new RunError(
      'there is no model to list: set the key of a provider (OPENAI_API_KEY, GEMINI_API_KEY, ANTHROPIC_API_KEY, …) ' +
        'or start a local server (Ollama, LM Studio, llama.cpp)',
    );
  }
  const { cwd, addDirs, geminiDir } = readOptions(values, here, diagnostics);
  const { answerAgents } = await import('../commands/customizations.ts');
  return answerAgents(findPlaces(process.env, [cwd, ...addDirs], geminiDir));
}

/** Runs `models`, `agents` or `conversations`. Failures are reported in the chosen format, with exit code 1. */
export async function runSubcommand(
  name: Subcommand,
  words: readonly string[],
  values: FlagValues,
  here: string,
  output: Output,
  diagnostics: Diagnostics,
): Promise<ExitCode> {
  try {
    showAnswer(await answer(name, words, values, here, diagnostics), output, diagnostics);
    return EXIT.success;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    diagnostics.error(message);
    output.result(earlyEnvelope({ status: 'ERROR', error: message }));
    return EXIT.error;
  }
}
