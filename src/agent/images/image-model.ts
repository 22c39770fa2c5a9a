import { parseJson } from '../../contract/fields.ts';
import type { Environment } from '../models/environment.ts';
import { type Endpoint, partyOf } from '../models/providers.ts';
import { RETRY_POLICY, type RetryPolicy, retriesOf, withRetries } from '../models/retry.ts';
import { createTransport } from '../models/transport/fetch.ts';
import { ModelError } from '../models/types.ts';
import { toModelError } from '../models/wire/failure.ts';
import type { ImageChoice } from './choose-model.ts';
import { createGoogleWire } from './google.ts';
import { createOpenAIWire, createXaiWire } from './openai.ts';
import { createOpenRouterWire } from './openrouter.ts';
import type { ImageModel, ImageRequest } from './types.ts';
import type { CreateImageWire } from './wire.ts';

/** Nothing arrives before a picture is done, which takes minutes for a large one. */
const IDLE_MS = 300_000;

function wireFor({ provider, wire }: Endpoint): CreateImageWire {
  if (wire === 'google') return createGoogleWire;
  if (provider.id === 'openrouter') return createOpenRouterWire;
  return provider.id === 'xai' ? createXaiWire : createOpenAIWire;
}

/**
 * A model behind a provider's own interface for images. The provider packages have one too, but theirs for OpenAI sends
 * pictures as a form, for which Node loads its whole fetch; this one goes through the transport of the other models.
 */
export function createImageModel(
  { endpoint, model }: ImageChoice,
  environment: Environment,
  retry: Partial<RetryPolicy> = {},
): ImageModel {
  const id = `${endpoint.provider.id}/${model}`;
  const transport = createTransport(environment, { idleMs: IDLE_MS });
  const policy = { ...RETRY_POLICY, ...retriesOf(environment), ...retry };

  async function* attempt(request: ImageRequest): AsyncGenerator<Buffer> {
    const wire = wireFor(endpoint)(endpoint, model, request);
    const response = await transport.fetch(`${endpoint.address}${wire.path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...wire.headers },
      body: JSON.stringify(wire.body),
      signal: request.signal,
    });
    const text = await response.text();
    if (!response.ok) {
      // The form in which the provider packages report the same.
      throw Object.assign(new Error(response.statusText), {
        name: 'AI_APICallError',
        statusCode: response.status,
        responseBody: text,
        responseHeaders: Object.fromEntries(response.headers.entries()),
      });
    }
    const { base64, said } = wire.read(parseJson(text));
    if (base64 === undefined)
      throw new ModelError(
        'stream',
        `${id} gave no image${said === '' ? '' : `; it said: ${said.slice(0, 500)}`}`,
      );
    yield Buffer.from(base64, 'base64');
  }

  return {
    id,
    async generate(request) {
      const { signal } = request;
      const toError = (error: unknown): ModelError => toModelError(error, partyOf(endpoint, model), signal);
      for await (const bytes of withRetries(() => attempt(request), toError, signal, undefined, policy))
        return bytes;
      throw new ModelError('stream', `${id} gave no image`);
    },
  };
}
