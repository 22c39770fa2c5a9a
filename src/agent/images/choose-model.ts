import { IMAGE_MODELS } from '../../contract/image-providers.ts';
import type { Environment } from '../models/environment.ts';
import { familyOf } from '../models/families.ts';
import { type KeyedEnvironment, withKeptKeys } from '../models/kept-keys.ts';
import { type Endpoint, endpointOf, findProvider } from '../models/providers.ts';
import { slugOf, withKey } from '../models/resolve.ts';
import { ModelError } from '../models/types.ts';

export interface ImageChoice {
  endpoint: Endpoint;
  model: string;
}

/** @throws {ModelError} */
function named(given: string, environment: Environment): ImageChoice {
  const slash = given.indexOf('/');
  const provider = slash > 0 ? findProvider(given.slice(0, slash)) : undefined;
  const model = given.slice(slash + 1);
  if (!provider || model === '' || provider.wire === 'anthropic')
    throw new ModelError(
      'unknown_model',
      `BATON_IMAGE_MODEL=${JSON.stringify(given)} names no model that makes images; write provider/model, such as ${IMAGE_MODELS.map((one) => `${one.provider}/${one.model}`).join(' or ')}`,
    );
  return { endpoint: withKey(endpointOf(provider, environment)), model };
}

/** The run's own model, when it is one that makes images. */
function ownModel(runModel: string, environment: Environment): ImageChoice | undefined {
  const slug = slugOf(runModel);
  const provider = findProvider(runModel.slice(0, runModel.indexOf('/')));
  if (!provider || provider.wire === 'anthropic' || !familyOf(slug)?.makesImages) return undefined;
  return { endpoint: endpointOf(provider, environment), model: slug };
}

function byKey(runModel: string, keyed: KeyedEnvironment): ImageChoice | undefined {
  const own = runModel.slice(0, runModel.indexOf('/'));
  const ordered = IMAGE_MODELS.toSorted((a, b) => Number(b.provider === own) - Number(a.provider === own));
  for (const { provider: name, model } of ordered) {
    const provider = findProvider(name);
    if (!provider) continue;
    // A kept key adds no provider to those that the environment sets up, save the one that the run uses anyway.
    const endpoint = endpointOf(provider, name === own ? keyed.environment : keyed.forDefault);
    const isOwnServer = name === 'openai' && endpoint.addressVariable !== undefined;
    if (endpoint.key && !isOwnServer) return { endpoint, model };
  }
  return undefined;
}

/**
 * The model that makes images in this run: `BATON_IMAGE_MODEL` (`provider/model`), else the run's own where it makes
 * images, else that of the first provider whose key is set, the run's own provider before the others. Nothing is sent.
 * A server that is only compatible with OpenAI seldom makes images, so it has to be chosen.
 * @param runModel `provider/model`
 * @returns undefined when nothing that makes images is set up
 * @throws {ModelError} for a `BATON_IMAGE_MODEL` that cannot be used
 */
export function chooseImageModel(environment: Environment, runModel: string): ImageChoice | undefined {
  // A script holds what its tools answer; it has no use for a provider.
  if (runModel.startsWith('replay/')) return undefined;
  const keyed = withKeptKeys(environment);
  const given = environment.BATON_IMAGE_MODEL?.trim() ?? '';
  if (given !== '') return named(given, keyed.environment);
  return ownModel(runModel, keyed.environment) ?? byKey(runModel, keyed);
}
