import type { CatalogueModel } from './catalogue/catalogue.ts';
import type { Environment } from './environment.ts';
import { familyOf } from './families.ts';
import { normalName, splitEffort } from './names.ts';
import { type Endpoint, endpointOf, findProvider, isConfigured, lacksKey, PROVIDERS } from './providers.ts';
import { type Effort, ModelError } from './types.ts';

/** What a name, or its absence, came down to. */
export interface Choice {
  /** As the person wrote it; empty for a default. */
  given: string;
  endpoint: Endpoint;
  slug: string;
  effort: Effort | undefined;
  /** Where a list said so. */
  contextWindow?: number;
  notice?: string;
}

/** The longest list of names that a message carries. */
const NAMES_SHOWN = 40;

/** Names for a message, in full up to a limit. */
export function shownNames(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN).join(', ');
  const rest = names.length - NAMES_SHOWN;
  return rest > 0 ? `${shown} and ${rest} more (all of them: baton-agent models)` : shown;
}

/** A name that cannot be used, in the words of agy. */
function selectionError(
  kind: 'unknown_model' | 'invalid_request',
  given: string,
  reason: string,
): ModelError {
  return new ModelError(kind, `invalid model selection (--model ${JSON.stringify(given)}): ${reason}`);
}

/** @throws {ModelError} `auth` when the endpoint cannot be asked without a key and has none. */
export function withKey(endpoint: Endpoint): Endpoint {
  if (!lacksKey(endpoint)) return endpoint;
  const { provider } = endpoint;
  throw new ModelError(
    'auth',
    `there is no key for ${provider.label}: set ${provider.keyVariables.join(' or ')}`,
  );
}

/** The part of a model's id behind its provider. */
export function slugOf(id: string): string {
  return id.slice(id.indexOf('/') + 1);
}

function matches(model: CatalogueModel, wanted: string): boolean {
  const bare = slugOf(model.id);
  return [model.id, bare, bare.slice(bare.lastIndexOf('/') + 1), model.label].some(
    (name) => normalName(name) === wanted,
  );
}

/** Looks a name up in everything that can be named here: as it is, then without its trailing effort. */
async function lookUp(given: string, environment: Environment, signal: AbortSignal): Promise<Choice> {
  const { listModels } = await import('./catalogue/catalogue.ts');
  const { models, failures } = await listModels(environment, { signal });
  const { base, effort } = splitEffort(given);
  for (const [name, wanted] of [
    [given, undefined],
    [base, effort],
  ] as const) {
    const found = models.filter(
      (model) => matches(model, normalName(name)) && !model.id.startsWith('replay/'),
    );
    const [first] = found;
    if (found.length > 1) {
      const ids = shownNames(found.map(({ id }) => id));
      throw selectionError('invalid_request', given, `several models have this name, choose one: ${ids}`);
    }
    const provider = first && findProvider(first.id.slice(0, first.id.indexOf('/')));
    if (first && provider) {
      const { id, contextWindow } = first;
      const endpoint = withKey(endpointOf(provider, environment));
      return {
        given,
        endpoint,
        slug: slugOf(id),
        effort: wanted,
        ...(contextWindow ? { contextWindow } : {}),
      };
    }
  }
  const home = PROVIDERS.find(({ id }) => id === familyOf(base)?.provider);
  if (home && !isConfigured(home, environment)) withKey(endpointOf(home, environment));
  const known =
    models.length > 0 ? `known models: ${shownNames(models.map(({ id }) => id))}` : 'no model is known here';
  const missing = failures.length > 0 ? ` (${failures.join('; ')})` : '';
  throw selectionError('unknown_model', given, `there is no such model; ${known}${missing}`);
}

/** The model of `provider/slug`. A slug that really ends in an effort word is known from the provider's last list. */
async function named(
  given: string,
  endpoint: Endpoint,
  rest: string,
  environment: Environment,
): Promise<Choice> {
  const split = splitEffort(rest);
  if (split.effort) {
    const { cachedModels } = await import('./catalogue/cache.ts');
    const listed = cachedModels(endpoint, environment)?.some(({ id }) => slugOf(id) === rest);
    if (listed) return { given, endpoint, slug: rest, effort: undefined };
  }
  return { given, endpoint, slug: split.base, effort: split.effort };
}

/**
 * A model by the name that a person gave. Only a name that does not say its provider, and does not give it away, costs a
 * look at the lists.
 * @throws {ModelError} `unknown_model` with the names there are, `invalid_request` when several models have the name,
 *   `auth` when the provider's key is missing.
 */
export async function resolveName(
  given: string,
  environment: Environment,
  signal: AbortSignal,
): Promise<Choice> {
  signal.throwIfAborted();
  const slash = given.indexOf('/');
  const provider = slash > 0 ? findProvider(given.slice(0, slash)) : undefined;
  if (provider) {
    const rest = given.slice(slash + 1).trim();
    if (rest === '') throw selectionError('invalid_request', given, 'the model after the slash is missing');
    return named(given, withKey(endpointOf(provider, environment)), rest, environment);
  }
  const isSlug = /^[a-z0-9][a-z0-9._-]*$/.test(given);
  const home = PROVIDERS.find(({ id }) => id === familyOf(given)?.provider);
  if (isSlug && home && isConfigured(home, environment)) {
    return named(given, withKey(endpointOf(home, environment)), given, environment);
  }
  return lookUp(given, environment, signal);
}
