import { rmSync } from 'node:fs';
import type { InitPayload } from '../../contract/events.ts';
import { EXIT, type ExitCode } from '../../contract/outcome.ts';
import { stateDir } from '../../platform/paths.ts';
import { readContextFiles } from '../context/context-files.ts';
import { type CustomAgent, findAgents, findSkills } from '../context/customizations.ts';
import { findPlaces, type Places } from '../context/places.ts';
import { buildSystemPrompt } from '../context/system-prompt.ts';
import { countTurns, deniedSoFar } from '../conversations/history.ts';
import type { Model } from '../models/types.ts';
import { decide } from '../permissions/decide.ts';
import type { Mode } from '../permissions/types.ts';
import type { StructuredOutput } from '../structured/structured-output.ts';
import type { Tool } from '../tools/types.ts';
import { chooseModel } from './choose-model.ts';
import { createDenials } from './denials.ts';
import type { Diagnostics } from './diagnostics.ts';
import { RunError, TurnAborted } from './failures.ts';
import type { FlagValues } from './flags.ts';
import { createLedger } from './ledger.ts';
import { openConversation } from './open-conversation.ts';
import type { Formats, PrintOptions } from './options.ts';
import type { Output } from './output.ts';
import { isPromptGiven, readPrompt } from './read-prompt.ts';
import { openRights } from './rights.ts';
import { createSession, type Session } from './session.ts';
import { commandOf, expandPrompt, type ReadPrompt, refusedInStream } from './slash.ts';
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

/** The custom agent of `--agent`. @throws {RunError} for a name that none has */
async function findAgent(places: Places, name: string | undefined): Promise<CustomAgent | undefined> {
  if (name === undefined) return undefined;
  const { items } = await findAgents(places);
  const agent = items.find((item) => item.name === name && item.isMain);
  if (agent) return agent;
  const names = items.filter(({ isMain, isHidden }) => isMain && !isHidden).map((item) => item.name);
  const known = names.length > 0 ? `the agents here are: ${names.join(', ')}` : 'there is none here';
  throw new RunError(
    `unknown --agent ${JSON.stringify(name)}: ${known} (looked in .agents/agents of the workspace, ` +
      `${places.config}/agents and ${places.gemini}/config/agents)`,
  );
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

/** What fits in one request: `BATON_CONTEXT_WINDOW` in tokens, else what is known of the model. @throws {RunError} */
function contextWindowOf(model: Model, environment: NodeJS.ProcessEnv): number | undefined {
  const given = environment.BATON_CONTEXT_WINDOW ?? '';
  if (given === '') return model.contextWindow;
  if (/^[1-9]\d{2,8}$/.test(given)) return Number(given);
  throw new RunError(
    `BATON_CONTEXT_WINDOW=${JSON.stringify(given)} is no number of tokens; give one like 32768`,
  );
}

/** `--mode plan` counts as an expanded /plan, as in agy. */
function expandedCommands(
  expanded: ReadPrompt['expanded'],
  mode: Mode,
): Pick<InitPayload, 'expanded_commands'> {
  const plan = mode === 'plan' ? [{ name: 'plan', type: 'system' }] : [];
  const all = expanded && expanded.name !== plan[0]?.name ? [...plan, expanded] : plan;
  return all.length > 0 ? { expanded_commands: all } : {};
}

/** A custom agent may be given fewer tools. A name that no tool has is warned about, not waited for. */
function chooseTools(
  tools: readonly Tool[],
  agent: CustomAgent | undefined,
  diagnostics: Diagnostics,
): readonly Tool[] {
  const wanted = agent?.tools;
  if (!agent || !wanted) return tools;
  const names = tools.map((tool) => tool.declaration.name);
  for (const name of wanted) {
    if (!names.includes(name)) {
      diagnostics.warn(
        `agent ${agent.name} names the tool "${name}", which does not exist; there are: ${names.join(', ')}`,
      );
    }
  }
  return tools.filter((tool) => wanted.includes(tool.declaration.name));
}

/** Runs print mode from a checked command line to its exit code. */
export async function runPrint(run: PrintRun): Promise<ExitCode> {
  const { options, output, diagnostics, formats, values } = run;
  const { slashCommands } = options;
  const workspace = [options.cwd, ...options.addDirs.filter((folder) => folder !== options.cwd)];
  const places = findPlaces(process.env, workspace, options.geminiDir);
  const structured = await readStructured(run);
  const isStream = formats.input === 'stream-json';
  // A prompt from stdin is waited for only once everything else is known to be right.
  let prompt =
    !isStream && isPromptGiven(values) ? await readPrompt(values, run.here, process.stdin) : undefined;
  if (prompt !== undefined && (await answeredAsCommand(prompt, run, places))) return EXIT.success;
  const agent = await findAgent(places, options.agent);
  const model = await chooseModel({ ...options, model: options.model ?? agent?.model }, process.env);
  if (options.caps.maxCost !== undefined && !model.price) {
    throw new RunError(
      `--max-cost cannot be held: the price of ${model.id} is not known; limit the run with --max-tokens instead`,
    );
  }
  if (model.notice !== undefined) diagnostics.say(model.notice);
  if (!isStream && prompt === undefined) {
    prompt = await readPrompt(values, run.here, process.stdin);
    if (await answeredAsCommand(prompt, run, places)) return EXIT.success;
  }

  const conversation = openConversation(options, stateDir(process.env), diagnostics);
  const toolbox = openRights(options, process.env, conversation);
  for (const warning of toolbox.warnings) diagnostics.warn(warning);
  const { policy } = toolbox;
  const [contextFiles, skills] = await Promise.all([readContextFiles(places), findSkills(places)]);
  for (const notice of [...contextFiles.notices, ...skills.notices]) diagnostics.say(`notice: ${notice}`);
  const expand = (text: string) => expandPrompt(text, slashCommands ? skills.items : [], slashCommands);
  const first = prompt === undefined ? undefined : expand(prompt);

  const tools = [...chooseTools(toolbox.tools, agent, diagnostics), ...(structured ? [structured.tool] : [])];
  const session = createSession({
    conversation,
    cwd: options.cwd,
    model,
    system: buildSystemPrompt({
      introduction: agent?.introduction,
      workspace: policy.workspace,
      mode: policy.mode,
      sandbox: 'none',
      contextFiles: contextFiles.files,
      skills: skills.items,
      date: new Date().toISOString().slice(0, 10),
      platform: process.platform,
    }),
    tools,
    effort: options.effort,
    decide: (requests, isPlan) => decide(isPlan ? { ...policy, mode: 'plan' } : policy, requests),
    denials: createDenials(deniedSoFar(conversation.branch)),
    caps: options.caps,
    ledger: createLedger(model.price),
    contextWindow: contextWindowOf(model, process.env),
    output,
    diagnostics,
    timeoutMs: options.timeoutMs,
    pastTurns: countTurns(conversation.branch),
    structured,
    now: () => performance.now(),
  });
  const close = async (): Promise<void> => {
    const left = toolbox.running();
    if (left.length > 0) {
      const lines = left.map(({ commandLine }) => commandLine).join('; ');
      diagnostics.say(`terminating ${left.length} daemon task(s) on exit: ${lines}`);
    }
    await toolbox.close();
    conversation.close();
    if (options.ephemeral) rmSync(conversation.artifacts, { recursive: true, force: true });
  };
  const endIdle = (): void => {
    void Promise.all([close(), output.flush(), diagnostics.flush()]).then(() => process.exit(EXIT.success));
  };
  listen(session, run.stopping, endIdle);
  output.init(conversation.id, {
    cwd: options.cwd,
    tools: tools.map((tool) => tool.declaration.name),
    permission_mode: policy.permissionMode,
    ...((options.model !== undefined || model.notice !== undefined) && { model: model.id }),
    ...(options.agent !== undefined && { agent: options.agent }),
    ...(structured && { json_schema: structured.schema }),
    ...expandedCommands(first?.expanded, policy.mode),
  });
  try {
    if (first) return await session.runPrompt(first);
    const { runStdinSession } = await import('./stdin-session.ts');
    return await runStdinSession(session, process.stdin, diagnostics, {
      refuse: (text) => (slashCommands ? refusedInStream(text) : undefined),
      expand,
    });
  } finally {
    await close();
  }
}
