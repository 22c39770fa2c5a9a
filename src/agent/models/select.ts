import { DurationError, parseDuration } from '../../contract/duration.ts';
import type { Environment } from './environment.ts';
import { type KeyedEnvironment, withKeptKeys } from './kept-keys.ts';
import { createProviderModel } from './provider-model.ts';
import { type Choice, resolveName } from './resolve.ts';
import { type RetryPolicy, retriesOf } from './retry.ts';
import { createTransport } from './transport/fetch.ts';
import { type Effort, type Model, ModelError } from './types.ts';
import { assertEffortSupported } from './wire/effort.ts';

/** Longest silence of a model before its stream counts as stalled. Models on this machine first read the whole prompt. */
const IDLE_MS = 120_000;
const LOCAL_IDLE_MS = 600_000;

export interface SelectOptions {
  /** `provider/model`, a bare slug or a display name, with or without a trailing effort; else `BATON_MODEL`. */
  model?: string;
  effort?: Effort;
  /** `BATON_MODEL`, the providers' own variables, proxies, `BATON_MODEL_IDLE_TIMEOUT`, `BATON_MODEL_RETRIES`. */
  environment: Environment;
  signal: AbortSignal;
  /** The run's folder, for replays. Default: the current folder. */
  workspace?: string;
  /** For tests: shorter pauses. */
  retry?: Partial<RetryPolicy>;
}

function effortOf(choice: Choice, options: SelectOptions): Effort | undefined {
  if (choice.effort && options.effort && choice.effort !== options.effort) {
    throw new ModelError(
      'invalid_request',
      `invalid model selection: --model ${choice.given} conflicts with --effort=${options.effort}`,
    );
  }
  return options.effort ?? choice.effort;
}

function idleLimit(environment: Environment, isLocal: boolean): number {
  const given = environment.BATON_MODEL_IDLE_TIMEOUT;
  if (!given) return isLocal ? LOCAL_IDLE_MS : IDLE_MS;
  try {
    const ms = parseDuration(given);
    if (ms > 0) return ms;
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
  }
  throw new ModelError(
    'invalid_request',
    `BATON_MODEL_IDLE_TIMEOUT=${JSON.stringify(given)} is no duration above zero; give one like 90s or 5m`,
  );
}

async function choose(given: string, keyed: KeyedEnvironment, signal: AbortSignal): Promise<Choice> {
  if (given !== '') return resolveName(given, keyed.environment, signal);
  const { chooseDefault } = await import('./default-model.ts');
  return chooseDefault(keyed.forDefault, signal);
}

/**
 * The model for a run. Nothing is sent to a provider yet, except where the name needs a list of models to be resolved
 * or a local server is looked for. `notice` must be shown before the first request.
 * @throws {ModelError} with a message for the person: `unknown_model`, `auth` (no key), `invalid_request` (a choice that
 * contradicts itself, several keys and no model), `unavailable` (no model at all), `aborted`.
 */
export async function selectModel(options: SelectOptions): Promise<Model> {
  const { environment, signal } = options;
  const given = (options.model ?? '').trim() || (environment.BATON_MODEL ?? '').trim();
  if (given.startsWith('replay/')) {
    const { createReplayModel } = await import('./replay/play.ts');
    const workspace = options.workspace ?? process.cwd();
    return createReplayModel(given.slice('replay/'.length), { workspace });
  }
  const keyed = withKeptKeys(environment);
  let choice: Choice;
  try {
    choice = await choose(given || (keyed.model ?? ''), keyed, signal);
  } catch (error) {
    if (signal.aborted)
      throw new ModelError('aborted', 'the choice of a model was stopped', { cause: error });
    throw error;
  }
  const { endpoint, slug, notice, contextWindow } = choice;
  const effort = effortOf(choice, options);
  assertEffortSupported(`${endpoint.provider.id}/${slug}`, slug, effort);
  return createProviderModel({
    endpoint,
    slug,
    effort,
    environment,
    transport: createTransport(environment, {
      idleMs: idleLimit(environment, endpoint.provider.isLocal ?? false),
    }),
    notice,
    contextWindow,
    retry: { ...retriesOf(environment), ...options.retry },
  });
}
