import { randomUUID } from 'node:crypto';
import type { InitPayload } from '../../contract/events.ts';
import { EXIT, type ExitCode } from '../../contract/outcome.ts';
import { stateDir } from '../../platform/paths.ts';
import { latestConversation } from '../conversations/folder.ts';
import { countTurns, deniedSoFar } from '../conversations/history.ts';
import {
  type Conversation,
  ConversationError,
  createConversation,
  ephemeralConversation,
  forkConversation,
  type OpenedConversation,
  resumeConversation,
} from '../conversations/store.ts';
import { selectModel } from '../models/select.ts';
import { type Model, ModelError } from '../models/types.ts';
import type { PermissionMode } from '../permissions/types.ts';
import type { StructuredOutput } from '../structured/structured-output.ts';
import type { Tool } from '../tools/types.ts';
import { createDenials } from './denials.ts';
import type { Diagnostics } from './diagnostics.ts';
import { RunError, TurnAborted } from './failures.ts';
import type { FlagValues } from './flags.ts';
import { type Formats, type PrintOptions, selectionFrame } from './options.ts';
import type { Output } from './output.ts';
import { readPrompt } from './read-prompt.ts';
import { createSession, type Session } from './session.ts';
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

/** The model of the run. What is wrong with the choice is the caller's to mend. @throws {RunError} */
async function chooseModel(options: PrintOptions, signal: AbortSignal): Promise<Model> {
  const { model, effort, cwd } = options;
  try {
    return await selectModel({
      ...(model !== undefined && { model }),
      ...(effort && { effort }),
      environment: process.env,
      signal,
      workspace: cwd,
    });
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    if (error.kind === 'aborted') throw new RunError('interrupted', { cause: error });
    const mine = error.kind === 'unknown_model' || error.kind === 'invalid_request';
    const frame = mine
      ? selectionFrame(model, effort)
      : error.kind === 'auth'
        ? 'authentication required'
        : '';
    throw new RunError(frame === '' ? error.message : `${frame}: ${error.message}`, { cause: error });
  }
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

/** The conversation of the run. @throws {ConversationError} */
function openConversation(options: PrintOptions, state: string): OpenedConversation | Conversation {
  const id = randomUUID();
  const fields = { stateDir: state, id, cwd: options.cwd, agent: options.agent };
  if (options.conversation.kind === 'new') {
    return options.ephemeral ? ephemeralConversation(id, '') : createConversation(fields);
  }
  const wanted =
    options.conversation.kind === 'id' ? options.conversation.id : latestConversation(state, options.cwd);
  if (wanted === undefined) {
    throw new ConversationError(
      `there is no conversation of ${options.cwd} to continue; run without --continue, or name one with --conversation`,
    );
  }
  return options.fork
    ? forkConversation(state, wanted, fields)
    : resumeConversation(state, wanted, options.cwd);
}

function announce(opened: OpenedConversation, options: PrintOptions, diagnostics: Diagnostics): void {
  for (const notice of opened.notices) diagnostics.warn(notice);
  const { cwd } = opened.history.header;
  if (cwd !== options.cwd) {
    diagnostics.say(`notice: this conversation was started in ${cwd}; it goes on in ${options.cwd}`);
  }
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

/** Runs print mode from a checked command line to its exit code. */
export async function runPrint(run: PrintRun): Promise<ExitCode> {
  const { options, output, diagnostics, formats } = run;
  const structured = await readStructured(run);
  const model = await chooseModel(options, new AbortController().signal);
  if (model.notice !== undefined) diagnostics.say(model.notice);
  const prompt = formats.input === 'text' ? await readPrompt(run.values, run.here, process.stdin) : undefined;
  const opened = openConversation(options, stateDir(process.env));
  const conversation = 'conversation' in opened ? opened.conversation : opened;
  if ('conversation' in opened) announce(opened, options, diagnostics);

  const tools: Tool[] = structured ? [structured.tool] : [];
  const permissionMode: PermissionMode = options.skipPermissions ? 'always-proceed' : 'request-review';
  const session = createSession({
    conversation,
    cwd: options.cwd,
    model,
    system: '',
    tools,
    effort: options.effort,
    decide: () => ({ verdict: 'allow', reason: '' }),
    denials: createDenials(deniedSoFar(conversation.branch)),
    caps: options.caps,
    priceOf: () => undefined,
    output,
    diagnostics,
    timeoutMs: options.timeoutMs,
    pastTurns: countTurns(conversation.branch),
    structured,
    now: () => performance.now(),
  });
  const endIdle = (): void => {
    conversation.close();
    void Promise.all([output.flush(), diagnostics.flush()]).then(() => process.exit(EXIT.success));
  };
  listen(session, run.stopping, endIdle);
  const init: InitPayload = {
    cwd: options.cwd,
    tools: tools.map((tool) => tool.declaration.name),
    permission_mode: permissionMode,
    ...((options.model !== undefined || model.notice !== undefined) && { model: model.id }),
    ...(options.agent !== undefined && { agent: options.agent }),
    ...(structured && { json_schema: structured.schema }),
  };
  output.init(conversation.id, init);
  try {
    if (prompt !== undefined) return await session.runPrompt(prompt);
    const { runStdinSession } = await import('./stdin-session.ts');
    return await runStdinSession(session, process.stdin, diagnostics, () => undefined);
  } finally {
    conversation.close();
  }
}
