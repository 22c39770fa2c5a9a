import { errorMessage } from '../../../platform/errors.ts';
import type { Environment } from '../environment.ts';
import { familyOf } from '../families.ts';
import { priceOf } from '../prices.ts';
import { type Endpoint, endpointOf, isConfigured, PROVIDERS } from '../providers.ts';
import { replayNames } from '../replay/find.ts';
import { createTransport } from '../transport/fetch.ts';
import type { Effort, TokenPrice } from '../types.ts';
import { cachedModels, keepModels } from './cache.ts';
import { type ListedModel, listEndpoint } from './list-endpoint.ts';
import { findLocalServers } from './local-servers.ts';

/** How long one provider may take to give its list. Milliseconds. */
const LIST_LIMIT_MS = 8000;
const ALL_EFFORTS: readonly Effort[] = ['low', 'medium', 'high'];

export interface CatalogueModel {
  /** `provider/model`: what `--model` takes. */
  id: string;
  label: string;
  contextWindow?: number;
  price?: TokenPrice;
  /** The efforts it takes; empty: none; absent: not known. */
  efforts?: readonly Effort[];
  /** It makes images. */
  makesImages?: boolean;
}

export interface Catalogue {
  models: CatalogueModel[];
  /** What could not be asked, one sentence each. */
  failures: string[];
}

function completed(listed: ListedModel, isOwnAddress: boolean): CatalogueModel {
  const family = familyOf(listed.id);
  const price = isOwnAddress ? priceOf(listed.id) : undefined;
  const contextWindow = listed.contextWindow ?? family?.contextWindow;
  return {
    ...listed,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(price === undefined ? {} : { price }),
    ...(family?.effort === undefined ? {} : { efforts: family.effort === 'none' ? [] : ALL_EFFORTS }),
    ...(family?.makesImages ? { makesImages: true } : {}),
  };
}

async function askEndpoints(
  endpoints: readonly Endpoint[],
  environment: Environment,
  signal: AbortSignal,
): Promise<{ lists: Map<Endpoint, ListedModel[]>; failures: string[] }> {
  const transport = createTransport(environment, { idleMs: LIST_LIMIT_MS });
  const lists = new Map<Endpoint, ListedModel[]>();
  const failures: string[] = [];
  const ask = async (endpoint: Endpoint): Promise<void> => {
    const limit = AbortSignal.timeout(LIST_LIMIT_MS);
    try {
      lists.set(endpoint, await listEndpoint(endpoint, transport, AbortSignal.any([signal, limit])));
    } catch (error) {
      signal.throwIfAborted();
      const { label } = endpoint.provider;
      failures.push(
        limit.aborted
          ? `${label} gave no list of models within ${LIST_LIMIT_MS / 1000} s (${endpoint.address})`
          : `no list of models: ${errorMessage(error)}`,
      );
    }
  };
  await Promise.all(endpoints.map(ask));
  return { lists, failures };
}

/**
 * Every model that can be named here and now: of the providers whose keys or addresses are set (their own lists, kept
 * for 24 hours in the cache folder), of local servers that answer, the scripts of the package, and `BATON_MODEL`.
 * A provider that cannot be asked is one sentence in `failures`, never an error.
 * @param options.refresh ask again, whatever the cache holds.
 */
export async function listModels(
  environment: Environment,
  options: { signal?: AbortSignal; refresh?: boolean } = {},
): Promise<Catalogue> {
  const signal = options.signal ?? new AbortController().signal;
  const failures: string[] = [];
  const endpoints = PROVIDERS.filter(
    (provider) => !provider.isLocal && isConfigured(provider, environment),
  ).flatMap((provider) => {
    try {
      return [endpointOf(provider, environment)];
    } catch (error) {
      failures.push(errorMessage(error));
      return [];
    }
  });
  const known = new Map<Endpoint, ListedModel[]>();
  if (!options.refresh) {
    for (const endpoint of endpoints) {
      const models = cachedModels(endpoint, environment);
      if (models) known.set(endpoint, models);
    }
  }
  const [asked, local] = await Promise.all([
    askEndpoints(
      endpoints.filter((endpoint) => !known.has(endpoint)),
      environment,
      signal,
    ),
    findLocalServers(environment, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      failures.push(errorMessage(error));
      return [];
    }),
  ]);
  keepModels(
    [...asked.lists].map(([endpoint, models]) => ({ endpoint, models })),
    environment,
  );
  failures.push(...asked.failures);

  const models = endpoints.flatMap((endpoint) =>
    (known.get(endpoint) ?? asked.lists.get(endpoint) ?? []).map((model) =>
      completed(model, endpoint.addressVariable === undefined),
    ),
  );
  models.push(...local.flatMap((server) => server.models.map((model) => completed(model, false))));
  models.push(...replayNames().map((name) => ({ id: `replay/${name}`, label: `${name} (scripted)` })));
  const chosen = (environment.BATON_MODEL ?? '').trim();
  if (chosen !== '' && !models.some((model) => model.id === chosen)) {
    models.unshift(completed({ id: chosen, label: `${chosen} (BATON_MODEL)` }, false));
  }
  return { models, failures };
}
