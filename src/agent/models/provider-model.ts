import { partyOf } from './catalogue/list-endpoint.ts';
import { familyOf } from './families.ts';
import { priceOf } from './prices.ts';
import type { Endpoint, Wire } from './providers.ts';
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
  /** Where a list said so. */
  contextWindow?: number;
  notice?: string;
  retry?: Partial<RetryPolicy>;
}

/** Each wire with its provider package is a chunk of its own: a run loads one of them. */
const WIRES: Record<Wire, () => Promise<CreateWire>> = {
  chat: async () => (await import('./wire/chat.ts')).createChatWire,
  responses: async () => (await import('./wire/responses.ts')).createResponsesWire,
  google: async () => (await import('./wire/google.ts')).createGoogleWire,
  anthropic: async () => (await import('./wire/anthropic.ts')).createAnthropicWire,
};

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
    ...(responseSchema && (tools.length === 0 || wire.traits.schemaWithTools)
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
  const loading = WIRES[endpoint.wire]().then((create) => create(endpoint, slug, transport.fetch));
  // The first request reports a failed load; until then nobody listens.
  loading.catch(() => {});
  const policy = { ...RETRY_POLICY, ...options.retry };
  const contextWindow = options.contextWindow ?? familyOf(slug)?.contextWindow;
  const price = endpoint.addressVariable === undefined ? priceOf(party.id) : undefined;

  return {
    id: party.id,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(price === undefined ? {} : { price }),
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
