import { partyOf } from './catalogue/list-endpoint.ts';
import { familyOf } from './families.ts';
import type { Endpoint } from './providers.ts';
import { RETRY_POLICY, type RetryPolicy, withRetries } from './retry.ts';
import type { Transport } from './transport/fetch.ts';
import type { Effort, Model, ModelPart, ModelRequest } from './types.ts';
import { toModelError } from './wire/failure.ts';
import { toModelParts } from './wire/parts.ts';
import { toSdkPrompt } from './wire/prompt.ts';
import type { SdkCall } from './wire/sdk.ts';
import type { CreateWire, WireModel } from './wire/wire.ts';

export interface ProviderModelOptions {
  endpoint: Endpoint;
  slug: string;
  effort: Effort | undefined;
  transport: Transport;
  notice?: string;
  retry?: Partial<RetryPolicy>;
}

async function loadWire(_endpoint: Endpoint): Promise<CreateWire> {
  return (await import('./wire/chat.ts')).createChatWire;
}

function toCall(request: ModelRequest, wire: WireModel, effort: Effort | undefined): SdkCall {
  const { tools, responseSchema, maxOutputTokens, signal } = request;
  return {
    prompt: toSdkPrompt(request, wire.traits),
    ...wire.settings({ effort: request.effort ?? effort, maxOutputTokens }),
    ...(tools.length > 0
      ? {
          tools: tools.map(({ name, description, parameters }) => ({
            type: 'function' as const,
            name,
            description,
            inputSchema: parameters,
          })),
          toolChoice: { type: 'auto' as const },
        }
      : {}),
    ...(responseSchema
      ? { responseFormat: { type: 'json' as const, schema: responseSchema, name: 'answer' } }
      : {}),
    abortSignal: signal,
  };
}

/** A model behind a provider package. The package is loaded, and the connection opened, when this is called. */
export function createProviderModel(options: ProviderModelOptions): Model {
  const { endpoint, slug, transport } = options;
  const party = partyOf(endpoint, slug);
  transport.warm(endpoint.address);
  const loading = loadWire(endpoint).then((create) => create(endpoint, slug, transport.fetch));
  // The first request reports a failed load; until then nobody listens.
  loading.catch(() => {});
  const policy = { ...RETRY_POLICY, ...options.retry };
  const contextWindow = familyOf(slug)?.contextWindow;

  return {
    id: party.id,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(options.notice === undefined ? {} : { notice: options.notice }),
    stream(request, onAttemptFailed) {
      const attempt = async function* (): AsyncGenerator<ModelPart> {
        request.signal.throwIfAborted();
        const wire = await loading;
        const { stream } = await wire.model.doStream(toCall(request, wire, options.effort));
        yield* toModelParts(stream);
      };
      return withRetries(
        attempt,
        (error) => toModelError(error, party, request.signal),
        request.signal,
        onAttemptFailed,
        policy,
      );
    },
  };
}
