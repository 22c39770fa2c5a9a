import type { Environment } from '../environment.ts';
import { type Endpoint, endpointOf, PROVIDERS } from '../providers.ts';
import { createTransport } from '../transport/fetch.ts';
import { type ListedModel, listEndpoint } from './list-endpoint.ts';

/** A server on this machine answers at once or is not there. Milliseconds. */
const LOCAL_LIMIT_MS = 1000;

export interface LocalServer {
  endpoint: Endpoint;
  models: ListedModel[];
}

/**
 * The model servers that answer on this machine (Ollama, LM Studio, llama.cpp), in the order of the table.
 * @throws {ModelError} `invalid_request` for a variable with an address that is none.
 */
export async function findLocalServers(
  environment: Environment,
  signal: AbortSignal,
): Promise<LocalServer[]> {
  const transport = createTransport(environment, { idleMs: LOCAL_LIMIT_MS });
  const limited = AbortSignal.any([signal, AbortSignal.timeout(LOCAL_LIMIT_MS)]);
  const endpoints = PROVIDERS.filter((provider) => provider.isLocal).map((provider) =>
    endpointOf(provider, environment),
  );
  const answers = await Promise.allSettled(
    endpoints.map(async (endpoint) => ({
      endpoint,
      models: await listEndpoint(endpoint, transport, limited),
    })),
  );
  signal.throwIfAborted();
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
}
