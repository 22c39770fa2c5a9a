import { readFileSync } from 'node:fs';
import { EXIT, type ExitCode } from '../../contract/outcome.ts';
import { errorMessage } from '../../platform/errors.ts';
import { stateDir } from '../../platform/paths.ts';
import { type CustomAgent, findAgents } from '../context/customizations.ts';
import { findPlaces, type Places } from '../context/places.ts';
import type { Model } from '../models/types.ts';
import type { StructuredOutput } from '../structured/structured-output.ts';
import { assemble } from './assemble.ts';
import { chooseModel } from './choose-model.ts';
import type { Diagnostics } from './diagnostics.ts';
import { RunError, TurnAborted } from './failures.ts';
import type { FlagValues } from './flags.ts';
import { openConversation } from './open-conversation.ts';
import type { Formats, PrintOptions } from './options.ts';
import type { Output } from './output.ts';
import { isPromptGiven, readPrompt } from './read-prompt.ts';
import type { Session } from './session.ts';
import { commandOf, refusedInStream } from './slash.ts';
import type { Stopping } from './stopping.ts';

export interface PrintRun {
  values: FlagValues;
  formats: Formats;
  options: PrintOptions;
  /** The folder the program was called in. */
  here: string;
  output: Output;
  diagnostics: Diagnostics;
  stopping: Stopping;
}

/** What `--json-schema` asks for. Validators are heavy, so they are loaded only for it. @throws {RunError} */
async function readStructured(run: PrintRun): Promise<StructuredOutput | undefined> {
  const given = run.options.jsonSchema;
  if (given === undefined) return undefined;
  if (run.formats.output === 'text') {
    throw new RunError('--json-schema requires --output-format json or stream-json');
  }
  const [{ readSchema }, { createStructuredOutput }] = await Promise.all([
    import('../structured/schema-input.ts'),
    import('../structured/structured-output.ts'),
  ]);
  return createStructuredOutput(readSchema(given, run.here));
}

/** @throws {RunError} */
function readIntroduction(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new RunError(
      `--system-prompt-file ${JSON.stringify(path)} cannot be read: ${errorMessage(error)}`,
      {
        cause: error,
      },
    );
  }
}

/** The custom agent of `--agent` among those there are. @throws {RunError} for a name that none has */
function pickAgent(
  agents: readonly CustomAgent[],
  places: Places,
  name: string | undefined,
): CustomAgent | undefined {
  if (name === undefined) return undefined;
  const agent = agents.find((item) => item.name === name && item.isMain);
  if (agent) return agent;
  const names = agents.filter(({ isMain, isHidden }) => isMain && !isHidden).map((item) => item.name);
  const known = names.length > 0 ? `the agents here are: ${names.join(', ')}` : 'there is none here';
  throw new RunError(
    `unknown --agent ${JSON.stringify(name)}: ${known} (looked in .agents/agents of the workspace, ` +
      `${places.config}/agents and ${places.gemini}/config/agents)`,
  );
}

/** The model of the run, recorded where that was asked for, and able to hold the caps. @throws {RunError} */
async function openModel(options: PrintOptions, agent: CustomAgent | undefined): Promise<Model> {
  const model = await chooseModel({ ...options, model: options.model ?? agent?.model }, process.env);
  if (options.caps.maxCost !== undefined && !model.price) {
    throw new RunError(
      `--max-cost cannot be held: the price of ${model.id} is not known; limit the run with --max-tokens instead`,
    );
  }
  if (options.record === undefined) return model;
  const { recordModel } = await import('../models/replay/record.ts');
  return recordModel(model, options.record, { workspace: options.cwd });
}

/**
 * A signal breaks off the turn; an idle session ends with 0. A lost stdout ends the turn, since nobody reads its answer.
 * @param endIdle ends the process in good order when no turn is running
 */
function listen(session: Session, stopping: Stopping, endIdle: () => void): void {
  stopping.whenStopped(() => {
    if (!session.abort(new TurnAborted('interrupted', 'interrupted'))) endIdle();
  });
  process.stdout.on('error', (error) => {
    session.abort(new TurnAborted('output_lost', `the output could not be written: ${error.message}`));
  });
}

/** Answers the prompt when it is one of our own slash commands. @throws {RunError} for one that cannot be used here */
async function answeredAsCommand(prompt: string, run: PrintRun, places: Places): Promise<boolean> {
  if (!run.options.slashCommands) return false;
  const command = commandOf(prompt);
  if (command === undefined) return false;
  const { answerCommand, showAnswer } = await import('./answer-command.ts');
  showAnswer(await answerCommand(command, run.options, places), run.output, run.diagnostics);
  return true;
}

/** Runs print mode from a checked command line to its exit code. */
export async function runPrint(run: PrintRun): Promise<ExitCode> {
  const { options, output, diagnostics, formats, values } = run;
  const places = findPlaces(process.env, [...new Set([options.cwd, ...options.addDirs])], options.geminiDir);
  const structured = await readStructured(run);
  const introduction = readIntroduction(options.systemPromptFile);
  const isStream = formats.input === 'stream-json';
  if (isStream && (values.text.print || values.text['prompt-file'])) {
    diagnostics.warn(
      'the prompt of the command line is dropped: with --input-format stream-json prompts come from stdin',
    );
  }
  // A prompt from stdin is waited for only once everything else is known to be right.
  let prompt =
    !isStream && isPromptGiven(values) ? await readPrompt(values, run.here, () => process.stdin) : undefined;
  if (prompt !== undefined && (await answeredAsCommand(prompt, run, places))) return EXIT.success;
  const agents = await findAgents(places);
  for (const notice of agents.notices) diagnostics.say(`notice: ${notice}`);
  const agent = pickAgent(agents.items, places, options.agent);
  const model = await openModel(options, agent);
  if (model.notice !== undefined) diagnostics.say(model.notice);
  if (!isStream && prompt === undefined) {
    prompt = await readPrompt(values, run.here, () => process.stdin);
    if (await answeredAsCommand(prompt, run, places)) return EXIT.success;
  }

  const conversation = openConversation(options, stateDir(process.env), diagnostics);
  const { session, expand, init, close } = await assemble({
    options,
    output,
    diagnostics,
    places,
    model,
    agent,
    agents: agents.items,
    conversation,
    structured,
    introduction,
  });
  const endIdle = (): void => {
    void Promise.all([close(), output.flush(), diagnostics.flush()]).then(() => process.exit(EXIT.success));
  };
  listen(session, run.stopping, endIdle);
  const first = prompt === undefined ? undefined : expand(prompt);
  output.init(conversation.id, init(first));
  try {
    if (first) return await session.runPrompt(first);
    const { runStdinSession } = await import('./stdin-session.ts');
    return await runStdinSession(session, process.stdin, diagnostics, {
      refuse: (text) => (options.slashCommands ? refusedInStream(text) : undefined),
      expand,
    });
  } finally {
    await close();
  }
}
