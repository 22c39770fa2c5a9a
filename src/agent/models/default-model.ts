import { listEndpoint } from './catalogue/list-endpoint.ts';
import { findLocalServers } from './catalogue/local-servers.ts';
import type { Environment } from './environment.ts';
import { type Endpoint, endpointOf, isConfigured, PROVIDERS, type Provider } from './providers.ts';
import { type Choice, shownNames, slugOf, withKey } from './resolve.ts';
import { createTransport } from './transport/fetch.ts';
import { ModelError } from './types.ts';

const THREE_WAYS =
  'set the key of a provider (OPENAI_API_KEY, GEMINI_API_KEY, ANTHROPIC_API_KEY, …), ' +
  'or start a local server (Ollama, LM Studio, llama.cpp), ' +
  'or name a model with --model provider/model or BATON_MODEL';

/** How long a server of one's own may take to say what it serves. Milliseconds. */
const LIST_LIMIT_MS = 8000;

/** A server of one's own serves what it serves: the provider's usual model is right only where it is listed. */
async function onOwnServer(
  endpoint: Endpoint,
  environment: Environment,
  signal: AbortSignal,
): Promise<Choice> {
  const transport = createTransport(environment, { idleMs: LIST_LIMIT_MS });
  const models = await listEndpoint(endpoint, transport, signal);
  const usual = models.find(({ id }) => slugOf(id) === endpoint.provider.defaultModel);
  const [first] = models;
  const only = models.length === 1 ? first : undefined;
  const chosen = usual ?? only;
  if (chosen) return { given: '', endpoint, slug: slugOf(chosen.id), effort: undefined };
  const where = `the server at ${endpoint.address} (${endpoint.addressVariable})`;
  throw new ModelError(
    'invalid_request',
    first
      ? `${where} serves several models, choose one with --model or BATON_MODEL: ${shownNames(models.map(({ id }) => id))}`
      : `${where} lists no model: name one with --model provider/model or BATON_MODEL`,
  );
}

async function ofProvider(
  provider: Provider,
  environment: Environment,
  signal: AbortSignal,
): Promise<Choice> {
  const endpoint = withKey(endpointOf(provider, environment));
  // Google's and Anthropic's wires are spoken by gateways to their models; Chat Completions by everybody.
  if (endpoint.addressVariable !== undefined && endpoint.wire === 'chat') {
    return onOwnServer(endpoint, environment, signal);
  }
  return { given: '', endpoint, slug: provider.defaultModel ?? '', effort: undefined };
}

async function onThisMachine(environment: Environment, signal: AbortSignal): Promise<Choice> {
  const servers = await findLocalServers(environment, signal);
  const server = servers.find(({ models }) => models.length > 0);
  const [model] = server?.models ?? [];
  if (!server || !model) {
    const idle = servers[0] ? `${servers[0].endpoint.provider.label} runs here but holds no model; ` : '';
    throw new ModelError('unavailable', `there is no model to use: ${idle}${THREE_WAYS}`);
  }
  const { endpoint } = server;
  return {
    given: '',
    endpoint,
    slug: slugOf(model.id),
    effort: undefined,
    ...(model.contextWindow ? { contextWindow: model.contextWindow } : {}),
    notice: `no key is set: using ${model.id} of the local server ${endpoint.provider.label} at ${endpoint.address}`,
  };
}

/**
 * The model of a run that names none: exactly one provider set up = its default, none = a local server.
 * @throws {ModelError} `invalid_request` when several are set up, `unavailable` when there is none at all.
 */
export async function chooseDefault(environment: Environment, signal: AbortSignal): Promise<Choice> {
  const remote = PROVIDERS.filter((provider) => !provider.isLocal && isConfigured(provider, environment));
  const [only] = remote;
  if (remote.length > 1) {
    const names = remote.map(({ id, defaultModel }) => `${id}/${defaultModel}`);
    throw new ModelError(
      'invalid_request',
      `several providers are set up (${remote.map(({ label }) => label).join(', ')}) and no model is chosen: ` +
        `name one with --model or BATON_MODEL, such as ${names.join(' or ')}`,
    );
  }
  return only ? ofProvider(only, environment, signal) : onThisMachine(environment, signal);
}
