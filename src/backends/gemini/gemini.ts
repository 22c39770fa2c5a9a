import { isAbsolute, resolve } from 'node:path';
import { noCapabilities } from '../capabilities.ts';
import { applyEnvironment, childEnvironment } from '../child-environment.ts';
import { executableProblem, findProgram } from '../find-program.ts';
import { inspectProgram } from '../headless/inspect.ts';
import { headlessProbe, versionText } from '../headless/probe-headless.ts';
import { checkPromptArgument, promptText } from '../headless/prompt.ts';
import { rightsCeiling } from '../headless/rights.ts';
import {
  type Backend,
  BackendError,
  type Environment,
  type Invocation,
  type ModelEntry,
  type ResolvedBackend,
  type RunRequest,
} from '../types.ts';

const PRO = 'gemini-2.5-pro';
const FLASH = 'gemini-2.5-flash';
const ALIASES: Readonly<Record<string, string>> = {
  flash: FLASH,
  'gemini-flash': FLASH,
  pro: PRO,
  'gemini-pro': PRO,
};
const MODELS: readonly ModelEntry[] = [
  { id: PRO, label: 'Gemini 2.5 Pro' },
  { id: FLASH, label: 'Gemini 2.5 Flash' },
];
const PRO_QUOTA = "Quota exceeded for quota metric 'Gemini 2.5 Pro Requests'";

/**
 * The model to try once more with after an error of the legacy CLI; undefined when the error is no exhausted Pro quota,
 * or the run was on Flash already.
 */
export function geminiQuotaRetry(errorText: string, model: string | undefined): string | undefined {
  return errorText.includes(PRO_QUOTA) && model !== FLASH ? FLASH : undefined;
}

/** What is told when both attempts failed. */
export function geminiRetryFailed(message: string): string {
  return `${PRO} quota exceeded, ${FLASH} fallback also failed: ${message}`;
}

/** @throws {BackendError} `not_found` with the ways out. */
function findGemini(environment: Environment): string {
  const named = environment.GEMINI_CLI_PATH;
  if (named) {
    const path = isAbsolute(named) ? named : resolve(named);
    const problem = executableProblem(path);
    if (problem === undefined) return path;
    throw new BackendError(`config: GEMINI_CLI_PATH "${named}": ${problem}`, 'not_found');
  }
  const search = findProgram('gemini', environment);
  if (search.path !== undefined) return search.path;
  const looked = search.tried.length === 0 ? 'PATH is empty' : `looked in ${search.tried.join(', ')}`;
  throw new BackendError(
    [
      'Could not find the "gemini" executable.',
      `This server sees the PATH that its client was started with: ${looked}.`,
      'The Gemini CLI was retired on 2026-06-18. Installed all the same? Set GEMINI_CLI_PATH to its absolute path.',
      'Its successor is agy: GEMINI_MCP_BACKEND=agy (https://goo.gle/gemini-cli-migration);',
      'the agent that comes with this package needs neither: BATON_BACKEND=baton.',
    ].join('\n'),
    'not_found',
  );
}

/** The environment changes of every run of the legacy CLI. */
function geminiEnvironment(environment: Environment): Record<string, string | undefined> {
  return childEnvironment(environment);
}

async function resolveGemini(environment: Environment, signal?: AbortSignal): Promise<ResolvedBackend> {
  const path = findGemini(environment);
  const child = applyEnvironment(environment, geminiEnvironment(environment));
  const version = await headlessProbe.version({ path, leadingArgs: [] }, 'gemini', child, signal);
  return {
    name: 'gemini',
    program: path,
    leadingArgs: [],
    version: versionText('value' in version ? version.value : undefined),
    capabilities: { ...noCapabilities(), model: true, sandbox: true },
  };
}

/** A notice for each part of a request that this CLI has no flag for. */
function lostParts(request: RunRequest): string[] {
  const lost: [name: string, asked: boolean][] = [
    [`effort ${JSON.stringify(request.effort)}`, request.effort !== undefined],
    [`mode ${JSON.stringify(request.mode)}`, request.mode !== undefined],
    ['the further folders', (request.dirs ?? []).length > 0],
    ['the agent', Boolean(request.agent)],
    ['skipPermissions', request.skipPermissions === true],
    ['allowSlashCommands', request.allowSlashCommands === true],
  ];
  return lost
    .filter(([, asked]) => asked)
    .map(([name]) => `the gemini backend cannot be told ${name}; it was not applied.`);
}

function refuseUnsafe(request: RunRequest, environment: Environment): void {
  const refuse = (why: string): never => {
    throw new BackendError(`${why}. Nothing was started; use GEMINI_MCP_BACKEND=agy or BATON_BACKEND=baton`);
  };
  if (request.mode === 'plan' || rightsCeiling(environment) === 'plan') {
    refuse('a plan run could not be kept read-only: the gemini backend has no plan mode');
  }
  if (request.jsonSchema !== undefined) {
    refuse('the answer cannot be held to the schema: the gemini backend has no --json-schema');
  }
  if (request.maxTurns !== undefined || request.maxTokens !== undefined || request.maxCost !== undefined) {
    refuse('the cap cannot be kept: the gemini backend has none');
  }
  if (request.conversationId || request.continueLatest) {
    refuse('the conversation cannot be continued: the gemini backend keeps none');
  }
}

function invokeGemini(request: RunRequest, resolved: ResolvedBackend, environment: Environment): Invocation {
  refuseUnsafe(request, environment);
  const args = [...resolved.leadingArgs];
  const model = request.model?.trim();
  const resolvedModel = model && (ALIASES[model.toLowerCase()] ?? model);
  if (resolvedModel) args.push('-m', resolvedModel);
  if (request.sandbox) args.push('-s');
  const text = promptText(request);
  // The CLI reads `@file` references itself, and only from stdin; a long prompt does not fit in an argument either.
  const onStdin = text.includes('@') || fitsNoArgument(text);
  if (!onStdin) args.push('-p', text);
  const invocation: Invocation = {
    backend: 'gemini',
    program: resolved.program,
    args,
    cwd: request.cwd,
    stdin: onStdin ? text : '',
    environment: geminiEnvironment(environment),
    outputFormat: 'text',
    expectsStructuredOutput: false,
    notices: lostParts(request),
  };
  if (resolvedModel) invocation.model = resolvedModel;
  return invocation;
}

function fitsNoArgument(text: string): boolean {
  try {
    checkPromptArgument(text, 'gemini', '');
    return false;
  } catch {
    return true;
  }
}

/** The retired Gemini CLI, for relay tools only. */
export function createGeminiBackend(): Backend {
  return {
    name: 'gemini',
    resolve: resolveGemini,
    invoke: invokeGemini,
    listModels: async () => MODELS.map((model) => ({ ...model })),
    listSessions: async () => [],
    hasConversation: () => undefined,
    latestConversation: () => undefined,
    listConversations: async () => [],
    conversationFolders: () => [],
    inspect: (environment, signal) =>
      inspectProgram(
        () => ({ path: findGemini(environment), leadingArgs: [] }),
        'gemini',
        applyEnvironment(environment, geminiEnvironment(environment)),
        signal,
      ),
    async helpText(environment, signal) {
      const child = applyEnvironment(environment, geminiEnvironment(environment));
      const help = await headlessProbe.helpText(
        { path: findGemini(environment), leadingArgs: [] },
        'gemini',
        child,
        signal,
      );
      if ('problem' in help) throw new BackendError(help.problem, 'unusable');
      return help.value;
    },
  };
}
