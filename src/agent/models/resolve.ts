import { findLocalServers } from './catalogue/local-servers.ts';
import type { Environment } from './environment.ts';
import { familyOf } from './families.ts';
import { splitEffort } from './names.ts';
import { type Endpoint, endpointOf, findProvider, isConfigured, lacksKey, PROVIDERS } from './providers.ts';
import { type Effort, ModelError } from './types.ts';

/** What a name, or its absence, came down to. */
export interface Choice {
  /** As the person wrote it. */
  given: string;
  endpoint: Endpoint;
  slug: string;
  effort: Effort | undefined;
  notice?: string;
}

const THREE_WAYS =
  'set the key of a provider (OPENAI_API_KEY, GEMINI_API_KEY, ANTHROPIC_API_KEY, …), ' +
  'or start a local server (Ollama, LM Studio, llama.cpp), ' +
  'or name a model with --model provider/model or BATON_MODEL';

function withKey(endpoint: Endpoint): Endpoint {
  if (!lacksKey(endpoint)) return endpoint;
  const { provider } = endpoint;
  throw new ModelError('auth', `no key for ${provider.label}: set ${provider.keyVariables.join(' or ')}`);
}

/** The model of a run that names none: decision 5. */
export async function chooseDefault(environment: Environment, signal: AbortSignal): Promise<Choice> {
  const remote = PROVIDERS.filter((provider) => !provider.isLocal && isConfigured(provider, environment));
  if (remote.length > 1) {
    const names = remote.map((provider) => `${provider.id}/${provider.defaultModel ?? '…'}`);
    throw new ModelError(
      'invalid_request',
      `several providers are set up (${remote.map(({ label }) => label).join(', ')}) and no model is chosen: ` +
        `name one with --model or BATON_MODEL, such as ${names.join(' or ')}`,
    );
  }
  const [provider] = remote;
  if (provider?.defaultModel !== undefined) {
    const endpoint = withKey(endpointOf(provider, environment));
    return { given: '', endpoint, slug: provider.defaultModel, effort: undefined };
  }
  const servers = await findLocalServers(environment, signal);
  const server = servers.find(({ models }) => models.length > 0);
  const [model] = server?.models ?? [];
  if (!server || !model) {
    const empty = servers[0] ? `${servers[0].endpoint.provider.label} runs here but holds no model; ` : '';
    throw new ModelError('unavailable', `there is no model to use: ${empty}${THREE_WAYS}`);
  }
  const { endpoint } = server;
  return {
    given: '',
    endpoint,
    slug: model.id.slice(endpoint.provider.id.length + 1),
    effort: undefined,
    notice: `no key is set: using ${model.id} of the local server ${endpoint.provider.label} at ${endpoint.address}`,
  };
}

/** A model by the name that a person gave. */
export async function resolveName(
  given: string,
  environment: Environment,
  signal: AbortSignal,
): Promise<Choice> {
  signal.throwIfAborted();
  const slash = given.indexOf('/');
  const named = slash > 0 ? findProvider(given.slice(0, slash)) : undefined;
  const { base, effort } = splitEffort(named ? given.slice(slash + 1) : given);
  const provider = named ?? PROVIDERS.find(({ id }) => id === familyOf(base)?.provider);
  if (!provider) throw new ModelError('unknown_model', `unknown model ${JSON.stringify(given)}`);
  return { given, endpoint: withKey(endpointOf(provider, environment)), slug: base, effort };
}
