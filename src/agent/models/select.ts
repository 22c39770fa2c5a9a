import type { Environment } from './environment.ts';
import { createProviderModel } from './provider-model.ts';
import { type Choice, chooseDefault, resolveName } from './resolve.ts';
import type { RetryPolicy } from './retry.ts';
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
  environment: Environment;
  signal: AbortSignal;
  /** The run's folder, for replays. Default: the current folder. */
  workspace?: string;
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
    return createReplayModel(given.slice('replay/'.length), {
      workspace: options.workspace ?? process.cwd(),
    });
  }
  const choice =
    given === '' ? await chooseDefault(environment, signal) : await resolveName(given, environment, signal);
  const effort = effortOf(choice, options);
  const { endpoint, slug, notice } = choice;
  const idleMs = endpoint.provider.isLocal ? LOCAL_IDLE_MS : IDLE_MS;
  assertEffortSupported(`${endpoint.provider.id}/${slug}`, slug, effort);
  const transport = createTransport(environment, { idleMs });
  return createProviderModel({ endpoint, slug, effort, transport, notice, retry: options.retry });
}
