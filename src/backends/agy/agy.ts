import { parseDuration } from '../../contract/duration.ts';
import { errorMessage } from '../../platform/errors.ts';
import { allCapabilities, NO_CAPS, noCapabilities } from '../capabilities.ts';
import { applyEnvironment, childEnvironment } from '../child-environment.ts';
import { inspectProgram } from '../headless/inspect.ts';
import { buildInvocation } from '../headless/invocation.ts';
import { listHeadlessModels } from '../headless/list-models.ts';
import { derivePrintTimeout } from '../headless/print-timeout.ts';
import { headlessProbe, versionText } from '../headless/probe-headless.ts';
import type { Program } from '../probe.ts';
import {
  type Backend,
  BackendError,
  type Capabilities,
  type Environment,
  type Invocation,
  type ResolvedBackend,
  type RunRequest,
} from '../types.ts';
import { formatVersion, isAtLeast, parseVersion, type VersionTriple } from '../version.ts';
import { findAgy } from './find-agy.ts';
import { FALLBACK_MODELS, PINNED_MODEL, reduceModel, resolveRelayModel } from './models.ts';
import {
  agyConversationFolders,
  hasAgyConversation,
  latestAgyConversation,
  listAgySessions,
} from './store.ts';
import { listAgyConversations } from './transcript.ts';
import { readAgyUsage } from './usage.ts';

/** The first build whose print mode has stream-json and heeds `--model` and `--effort`. */
const FLOOR: VersionTriple = [1, 1, 10];
/** The first build whose print mode heeds `--mode`; older ones advertise it all the same (agy's changelog). */
const MODE_FLOOR: VersionTriple = [1, 1, 12];
const UPGRADE = 'upgrade agy to 1.1.15 or newer (agy update)';

/** What a build at the floor is known to have, for one whose help tells nothing. */
function floorCapabilities(): Capabilities {
  return { ...allCapabilities(true), ...NO_CAPS, streamJsonInput: false };
}

/** The environment changes of every run of agy. */
function agyEnvironment(environment: Environment): Record<string, string | undefined> {
  // agy replaces its own binary in place at any start; only this spelling keeps it from that.
  return { ...childEnvironment(environment), AGY_CLI_DISABLE_AUTO_UPDATE: 'true' };
}

async function resolveAgy(
  environment: Environment,
  forRelay: boolean,
  signal?: AbortSignal,
): Promise<ResolvedBackend> {
  const path = findAgy(environment, forRelay);
  const program = { path, leadingArgs: [] };
  const child = applyEnvironment(environment, agyEnvironment(environment));
  const [version, help] = await Promise.all([
    headlessProbe.version(program, 'agy', child, signal),
    headlessProbe.capabilities(program, 'agy', child, signal),
  ]);
  const resolved = { name: 'agy' as const, program: path, leadingArgs: [] };
  if (forRelay) {
    const known = 'value' in version ? version.value : undefined;
    return 'value' in help
      ? { ...resolved, version: versionText(known), capabilities: help.value }
      : {
          ...resolved,
          version: versionText(known),
          capabilities: noCapabilities(),
          helpProblem: help.problem,
        };
  }
  if ('problem' in version) throw new BackendError(version.problem, 'unusable');
  const drives = 'agy-mcp drives agy through --output-format stream-json';
  if (!isAtLeast(version.value, FLOOR)) {
    throw new BackendError(
      `agy ${formatVersion(FLOOR)} or newer is required (${drives}); ` +
        `found ${formatVersion(version.value)} at ${path}`,
      'unusable',
    );
  }
  const found = { ...resolved, version: formatVersion(version.value) };
  if ('problem' in help) return { ...found, capabilities: floorCapabilities() };
  if (!help.value.outputFormat) {
    throw new BackendError(
      `agy ${found.version} at ${path} does not offer --output-format in its help, which is required (${drives}); ${UPGRADE}`,
      'unusable',
    );
  }
  return { ...found, capabilities: help.value };
}

/** `AGY_PRINT_TIMEOUT`, which the relay's callers may set in place of the derived limit. */
function printTimeoutOverride(
  environment: Environment,
  timeoutMs: number,
): { value?: string; notice?: string } {
  const value = environment.AGY_PRINT_TIMEOUT?.trim();
  if (!value) return {};
  let ms: number;
  try {
    ms = parseDuration(value);
  } catch (error) {
    throw new BackendError(
      `AGY_PRINT_TIMEOUT="${value}" is not a Go duration like 90s or 10m: ${errorMessage(error)}`,
    );
  }
  if (ms <= 0)
    throw new BackendError(`AGY_PRINT_TIMEOUT="${value}" is not above zero; use a duration like 90s or 10m`);
  if (ms < timeoutMs) return { value };
  const derived = derivePrintTimeout(timeoutMs) / 1000;
  return {
    notice: `AGY_PRINT_TIMEOUT=${value} is not below this run's own limit of ${timeoutMs / 1000}s, which would end agy before it could report; ${derived}s was used.`,
  };
}

/** Why this build cannot be held to plan mode though it has the flag; undefined = it can, or its version is not known. */
function planProblem(versionOfBuild: string): string | undefined {
  const version = parseVersion(versionOfBuild);
  if (!version || isAtLeast(version, MODE_FLOOR)) return undefined;
  return `agy ${versionOfBuild} ignores --mode in print mode (heeded since ${formatVersion(MODE_FLOOR)})`;
}

function invokeAgy(
  request: RunRequest,
  resolved: ResolvedBackend,
  environment: Environment,
  forRelay: boolean,
): Invocation {
  const given = request.model || environment.AGY_MCP_DEFAULT_MODEL;
  const model =
    given && (forRelay && request.model ? resolveRelayModel(given, request.effort) : reduceModel(given));
  const limit = forRelay ? printTimeoutOverride(environment, request.timeoutMs) : {};
  const latest = request.continueLatest && !request.conversationId;
  const invocation = buildInvocation(request, resolved, environment, {
    label: 'agy',
    upgrade: UPGRADE,
    forRelay,
    printTimeout: limit.value,
    model: model || undefined,
    conversationId: latest
      ? latestAgyConversation(environment, request.cwd)
      : request.conversationId || undefined,
    environment: agyEnvironment(environment),
    planProblem: planProblem(resolved.version),
  });
  // Such a build names its conversation in a file only, which the next run in the folder overwrites.
  if (invocation.outputFormat === 'text') invocation.lane = 'agy';
  if (limit.notice !== undefined) invocation.notices.push(limit.notice);
  if (request.sandbox) {
    invocation.notices.push(
      'agy applies --sandbox to its terminal tool at most; a headless run is not guaranteed to be isolated.',
    );
  }
  return invocation;
}

/**
 * The Antigravity CLI. For job tools it must be at the floor version; the relay takes any build and sends what that
 * build advertises.
 */
export function createAgyBackend(options: { forRelay: boolean }): Backend {
  const { forRelay } = options;
  const find = (environment: Environment): Program => ({
    path: findAgy(environment, forRelay),
    leadingArgs: [],
  });
  const child = (environment: Environment): Environment =>
    applyEnvironment(environment, agyEnvironment(environment));
  return {
    name: 'agy',
    pinnedModel: PINNED_MODEL,
    fallbackModels: FALLBACK_MODELS,
    resolve: (environment, signal) => resolveAgy(environment, forRelay, signal),
    invoke: (request, resolved, environment) => invokeAgy(request, resolved, environment, forRelay),
    async listModels(environment, signal) {
      const resolved = await resolveAgy(environment, forRelay, signal);
      return listHeadlessModels(
        { path: resolved.program, leadingArgs: [] },
        'agy',
        child(environment),
        signal,
      );
    },
    listSessions: async (environment, dir) => listAgySessions(environment, dir),
    hasConversation: hasAgyConversation,
    latestConversation: latestAgyConversation,
    listConversations: listAgyConversations,
    conversationFolders: (environment, id) => agyConversationFolders(environment, id),
    async helpText(environment, signal) {
      const help = await headlessProbe.helpText(find(environment), 'agy', child(environment), signal);
      if ('problem' in help) throw new BackendError(help.problem, 'unusable');
      return help.value;
    },
    inspect: (environment, signal) =>
      inspectProgram(() => find(environment), 'agy', child(environment), signal),
    async usage(environment, signal) {
      let program: Program;
      try {
        program = find(environment);
      } catch (error) {
        return { problem: 'failed', detail: errorMessage(error) };
      }
      return readAgyUsage(program, child(environment), signal);
    },
  };
}
