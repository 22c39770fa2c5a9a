import {
  BackendError,
  type Environment,
  type Invocation,
  type InvocationFile,
  type ResolvedBackend,
  type RunRequest,
} from '../types.ts';
import { printTimeoutArgument } from './print-timeout.ts';
import { checkPromptArgument, keepSlashLiteral, promptLine, promptText, startsWithSlash } from './prompt.ts';
import { grantRights, rightsCeiling } from './rights.ts';

// A schema above this goes through a file: command line and environment share one limit.
const MAX_INLINE_SCHEMA_BYTES = process.platform === 'win32' ? 8 * 1024 : 60 * 1024;

/** How one headless CLI differs from another when its command line is written. */
export interface HeadlessProgram {
  /** How people call it: `agy`, `baton-agent`. */
  label: string;
  /** What to do about a build that lacks something, as a half sentence. */
  upgrade: string;
  /** Relay runs act only with `skipPermissions`, job runs unless told otherwise. */
  forRelay: boolean;
  /** A limit of the operator's own in place of the derived one, in Go's notation. */
  printTimeout?: string;
  /** The model after defaults and aliases. */
  model?: string;
  /** The conversation after `continue_latest` was looked up. */
  conversationId?: string;
  /** Why a plan run cannot be kept read-only by this build though it has the flag. */
  planProblem?: string;
  /** Variables on top of those of every run. */
  environment: Record<string, string | undefined>;
}

type Delivery = { form: 'stdin' | 'argument'; outputFormat: Invocation['outputFormat']; text: string };

function describe(resolved: ResolvedBackend, label: string): string {
  return `${label} ${resolved.version || '(version unknown)'} at ${resolved.program}`;
}

/** Why a flag is missing, for notices and refusals. */
function lacks(resolved: ResolvedBackend, program: HeadlessProgram, flag: string): string {
  const who = describe(resolved, program.label);
  return resolved.helpProblem === undefined
    ? `${who} does not offer ${flag}`
    : `${who} did not tell its flags (${resolved.helpProblem}), so ${flag} cannot be sent`;
}

function chooseDelivery(
  request: RunRequest,
  resolved: ResolvedBackend,
  program: HeadlessProgram,
  slashIsLiteral: boolean,
): Delivery {
  const { capabilities } = resolved;
  const given = promptText(request);
  const isCommand = request.allowSlashCommands === true && startsWithSlash(given);
  const guarded = !request.allowSlashCommands && !slashIsLiteral && startsWithSlash(given);
  const text = guarded ? keepSlashLiteral(given) : given;
  // A command is answered by the CLI itself, which it refuses to do for prompts from stdin.
  if (capabilities.streamJsonInput && capabilities.outputFormat && !isCommand) {
    return { form: 'stdin', outputFormat: 'stream-json', text };
  }
  checkPromptArgument(text, describe(resolved, program.label), program.upgrade);
  if (!capabilities.outputFormat) return { form: 'argument', outputFormat: 'text', text };
  return {
    form: 'argument',
    outputFormat: program.forRelay || isCommand ? 'json' : 'stream-json',
    text,
  };
}

const CAPS = [
  { name: 'maxTurns', flag: '--max-turns' },
  { name: 'maxTokens', flag: '--max-tokens' },
  { name: 'maxCost', flag: '--max-cost' },
] as const;

function refuseUnsafe(request: RunRequest, resolved: ResolvedBackend, program: HeadlessProgram): void {
  const { capabilities } = resolved;
  const refuse = (why: string, problem: string): never => {
    throw new BackendError(`${why}: ${problem}. Nothing was started; ${program.upgrade}`);
  };
  if (request.mode === 'plan') {
    const problem = capabilities.mode ? program.planProblem : lacks(resolved, program, '--mode');
    if (problem !== undefined) refuse('a plan run could not be kept read-only', problem);
  }
  if (request.sandbox === true && !capabilities.sandbox)
    refuse('the sandbox asked for cannot be had', lacks(resolved, program, '--sandbox'));
  if (request.jsonSchema !== undefined && !(capabilities.jsonSchema && capabilities.outputFormat)) {
    refuse('the answer cannot be held to the schema', lacks(resolved, program, '--json-schema'));
  }
  for (const cap of CAPS) {
    if (request[cap.name] !== undefined && !capabilities[cap.name])
      refuse(`the cap ${cap.flag} cannot be kept`, lacks(resolved, program, cap.flag));
  }
  if (program.conversationId !== undefined && !capabilities.conversation) {
    refuse('the conversation cannot be continued', lacks(resolved, program, '--conversation'));
  }
}

/**
 * The command line and stdin of one run for a CLI that keeps the headless contract. A flag is sent only where the build
 * has it; a lost one is a notice, or a refusal where safety or meaning hangs on it.
 * @throws {BackendError} nothing was started.
 */
export function buildInvocation(
  request: RunRequest,
  resolved: ResolvedBackend,
  environment: Environment,
  program: HeadlessProgram,
): Invocation {
  if (request.conversationId !== undefined && request.continueLatest) {
    throw new BackendError(
      'conversation_id and continue_latest are mutually exclusive: pass one or the other',
    );
  }
  const { capabilities } = resolved;
  const granted = grantRights(request, rightsCeiling(environment), !program.forRelay);
  const { mode } = granted;
  refuseUnsafe({ ...request, mode }, resolved, program);

  const notices = [...granted.notices];
  const args = [...resolved.leadingArgs];
  const files: InvocationFile[] = [];
  const lost = (flag: string, value: string): void => {
    notices.push(`${lacks(resolved, program, flag)}; ${value} was not applied.`);
  };
  /** Sends `flag value` when there is a value and the build has the flag. */
  const option = (flag: string, value: string | undefined, offered: boolean): void => {
    if (value === undefined || value === '') return;
    if (offered) args.push(flag, value);
    else lost(flag, JSON.stringify(value));
  };

  // agy ignores plan mode while slash commands are off, so a plan run keeps a leading slash literal by other means.
  const slashFlag = !request.allowSlashCommands && mode !== 'plan' && capabilities.disableSlashCommands;
  const delivery = chooseDelivery(request, resolved, program, slashFlag);

  if (granted.skipPermissions) {
    if (capabilities.dangerouslySkipPermissions) args.push('--dangerously-skip-permissions');
    else lost('--dangerously-skip-permissions', 'the permission to act without asking');
  }
  if (capabilities.printTimeout) {
    args.push(
      '--print-timeout',
      program.printTimeout ?? printTimeoutArgument(request.timeoutMs, program.forRelay),
    );
  }
  if (delivery.form === 'stdin') args.push('--input-format', 'stream-json');
  if (delivery.outputFormat !== 'text') args.push('--output-format', delivery.outputFormat);
  if (slashFlag) args.push('--disable-slash-commands');
  option('--model', program.model, capabilities.model);
  option('--effort', request.effort, capabilities.effort);
  option('--mode', mode, capabilities.mode);
  option('--agent', request.agent, capabilities.agent);
  if (request.sandbox) args.push('--sandbox');
  for (const { name, flag } of CAPS) {
    const value = request[name];
    if (value !== undefined) args.push(flag, String(value));
  }
  const dirs = (request.dirs ?? []).filter((dir) => dir !== '' && dir !== request.cwd);
  if (capabilities.addDir) {
    // Without it the agent often works in a scratch folder of its own instead of the folder it was started in.
    for (const dir of [request.cwd, ...new Set(dirs)]) args.push('--add-dir', dir);
  } else if (dirs.length > 0) lost('--add-dir', dirs.map((dir) => JSON.stringify(dir)).join(', '));
  if (program.conversationId !== undefined) args.push('--conversation', program.conversationId);
  if (request.jsonSchema !== undefined) {
    args.push('--json-schema', request.jsonSchema);
    if (Buffer.byteLength(request.jsonSchema) > MAX_INLINE_SCHEMA_BYTES) {
      files.push({ name: 'schema.json', content: request.jsonSchema, argument: args.length - 1 });
      args[args.length - 1] = 'schema.json';
    }
  }
  if (delivery.form === 'argument') args.push('-p', delivery.text);

  const invocation: Invocation = {
    backend: resolved.name,
    program: resolved.program,
    args,
    cwd: request.cwd,
    stdin: delivery.form === 'stdin' ? promptLine(delivery.text) : '',
    environment: { ...program.environment, BATON_RIGHTS: granted.rights },
    outputFormat: delivery.outputFormat,
    expectsStructuredOutput: request.jsonSchema !== undefined,
    notices,
  };
  if (program.model !== undefined && capabilities.model) invocation.model = program.model;
  if (program.conversationId !== undefined) invocation.conversationId = program.conversationId;
  if (files.length > 0) invocation.files = files;
  return invocation;
}
