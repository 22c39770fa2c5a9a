import type { Environment } from '../environment.ts';
import type { Endpoint } from '../providers.ts';
import { shownNames } from '../resolve.ts';
import { createTransport } from '../transport/fetch.ts';
import { listEndpoint } from './list-endpoint.ts';

/** A message waits this long for names, no longer. Milliseconds. */
const LIMIT_MS = 5000;

/** The names of an endpoint's models for a message, asked for now, or undefined when they cannot be had. */
export async function listModelsOf(
  endpoint: Endpoint,
  environment: Environment,
): Promise<string | undefined> {
  try {
    const transport = createTransport(environment, { idleMs: LIMIT_MS });
    const models = await listEndpoint(endpoint, transport, AbortSignal.timeout(LIMIT_MS));
    return models.length > 0 ? shownNames(models.map(({ id }) => id)) : undefined;
  } catch {
    return undefined;
  }
}
