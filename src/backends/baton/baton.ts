import { isAbsolute, join, resolve } from 'node:path';
import { hasImageProvider, NO_IMAGE_PROVIDER } from '../../contract/image-providers.ts';
import { packageRoot } from '../../platform/paths.ts';
import { readSavedKeys, SavedKeysError } from '../../platform/saved-keys.ts';
import { VERSION } from '../../platform/version.ts';
import { allCapabilities } from '../capabilities.ts';
import { applyEnvironment, childEnvironment } from '../child-environment.ts';
import { executableProblem } from '../find-program.ts';
import { inspectProgram } from '../headless/inspect.ts';
import { buildInvocation } from '../headless/invocation.ts';
import { listHeadlessModels } from '../headless/list-models.ts';
import { headlessProbe } from '../headless/probe-headless.ts';
import type { Program } from '../probe.ts';
import {
  type Backend,
  BackendError,
  type Environment,
  type Invocation,
  type ResolvedBackend,
  type RunRequest,
} from '../types.ts';
import { formatVersion } from '../version.ts';
import {
  batonConversationFolders,
  hasBatonConversation,
  latestBatonConversation,
  listBatonConversations,
  listBatonSessions,
} from './store.ts';

// Names of the relay that stand for a model of another backend; here they mean the configured one.
const CONFIGURED = new Set(['flash', 'gemini-flash', 'pro', 'gemini-pro']);

/** The agent of this package, or the one that `BATON_AGENT_PATH` names (an executable, or a script for this Node). */
function findAgent(environment: Environment): Program & { own: boolean } {
  const named = environment.BATON_AGENT_PATH;
  if (!named) {
    return {
      path: process.execPath,
      leadingArgs: [join(packageRoot(), 'dist', 'baton-agent.js')],
      own: true,
    };
  }
  const path = isAbsolute(named) ? named : resolve(named);
  const isScript = /\.[cm]?js$/.test(path);
  const problem = executableProblem(path);
  if (isScript && problem !== 'no such file or directory' && problem !== 'is not a file') {
    return { path: process.execPath, leadingArgs: [path], own: false };
  }
  if (problem === undefined) return { path, leadingArgs: [], own: false };
  throw new BackendError(`config: BATON_AGENT_PATH "${named}": ${problem}`, 'not_found');
}

function batonEnvironment(environment: Environment): Record<string, string | undefined> {
  return childEnvironment(environment);
}

async function resolveBaton(environment: Environment, signal?: AbortSignal): Promise<ResolvedBackend> {
  const { path, leadingArgs, own } = findAgent(environment);
  const base = { name: 'baton' as const, program: path, leadingArgs: [...leadingArgs] };
  if (own) {
    const script = leadingArgs[0] ?? '';
    const problem = executableProblem(script);
    if (problem !== undefined) {
      throw new BackendError(
        `the agent of this package is missing: ${script}: ${problem}. Build it with: npm run build`,
        'not_found',
      );
    }
    // It is of this very package, so what it can do is known without asking.
    return { ...base, version: VERSION, capabilities: allCapabilities(true) };
  }
  const child = applyEnvironment(environment, batonEnvironment(environment));
  const [version, help] = await Promise.all([
    headlessProbe.version({ path, leadingArgs }, 'baton-agent', child, signal),
    headlessProbe.capabilities({ path, leadingArgs }, 'baton-agent', child, signal),
  ]);
  if ('problem' in version) throw new BackendError(version.problem, 'unusable');
  if ('problem' in help) {
    throw new BackendError(`baton-agent at ${path} cannot be used: ${help.problem}`, 'unusable');
  }
  return { ...base, version: formatVersion(version.value), capabilities: help.value };
}

function invokeBaton(
  request: RunRequest,
  resolved: ResolvedBackend,
  environment: Environment,
  forRelay: boolean,
): Invocation {
  const given = request.model?.split('\t', 1)[0]?.trim();
  const own = given && !CONFIGURED.has(given.toLowerCase()) ? given : undefined;
  const latest = request.continueLatest && !request.conversationId;
  return buildInvocation(request, resolved, environment, {
    label: 'baton-agent',
    upgrade: 'reinstall baton-mcp, or unset BATON_AGENT_PATH',
    forRelay,
    model: own ?? (environment.BATON_MODEL || undefined),
    conversationId: latest
      ? latestBatonConversation(environment, request.cwd)
      : request.conversationId || undefined,
    environment: batonEnvironment(environment),
  });
}

/** Another program than the agent of this package may make images in ways of its own. */
function imageProblem(environment: Environment): string | undefined {
  if (environment.BATON_AGENT_PATH || hasImageProvider(environment)) return undefined;
  try {
    const kept = readSavedKeys(environment)?.keys;
    if (kept && hasImageProvider({ ...environment, ...kept })) return undefined;
  } catch (error) {
    // Keys that may not be used are none; a run says more about them.
    if (!(error instanceof SavedKeysError)) throw error;
  }
  return `baton-agent cannot make images here: ${NO_IMAGE_PROVIDER}. Nothing was started; the agy backend may make one (backend "agy")`;
}

/** The headless agent of this package, run as a process like any other backend. */
export function createBatonBackend(options: { forRelay: boolean }): Backend {
  return {
    name: 'baton',
    imageProblem,
    resolve: resolveBaton,
    invoke: (request, resolved, environment) => invokeBaton(request, resolved, environment, options.forRelay),
    async listModels(environment, signal) {
      const child = applyEnvironment(environment, batonEnvironment(environment));
      return listHeadlessModels(findAgent(environment), 'baton-agent', child, signal);
    },
    listSessions: async (environment, dir) => listBatonSessions(environment, dir),
    hasConversation: hasBatonConversation,
    latestConversation: latestBatonConversation,
    listConversations: async (environment, limit) => listBatonConversations(environment, limit),
    conversationFolders: batonConversationFolders,
    inspect: (environment, signal) =>
      inspectProgram(
        () => findAgent(environment),
        'baton-agent',
        applyEnvironment(environment, batonEnvironment(environment)),
        signal,
      ),
    async helpText(environment, signal) {
      const child = applyEnvironment(environment, batonEnvironment(environment));
      const help = await headlessProbe.helpText(findAgent(environment), 'baton-agent', child, signal);
      if ('problem' in help) throw new BackendError(help.problem, 'unusable');
      return help.value;
    },
  };
}
