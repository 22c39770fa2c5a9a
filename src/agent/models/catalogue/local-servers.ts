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

/** The model servers that answer on this machine (Ollama, LM Studio, llama.cpp), in the order of the table. */
export async function findLocalServers(
  environment: Environment,
  signal: AbortSignal,
): Promise<LocalServer[]> {
  const transport = createTransport(environment, { idleMs: LOCAL_LIMIT_MS });
  const limited = AbortSignal.any([signal, AbortSignal.timeout(LOCAL_LIMIT_MS)]);
  const asked = PROVIDERS.filter((provider) => provider.isLocal).map(async (provider) => {
    const endpoint = endpointOf(provider, environment);
    return { endpoint, models: await listEndpoint(endpoint, transport, limited) };
  });
  const answers = await Promise.allSettled(asked);
  signal.throwIfAborted();
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
}
